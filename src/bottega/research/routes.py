"""Routes of research that are not JSON in and out: streams, downloads, pages of a sign-in."""

from html import escape
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from bottega.core.doors.callers import CurrentCaller
from bottega.core.doors.streams import OpenStreams
from bottega.core.roles import Right, needs
from bottega.core.runs.runs import run_frames
from bottega.errors import BottegaError
from bottega.research.service import Research

CALLBACK = "/sources/oauth/callback"

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Bottega</title>
<body style="font-family: system-ui; max-width: 36rem; margin: 4rem auto"><h1>{title}</h1>
<p>{text}</p><p><a href="/sources/{slug}">Back to Bottega</a></p></body></html>"""


class SignInPage(BaseModel):
    authorization_url: str


def router(research: Research) -> APIRouter:
    pages = ResearchRoutes(research)
    routes = APIRouter(prefix="/research", tags=["research"])
    events = routes.get("/runs/{run_id}/events", response_class=StreamingResponse)
    events(pages.follow_research)
    export = routes.get("/sessions/{session_id}/export", response_class=PlainTextResponse)
    export(pages.export_research_session)
    routes.get(CALLBACK, response_class=HTMLResponse)(pages.finish_signing_in)
    routes.post("/sources/{slug}/sign-in")(pages.sign_in)
    return routes


class ResearchRoutes:
    def __init__(self, research: Research) -> None:
        self._research = research

    async def follow_research(
        self,
        run_id: str,
        caller: CurrentCaller,
        streams: OpenStreams,
        after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
        last_event_id: Annotated[int | None, Header(ge=0, le=2**31 - 1)] = None,
    ) -> StreamingResponse:
        """Stages, substeps and text as they come, from any event on, until the run has ended."""
        await self._research.runs.get(run_id, caller.user_id)
        start = after if last_event_id is None else last_event_id
        core = self._research.core
        return streams.send(run_frames(core.runs, core.bus, run_id, after=start))

    async def export_research_session(
        self, session_id: str, caller: CurrentCaller
    ) -> PlainTextResponse:
        """JSON Lines: the session, then a message a line."""
        text = await self._research.sessions.export(session_id, user_id=caller.user_id)
        name = f'attachment; filename="{session_id}.jsonl"'
        return PlainTextResponse(
            text, media_type="application/x-ndjson", headers={"Content-Disposition": name}
        )

    @needs(Right.DECIDE)
    async def finish_signing_in(
        self,
        caller: CurrentCaller,
        state: Annotated[str, Query(max_length=1000)],
        code: Annotated[str | None, Query(max_length=5000)] = None,
        error: Annotated[str | None, Query(max_length=1000)] = None,
        iss: Annotated[str | None, Query(max_length=1000)] = None,
    ) -> HTMLResponse:
        """Where the other side sends the person back to."""
        try:
            slug = await self._research.sources.finish_oauth(
                state, code, error=error, issuer=iss, user_id=caller.user_id
            )
        except BottegaError as failure:
            message = escape(failure.message)
            page = PAGE.format(title="That did not work", text=message, slug="")
            return HTMLResponse(page, status_code=400)
        text = f"You are signed in to {escape(slug)}."
        return HTMLResponse(PAGE.format(title="Signed in", text=text, slug=escape(slug)))

    @needs(Right.DECIDE)
    async def sign_in(self, slug: str, request: Request, caller: CurrentCaller) -> SignInPage:
        """The page of the other side where the person signs in."""
        callback = str(request.base_url).rstrip("/") + f"/api/research{CALLBACK}"
        url = await self._research.sources.start_oauth(
            slug, user_id=caller.user_id, callback_url=callback
        )
        return SignInPage(authorization_url=url)
