"""What was proposed for the memory and what became of it: rows of `memory_events`."""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.loop.turn import Turn
from bottega.assistant.prompts.memory_capture import Scope
from bottega.assistant.tables import MemoryEvent
from bottega.core.database import storable
from bottega.core.ids import new_id

ENTRYPOINT = "MEMORY.md"


class CaptureEvent(StrEnum):
    PROPOSED = "capture_proposed"
    CONFIRMED = "capture_confirmed"
    EDITED = "capture_edited"
    DISMISSED = "capture_dismissed"
    #: A short-term note that is proposed for the long term.
    PROMOTION = "promotion_proposed"


class Proposal(BaseModel):
    model_config = ConfigDict(frozen=True)

    #: Within its gate.
    id: str
    text: str
    reason: str = ""
    class_id: str | None = None
    is_promotion: bool = False
    #: Makes its events known again.
    key: str = Field(default_factory=new_id)

    @property
    def scope(self) -> Scope:
        return Scope.TEACHER if self.class_id is None else Scope.CLASS

    @property
    def scope_shown(self) -> str:
        return f"class:{self.class_id}" if self.class_id else Scope.TEACHER.value


class Capture(BaseModel):
    """What the person decided about a proposal."""

    model_config = ConfigDict(frozen=True)

    proposal: Proposal
    event: CaptureEvent
    #: What is remembered; `None` is nothing.
    text: str | None = None


async def put_events(
    session: AsyncSession,
    turn: Turn,
    events: Sequence[tuple[CaptureEvent, Proposal, str | None]],
    *,
    trace_id: str | None,
    actor: str,
) -> None:
    """Each once: a step that is done again after a crash decides nothing twice."""
    for event, proposal, final in events:
        event_id = f"{proposal.key}-{event}"
        if await session.get(MemoryEvent, event_id) is None:
            session.add(
                MemoryEvent(
                    id=event_id,
                    trace_id=trace_id,
                    session_id=turn.session_id,
                    user_id=turn.user_id,
                    event_type=event,
                    proposed_text=storable(proposal.text),
                    final_text=final and storable(final),
                    scope=proposal.scope,
                    class_id=proposal.class_id,
                    path=ENTRYPOINT,
                    actor=actor,
                )
            )
