"""Sources: what they are, whether they work, and how a person lets them in."""

from html import escape
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from bottega.core.callers import CurrentCaller
from bottega.errors import BottegaError
from bottega.research.desk import Desk
from bottega.research.sources.results import SourceTool
from bottega.research.sources.views import SourceDetail, SourceView, TestReport

CALLBACK = "/sources/oauth/callback"

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Bottega</title>
<body style="font-family: system-ui; max-width: 36rem; margin: 4rem auto"><h1>{title}</h1>
<p>{text}</p><p><a href="/sources/{slug}">Back to Bottega</a></p></body></html>"""


class SourceList(BaseModel):
    sources: list[SourceView]
    #: Folders that a person can put sources into: the project's, the house's own.
    places: list[str]


class ToolView(BaseModel):
    name: str
    description: str


class ToolList(BaseModel):
    tools: list[ToolView]


class Credential(BaseModel):
    value: Annotated[str, Field(min_length=1, max_length=20_000)]


class SignInPage(BaseModel):
    authorization_url: str


def add_routes(routes: APIRouter, desk: Desk) -> None:
    sources = desk.sources

    @routes.get("/sources")
    async def list_sources(caller: CurrentCaller) -> SourceList:
        found = await sources.list(user_id=caller.user_id)
        return SourceList(sources=found, places=[str(each) for each in sources.places])

    @routes.get(CALLBACK, response_class=HTMLResponse)
    async def finish_signing_in(
        caller: CurrentCaller,
        state: Annotated[str, Query(max_length=1000)],
        code: Annotated[str | None, Query(max_length=5000)] = None,
        error: Annotated[str | None, Query(max_length=1000)] = None,
        iss: Annotated[str | None, Query(max_length=1000)] = None,
    ) -> HTMLResponse:
        """Where the other side sends the person back to."""
        try:
            slug = await sources.finish_oauth(
                state, code, error=error, issuer=iss, user_id=caller.user_id
            )
        except BottegaError as failure:
            message = escape(failure.message)
            page = PAGE.format(title="That did not work", text=message, slug="")
            return HTMLResponse(page, status_code=400)
        text = f"You are signed in to {escape(slug)}."
        return HTMLResponse(PAGE.format(title="Signed in", text=text, slug=escape(slug)))

    @routes.get("/sources/{slug}")
    async def get_source(slug: str, caller: CurrentCaller) -> SourceDetail:
        """What it is and what would run, so that a person can decide; a broken one too."""
        return await sources.describe(slug, user_id=caller.user_id)

    @routes.get("/sources/{slug}/tools")
    async def source_tools(slug: str, caller: CurrentCaller) -> ToolList:
        found = await sources.tools(slug, user_id=caller.user_id)
        return ToolList(tools=[_shown(tool) for tool in found])

    @routes.post("/sources/{slug}/enable")
    async def enable_source(slug: str, caller: CurrentCaller) -> SourceView:
        """A project's source is trusted from now on, as it is."""
        return await sources.enable(slug, user_id=caller.user_id)

    @routes.post("/sources/{slug}/disable")
    async def disable_source(slug: str, caller: CurrentCaller) -> SourceView:
        return await sources.disable(slug, user_id=caller.user_id)

    @routes.post("/sources/{slug}/test")
    async def test_source(slug: str, caller: CurrentCaller) -> TestReport:
        """Try everything from its file to its list of tools."""
        return await sources.test(slug, user_id=caller.user_id)

    @routes.put("/sources/{slug}/credentials/{name}")
    async def set_credential(
        slug: str, name: str, given: Credential, caller: CurrentCaller
    ) -> SourceView:
        """Kept encrypted, and never shown again."""
        return await sources.set_credential(slug, name, given.value, user_id=caller.user_id)

    @routes.delete("/sources/{slug}/credentials/{name}")
    async def forget_credential(slug: str, name: str, caller: CurrentCaller) -> SourceView:
        return await sources.forget_credential(slug, name, user_id=caller.user_id)

    @routes.post("/sources/{slug}/sign-in")
    async def sign_in(slug: str, request: Request, caller: CurrentCaller) -> SignInPage:
        """The page of the other side where the person signs in."""
        callback = str(request.base_url).rstrip("/") + f"/api/research{CALLBACK}"
        url = await sources.start_oauth(slug, user_id=caller.user_id, callback_url=callback)
        return SignInPage(authorization_url=url)

    @routes.post("/sources/{slug}/sign-out")
    async def sign_out(slug: str, caller: CurrentCaller) -> SourceView:
        await sources.forget_oauth(slug, user_id=caller.user_id)
        return await sources.get(slug, user_id=caller.user_id)


def _shown(tool: SourceTool) -> ToolView:
    return ToolView(name=tool.name, description=tool.description)
