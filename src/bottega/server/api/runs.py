"""`/api/runs`: durable work: what it waits for, what happened, and a word to it."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, JsonValue

from bottega.core.callers import CurrentCaller
from bottega.core.runs import Run, RunEvent, Runs, RunStatus
from bottega.server.api.views import Limit


class Reply(BaseModel):
    message: JsonValue


def run_routes(runs: Runs) -> APIRouter:
    router = APIRouter(prefix="/runs", tags=["runs"])

    @router.get("")
    async def list_runs(
        caller: CurrentCaller,
        kind: str | None = None,
        status: RunStatus | None = None,
        session_id: str | None = None,
        limit: Limit = 50,
    ) -> Sequence[Run]:
        """The caller's runs, newest first."""
        return await runs.list(
            kind=kind, status=status, user_id=caller.user_id, session_id=session_id, limit=limit
        )

    @router.get("/{run_id}")
    async def get_run(run_id: str, caller: CurrentCaller) -> Run:
        return await runs.get(run_id, user_id=caller.user_id)

    @router.get("/{run_id}/events")
    async def list_run_events(
        run_id: str,
        caller: CurrentCaller,
        after: Annotated[int, Query(ge=0, description="Only those behind this position.")] = 0,
        limit: Limit = 500,
        wait: Annotated[float, Query(ge=0, le=30, description="Seconds, if there is none.")] = 0,
    ) -> Sequence[RunEvent]:
        """What happened in the run, in order; with `wait`, as soon as something has."""
        await runs.get(run_id, user_id=caller.user_id)
        return await runs.news(run_id, after=after, limit=limit, wait=wait)

    @router.post("/{run_id}/reply")
    async def reply_to_run(run_id: str, reply: Reply, caller: CurrentCaller) -> Run:
        """Answer what a paused run waits for."""
        return await runs.reply(run_id, reply.message, user_id=caller.user_id)

    @router.post("/{run_id}/cancel")
    async def cancel_run(run_id: str, caller: CurrentCaller) -> Run:
        """Stop a run for good."""
        return await runs.cancel(run_id, user_id=caller.user_id)

    return router
