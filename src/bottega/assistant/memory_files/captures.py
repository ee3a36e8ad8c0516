"""Proposals for the memory, what the person decided about them, and the check for names in them.

A likely personal name is stopped and asked about: the person may reword the note, keep it (it is no
pupil's name after all), or drop it. Enter drops it, and a note that still has a name in it after
being reworded is asked about again.
"""

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum

from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.loop.turn import Turn, record
from bottega.assistant.memory_files.paths import ENTRYPOINT, NoteScope
from bottega.assistant.memory_files.repository import MemoryEvent
from bottega.conversation.gates import Gate, GateDecision, GateItem, GateKind, ItemReply
from bottega.conversation.replies import settle_items
from bottega.core.clock import new_id
from bottega.core.db.database import storable

EDIT, KEEP, DISMISS = "edit", "keep", "dismiss"


#: Likely personal names in a text that is to be remembered.
FindNames = Callable[[Turn, str], Awaitable[Sequence[str]]]


class CaptureEvent(StrEnum):
    PROPOSED = "capture_proposed"
    CONFIRMED = "capture_confirmed"
    EDITED = "capture_edited"
    DISMISSED = "capture_dismissed"
    #: A short-term note that is proposed for the long term.
    PROMOTION = "promotion_proposed"


class CaptureProposal(BaseModel, frozen=True):
    #: Within its gate.
    id: str
    text: str
    reason: str = ""
    class_id: str | None = None
    is_promotion: bool = False
    #: Makes its events known again.
    key: str = Field(default_factory=new_id)

    @property
    def scope(self) -> NoteScope:
        return NoteScope.TEACHER if self.class_id is None else NoteScope.CLASS

    @property
    def scope_shown(self) -> str:
        return f"class:{self.class_id}" if self.class_id else NoteScope.TEACHER.value


class Capture(BaseModel, frozen=True):
    """What the person decided about a proposal."""

    proposal: CaptureProposal
    event: CaptureEvent
    #: What is remembered; `None` is nothing.
    text: str | None = None


async def put_events(
    session: AsyncSession,
    turn: Turn,
    events: Sequence[tuple[CaptureEvent, CaptureProposal, str | None]],
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


async def check_names(
    turn: Turn, find_names: FindNames, captures: Sequence[Capture]
) -> list[Capture]:
    """The captures, without names that the person has not vouched for."""
    settled = {capture.proposal.id: capture for capture in captures}
    to_check = [capture for capture in captures if capture.text is not None]
    while named := await turn.steps.step("name check", _look, turn, find_names, to_check):
        stopped = [capture for capture in to_check if capture.proposal.id in named]
        gate = _gate(stopped, named)
        replies = settle_items(gate, await turn.person.ask(gate))
        await record(
            turn,
            *(
                GateDecision(
                    GateKind.NAME_CHECK,
                    reply.decision,
                    capture.text,
                    reply.text,
                    {"names": named[reply.id]},
                )
                for reply, capture in zip(replies, stopped, strict=True)
            ),
        )
        settled |= {reply.id: _settle(settled[reply.id], reply) for reply in replies}
        to_check = [settled[reply.id] for reply in replies if reply.decision == EDIT]
    return list(settled.values())


async def _look(
    turn: Turn, find_names: FindNames, captures: Sequence[Capture]
) -> dict[str, list[str]]:
    """The names in each that has any."""
    found = [(each.proposal.id, await find_names(turn, each.text or "")) for each in captures]
    return {proposal_id: list(names) for proposal_id, names in found if names}


def _settle(capture: Capture, reply: ItemReply) -> Capture:
    if reply.decision == EDIT:
        return capture.model_copy(update={"text": reply.text, "event": CaptureEvent.EDITED})
    if reply.decision == DISMISS:
        return capture.model_copy(update={"text": None, "event": CaptureEvent.DISMISSED})
    return capture


def _gate(stopped: Sequence[Capture], named: dict[str, list[str]]) -> Gate:
    return Gate(
        kind=GateKind.NAME_CHECK,
        text=(
            "This may name a person. Notes are kept without names: say “the EAL pair” or “the "
            "advanced group”. How should it read?"
        ),
        items=[
            GateItem(
                id=each.proposal.id,
                title=each.text or "",
                text=f"Likely a name: {', '.join(named[each.proposal.id])}",
                scope=each.proposal.scope_shown,
                options=[EDIT, KEEP, DISMISS],
                default=DISMISS,
            )
            for each in stopped
        ],
        options=[KEEP, DISMISS],
        default=DISMISS,
        data={"names": named},
    )
