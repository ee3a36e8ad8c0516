"""A plan handed in and a session ended, over HTTP: `/api/coach/plan`, `/api/coach/session/end`."""

from fastapi import APIRouter

from bottega.coach.desk.desk import Desks
from bottega.coach.planning.pipeline import Pipeline
from bottega.coach.protocol.sessions import EndSession, PlanReady, SubmitPlan
from bottega.coach.reflection.wrapup import WrapUp, WrapUpResult
from bottega.core.callers import CurrentCaller


def router(desks: Desks, pipeline: Pipeline, wrapup: WrapUp) -> APIRouter:
    routes = APIRouter(prefix="/coach", tags=["coach"])

    @routes.post("/plan")
    async def submit_plan(asked: SubmitPlan, caller: CurrentCaller) -> PlanReady:
        """Turn a plan into phases for the session at hand."""
        return await pipeline.run(
            desks.of(caller.user_id), asked.plan_text, asked.issue_summary, asked.issue_number
        )

    @routes.post("/session/end")
    async def end_session(asked: EndSession, caller: CurrentCaller) -> WrapUpResult:
        """End the session at hand; without a transcript the log says what happened."""
        return await wrapup.run(desks.of(caller.user_id), asked.session_transcript)

    return routes
