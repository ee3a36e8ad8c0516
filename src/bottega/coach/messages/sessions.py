"""Sessions, phases, hints and plan drafts over WebSocket."""

from typing import Any

from bottega.coach.desk.desk import Desks
from bottega.coach.messages.background import Background
from bottega.coach.planning.drafting import Drafting
from bottega.coach.protocol.files import LevelChange
from bottega.coach.protocol.sessions import DraftPlan, ResumeSession, StartSession, UpdatePhase
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.phases import Phases
from bottega.coach.sessions.sessions import CoachingSessions
from bottega.core.rooms import Incoming, Message


def messages(
    desks: Desks,
    sessions: CoachingSessions,
    phases: Phases,
    hints: Hints,
    drafting: Drafting,
    background: Background,
) -> list[Message[Any]]:
    # What a window sends after a start belongs to the new session: these are handled in order.
    async def start(incoming: Incoming[StartSession]) -> None:
        await sessions.start(desks.of_sender(incoming), incoming.payload)

    async def resume(incoming: Incoming[ResumeSession]) -> None:
        await sessions.resume(desks.of_sender(incoming), incoming.payload.session_id)

    async def change_level(incoming: Incoming[LevelChange]) -> None:
        await hints.set_level(desks.of_sender(incoming), incoming.payload)

    async def update_phase(incoming: Incoming[UpdatePhase]) -> None:
        asked = incoming.payload
        await phases.update(desks.of_sender(incoming), asked.phase, asked.status)

    async def draft_plan(incoming: Incoming[DraftPlan]) -> None:
        async def draft() -> None:
            drafted = await drafting.draft(desks.of_sender(incoming))
            incoming.reply(drafted.type, drafted)

        background.run(incoming, draft())

    return [
        Message("session:start", StartSession, start),
        Message("session:resume", ResumeSession, resume),
        Message("hints:level_change", LevelChange, change_level),
        Message("coaching:update_phase", UpdatePhase, update_phase),
        Message("coaching:draft_plan", DraftPlan, draft_plan),
    ]
