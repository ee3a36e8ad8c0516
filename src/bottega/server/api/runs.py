"""`/api/runs`: durable work: what it waits for, what happened, and a word to it."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field, JsonValue

from bottega.core.operations import Get, Post, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller
from bottega.core.runs import Run, RunEvent, RunStatus
from bottega.server.api.views import House, Limit


class RunFilter(BaseModel):
    kind: str | None = None
    status: RunStatus | None = None
    session_id: str | None = None
    limit: Limit = 50


class RunRequest(BaseModel):
    run_id: str


class RunEventsRequest(RunRequest):
    after: Annotated[int, Field(ge=0, description="Only those behind this position.")] = 0
    limit: Limit = 500
    wait: Annotated[float, Field(ge=0, le=30, description="Seconds, if there is none.")] = 0


class Reply(BaseModel):
    message: JsonValue


class RunReply(Reply):
    run_id: str


@operation(Get("/runs"))
async def list_runs(house: House, asked: RunFilter, caller: Caller) -> Sequence[Run]:
    """The caller's runs, newest first."""
    return await house.core.runs.list(**dict(asked), user_id=caller.user_id)


@operation(Get("/runs/{run_id}"))
async def get_run(house: House, asked: RunRequest, caller: Caller) -> Run:
    return await house.core.runs.get(asked.run_id, user_id=caller.user_id)


@operation(Get("/runs/{run_id}/events"))
async def list_run_events(
    house: House, asked: RunEventsRequest, caller: Caller
) -> Sequence[RunEvent]:
    """What happened in the run, in order; with `wait`, as soon as something has."""
    await house.core.runs.get(asked.run_id, user_id=caller.user_id)
    return await house.core.runs.wait_for_events(**dict(asked))


@operation(Post("/runs/{run_id}/reply"), needs=Right.DECIDE)
async def reply_to_run(house: House, reply: RunReply, caller: Caller) -> Run:
    """Answer what a paused run waits for."""
    return await house.core.runs.reply(reply.run_id, reply.message, user_id=caller.user_id)


@operation(Post("/runs/{run_id}/cancel"))
async def cancel_run(house: House, asked: RunRequest, caller: Caller) -> Run:
    """Stop a run for good."""
    return await house.core.runs.cancel(asked.run_id, user_id=caller.user_id)
