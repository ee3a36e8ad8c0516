"""Agents and their hooks over HTTP: `/api/board/hooks` and `/api/board/agents`."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query

from bottega.board.agents.activity import Activity
from bottega.board.agents.activity_views import AgentSummary, AgentView, Ingested, Metrics, Timeline
from bottega.board.knowledge.items import Id
from bottega.core.callers import CurrentCaller

UpTo500 = Annotated[int, Query(ge=1, le=500)]


def router(activity: Activity) -> APIRouter:
    routes = APIRouter(prefix="/board", tags=["board"])

    @routes.post("/hooks")
    async def take_hook(body: Annotated[dict[str, Any], Body()], caller: CurrentCaller) -> Ingested:
        """Takes the JSON that Claude Code hands to a hook, as it is."""
        return await activity.ingest(body, caller.user_id)

    @routes.get("/agents")
    async def list_agents(caller: CurrentCaller) -> list[AgentView]:
        """Those at work, the liveliest first."""
        return await activity.agents(caller.user_id)

    @routes.get("/agents/metrics")
    async def show_metrics(caller: CurrentCaller, session_id: Id | None = None) -> Metrics:
        """Of all sessions, or of one with its tools."""
        return await activity.metrics(session_id, caller.user_id)

    @routes.get("/agents/{session_id}")
    async def show_agent(session_id: Id, caller: CurrentCaller) -> AgentSummary:
        """At work or over."""
        return await activity.summary(session_id, caller.user_id)

    @routes.get("/agents/{session_id}/activity")
    async def show_timeline(
        session_id: Id,
        caller: CurrentCaller,
        before: Annotated[int | None, Query(ge=1)] = None,
        limit: UpTo500 = 50,
    ) -> Timeline:
        """What it did, the newest first."""
        return await activity.timeline(session_id, caller.user_id, before=before, limit=limit)

    return routes
