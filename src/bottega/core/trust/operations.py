"""What can be asked about what a project brings. Everybody may look; only the owner trusts."""

import asyncio

from pydantic import BaseModel, Field

from bottega.core.operations import Delete, Get, NoArguments, Post, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller, Contents, Given, Resource
from bottega.core.trust.project import Brought, ProjectTrust, TrustState

#: Behind it `plugins/NAME`.
THING = "/trust/{name:path}"


class BroughtView(BaseModel):
    #: `agents`, `plugins`, `skills` or `sources`.
    kind: str
    name: str
    #: Where it lies.
    folder: str
    state: TrustState
    #: What it stands in for, once it is trusted: `shipped` or `own`.
    replaces: str | None
    #: Of its files as they are: trust can be given to just these.
    fingerprint: str | None
    files: list[str]
    problem: str | None

    @classmethod
    def of(cls, brought: Brought) -> "BroughtView":
        return cls(
            kind=brought.kind,
            name=brought.name,
            folder=str(brought.folder),
            state=brought.state,
            replaces=brought.replaces,
            fingerprint=brought.fingerprint,
            files=list(brought.files),
            problem=brought.problem,
        )


class BroughtList(BaseModel):
    things: list[BroughtView]
    #: How many of them are not used until they are trusted.
    waiting: int


class ThingRequest(BaseModel):
    name: str = Field(description="`plugins/NAME`, or the name alone.")


class TrustInput(BaseModel):
    #: As it was looked at; anything else is refused.
    fingerprint: str | None = Field(None, max_length=100)


class TrustRequest(TrustInput):
    name: str


class TrustDiff(BaseModel):
    #: Against what was trusted, as a unified diff; all of it for what never was.
    diff: str
    #: Of what the diff shows: trusted with it, nothing that came since is.
    fingerprint: str


@operation(Get("/trust"))
async def list_brought(trust: ProjectTrust) -> BroughtList:
    """What the project brings: agents, plugins, skills and sources, and which are trusted."""
    found = [BroughtView.of(each) for each in await asyncio.to_thread(trust.list)]
    waiting = sum(each.state is not TrustState.TRUSTED for each in found)
    return BroughtList(things=found, waiting=waiting)


@operation(Get(f"{THING}/diff"))
async def show_difference(trust: ProjectTrust, asked: ThingRequest) -> TrustDiff:
    """What has changed since it was trusted."""
    found = await asyncio.to_thread(trust.diff, asked.name)
    return TrustDiff(diff=found.text, fingerprint=found.fingerprint)


@operation(Post(THING, optional_body=True), needs=Right.ADMINISTER)
async def trust_thing(trust: ProjectTrust, asked: TrustRequest, caller: Caller) -> BroughtView:
    """Use it from now on, as it is: it may run, connect, and stand in for what is shipped."""
    added = await asyncio.to_thread(trust.add, asked.name, caller.user_id, asked.fingerprint)
    return BroughtView.of(added)


@operation(Delete(THING), needs=Right.ADMINISTER)
async def distrust_thing(trust: ProjectTrust, asked: ThingRequest) -> BroughtView:
    """Use it no longer."""
    return BroughtView.of(await asyncio.to_thread(trust.remove, asked.name))


def trust_resource(trust: ProjectTrust) -> Resource:
    """The same for agents, who may look and no more."""

    async def read(_given: Given, _caller: Caller) -> Contents:
        listed = await list_brought.run(trust, NoArguments(), None)
        return Contents(listed.model_dump_json(), "application/json")

    return Resource(
        "project-trust",
        "bottega://project/trust",
        "What the project brings, and what of it waits for its owner's trust.",
        "application/json",
        read,
    )
