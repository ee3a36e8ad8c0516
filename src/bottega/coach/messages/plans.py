"""`coaching:submit_plan` and `session:end`: both take a model, and so work in the background."""

from typing import Any

from bottega.coach.desk.desk import Desks
from bottega.coach.messages.background import Background
from bottega.coach.planning.pipeline import Pipeline
from bottega.coach.protocol.sessions import EndSession, SubmitPlan
from bottega.coach.reflection.wrapup import WrapUp
from bottega.core.rooms import Incoming, Message


def messages(
    desks: Desks, pipeline: Pipeline, wrapup: WrapUp, background: Background
) -> list[Message[Any]]:
    async def submit_plan(incoming: Incoming[SubmitPlan]) -> None:
        """Answered by `coaching:plan_ready` and the first phase's hints, in all windows."""
        desk, asked = desks.of_sender(incoming), incoming.payload

        async def work() -> None:
            await pipeline.run(desk, asked.plan_text, asked.issue_summary, asked.issue_number)

        background.run(incoming, work())

    async def end_session(incoming: Incoming[EndSession]) -> None:
        """Answered by `session:completed` and `session:ended`, in all windows."""
        desk, asked = desks.of_sender(incoming), incoming.payload

        async def work() -> None:
            await wrapup.run(desk, asked.session_transcript)

        background.run(incoming, work())

    return [
        Message("coaching:submit_plan", SubmitPlan, submit_plan),
        Message("session:end", EndSession, end_session),
    ]
