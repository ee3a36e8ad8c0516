"""Proposes what to remember of a finished piece of work; the person decides about each.

    what they revised, corrected, answered ─┐
    short-term notes worth keeping ─────────┴─→ proposals ─→ confirm, edit or dismiss each
                                                 ─→ a likely name? asked about ─→ remembered

Nothing is remembered that the person has not said yes to: Enter remembers nothing.
"""

from collections.abc import Sequence

from bottega.assistant.gates.decisions import Decision, record
from bottega.assistant.gates.gate import Gate, GateItem, GateKind, ItemReply
from bottega.assistant.gates.replies import settle_items
from bottega.assistant.hooks.asking import ask_fast
from bottega.assistant.hooks.captures import Capture, CaptureEvent, Proposal, put_events
from bottega.assistant.hooks.hook import Hook
from bottega.assistant.hooks.name_check import check_names
from bottega.assistant.hooks.parts import HookParts
from bottega.assistant.hooks.revisions import answers_in, changes_in
from bottega.assistant.hooks.statements import statements
from bottega.assistant.loop.turn import Turn
from bottega.assistant.prompt.gathering import uses_memory
from bottega.assistant.prompts.memory_capture import (
    MOST_PROPOSALS,
    CaptureInput,
    Scope,
    is_known,
    memory_capture,
)
from bottega.core.traces import SpanKind

CONFIRM, EDIT, DISMISS = "confirm", "edit", "dismiss"
EVENTS = {
    CONFIRM: CaptureEvent.CONFIRMED,
    EDIT: CaptureEvent.EDITED,
    DISMISS: CaptureEvent.DISMISSED,
}


class MemoryCapture(Hook):
    name = "memory-capture"

    def __init__(self, parts: HookParts) -> None:
        self._parts = parts
        self._has_asked = False

    async def post_loop(self, turn: Turn) -> None:
        if self._has_asked or not uses_memory(turn.order, turn.agent):
            return
        self._has_asked = True
        proposals = await turn.steps.step("memory proposals", self._propose, turn)
        if not proposals:
            return
        gate = _gate(proposals)
        replies = settle_items(gate, await turn.person.ask(gate))
        captures = [
            _capture(proposal, reply) for proposal, reply in zip(proposals, replies, strict=True)
        ]
        captures = await check_names(turn, self._parts.find_names, captures)
        await turn.steps.step("remember", self._remember, turn, captures)
        await record(turn, *(_decision(capture) for capture in captures))
        kept = sum(capture.text is not None for capture in captures)
        turn.note(self.name, f"Remembered {kept} of {len(captures)} proposals.")

    async def _propose(self, turn: Turn) -> list[Proposal]:
        known = await self._known(turn)
        proposals = [*await self._lessons(turn, known), *await self._promotions(turn, known)]
        await self._tell(turn, [(_proposed(each), each, None) for each in proposals])
        return proposals

    async def _known(self, turn: Turn) -> list[str]:
        notes = await self._parts.notebook.entrypoint(turn, None)
        if turn.class_id is not None:
            notes += "\n" + await self._parts.notebook.entrypoint(turn, turn.class_id)
        return [each.text for each in statements(notes)]

    async def _lessons(self, turn: Turn, known: Sequence[str]) -> list[Proposal]:
        """From what the person put right and answered."""
        asked = CaptureInput(turn.input, turn.class_id, changes_in(turn), answers_in(turn), known)
        if not asked.changes and not asked.answers:
            return []
        answer = await ask_fast(turn, memory_capture, asked)
        return [
            Proposal(
                id=f"p{number}",
                text=each.text.strip(),
                reason=each.reason.strip(),
                class_id=turn.class_id if each.scope is Scope.CLASS else None,
            )
            for number, each in enumerate(answer.output.proposals[:MOST_PROPOSALS], 1)
            if each.text.strip() and not is_known(each.text, known)
        ]

    async def _promotions(self, turn: Turn, known: Sequence[str]) -> list[Proposal]:
        """From the session's own notes."""
        return [
            Proposal(
                id=f"m{number}",
                text=each.text,
                reason=each.reason,
                class_id=each.class_id,
                is_promotion=True,
            )
            for number, each in enumerate(await self._parts.notebook.promotions(turn), 1)
            if not is_known(each.text, known)
        ]

    async def _remember(self, turn: Turn, captures: Sequence[Capture]) -> None:
        for capture in captures:
            if capture.text is not None:
                await self._parts.notebook.add(
                    turn, capture.proposal.class_id, capture.text, actor=self.name
                )
        await self._tell(turn, [(each.event, each.proposal, each.text) for each in captures])

    async def _tell(
        self, turn: Turn, events: Sequence[tuple[CaptureEvent, Proposal, str | None]]
    ) -> None:
        """In the table of memory events and in the trace."""
        if not events:
            return
        trace_id = None
        for event, proposal, final in events:
            with turn.core.traces.span(
                f"memory {event.value}",
                SpanKind.MEMORY,
                attributes={
                    "bottega.memory.event": event.value,
                    "bottega.memory.scope": proposal.scope_shown,
                    "bottega.memory.proposed": proposal.text,
                    "bottega.memory.final": final or "",
                    "bottega.memory.actor": self.name,
                },
            ) as span:
                trace_id = f"{span.get_span_context().trace_id:032x}"
        async with turn.core.database.write() as session:
            await put_events(session, turn, events, trace_id=trace_id, actor=self.name)


def _proposed(proposal: Proposal) -> CaptureEvent:
    return CaptureEvent.PROMOTION if proposal.is_promotion else CaptureEvent.PROPOSED


def _gate(proposals: Sequence[Proposal]) -> Gate:
    return Gate(
        kind=GateKind.MEMORY_CAPTURE,
        text="Shall I remember this for next time? Nothing is kept that you do not confirm.",
        items=[
            GateItem(
                id=each.id,
                title=each.text,
                text=each.reason,
                scope=each.scope_shown,
                options=[CONFIRM, EDIT, DISMISS],
                default=DISMISS,
            )
            for each in proposals
        ],
        options=[CONFIRM, DISMISS],
        default=DISMISS,
        data={"promotions": [each.id for each in proposals if each.is_promotion]},
    )


def _capture(proposal: Proposal, reply: ItemReply) -> Capture:
    text = {CONFIRM: proposal.text, EDIT: reply.text}.get(reply.decision)
    return Capture(proposal=proposal, event=EVENTS[reply.decision], text=text)


def _decision(capture: Capture) -> Decision:
    proposal = capture.proposal
    decision = next(word for word, event in EVENTS.items() if event is capture.event)
    data = {
        "scope": proposal.scope.value,
        "class_id": proposal.class_id,
        "reason": proposal.reason,
        "promotion": proposal.is_promotion,
    }
    return Decision(GateKind.MEMORY_CAPTURE, decision, proposal.text, capture.text, data)
