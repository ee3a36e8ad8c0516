"""What can be asked of sources: what they are, whether they work, and to let them in."""

from typing import Annotated

from pydantic import BaseModel, Field

from bottega.core.operations import Delete, Get, Post, Put, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller
from bottega.research import addresses
from bottega.research.sources.service import Sources
from bottega.research.sources.views import SourceDetail, SourceView, TestReport


class SourceRequest(BaseModel):
    slug: str


class Credential(BaseModel):
    value: Annotated[str, Field(min_length=1, max_length=20_000)]


class CredentialRequest(SourceRequest):
    name: str


class GiveCredentialRequest(Credential):
    slug: str
    name: str


class SourceList(BaseModel):
    sources: list[SourceView]
    #: Folders that a person can put sources into: the project's, the house's own.
    places: list[str]


class ResearchToolView(BaseModel):
    name: str
    description: str


class ToolList(BaseModel):
    tools: list[ResearchToolView]


@operation(addresses.LIST_SOURCES)
async def list_sources(sources: Sources, caller: Caller) -> SourceList:
    found = await sources.list(user_id=caller.user_id)
    return SourceList(sources=found, places=[str(each) for each in sources.places])


@operation(Get("/research/sources/{slug}"))
async def get_source(sources: Sources, asked: SourceRequest, caller: Caller) -> SourceDetail:
    """What it is and what would run, so that a person can decide; a broken one too."""
    return await sources.describe(asked.slug, user_id=caller.user_id)


@operation(Get("/research/sources/{slug}/tools"), needs=Right.WORK)
async def source_tools(sources: Sources, asked: SourceRequest, caller: Caller) -> ToolList:
    found = await sources.tools(asked.slug, user_id=caller.user_id)
    return ToolList(
        tools=[ResearchToolView(name=tool.name, description=tool.description) for tool in found]
    )


@operation(addresses.ENABLE_SOURCE, needs=Right.DECIDE)
async def enable_source(sources: Sources, asked: SourceRequest, caller: Caller) -> SourceView:
    """A project's source is trusted from now on, as it is: for the owner alone."""
    return await sources.enable(asked.slug, user_id=caller.user_id, is_owner=caller.is_owner)


@operation(addresses.DISABLE_SOURCE, needs=Right.DECIDE)
async def disable_source(sources: Sources, asked: SourceRequest, caller: Caller) -> SourceView:
    return await sources.disable(asked.slug, user_id=caller.user_id)


@operation(addresses.TEST_SOURCE)
async def test_source(sources: Sources, asked: SourceRequest, caller: Caller) -> TestReport:
    """Try everything from its file to its list of tools."""
    return await sources.test(asked.slug, user_id=caller.user_id)


@operation(Put("/research/sources/{slug}/credentials/{name}"), needs=Right.DECIDE)
async def set_credential(
    sources: Sources, given: GiveCredentialRequest, caller: Caller
) -> SourceView:
    """Kept encrypted, and never shown again."""
    return await sources.set_credential(given.slug, given.name, given.value, user_id=caller.user_id)


@operation(Delete("/research/sources/{slug}/credentials/{name}"), needs=Right.DECIDE)
async def forget_credential(
    sources: Sources, asked: CredentialRequest, caller: Caller
) -> SourceView:
    return await sources.forget_credential(asked.slug, asked.name, user_id=caller.user_id)


@operation(Post("/research/sources/{slug}/sign-out"), needs=Right.DECIDE)
async def sign_out(sources: Sources, asked: SourceRequest, caller: Caller) -> SourceView:
    await sources.forget_oauth(asked.slug, user_id=caller.user_id)
    return await sources.get(asked.slug, user_id=caller.user_id)
