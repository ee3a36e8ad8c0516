"""Proposes what to remember of a finished piece of work; the person decides about each.

    what they revised, corrected, answered ─┐
    short-term notes worth keeping ─────────┴─→ proposals ─→ confirm, edit or dismiss each
                                                 ─→ a likely name? asked about ─→ remembered

Nothing is remembered that the person has not said yes to: Enter remembers nothing.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.assistant.drafts.sections import split_sections
from bottega.assistant.hooks.surroundings import HookDependencies, ask_fast
from bottega.assistant.loop.hooks import Hook
from bottega.assistant.loop.turn import Turn, record, uses_memory
from bottega.assistant.memory_files.captures import (
    Capture,
    CaptureEvent,
    CaptureProposal,
    check_names,
    put_events,
)
from bottega.assistant.memory_files.notes import is_known
from bottega.assistant.memory_files.paths import NoteScope
from bottega.assistant.workspace.texts import statements
from bottega.conversation.gates import Gate, GateDecision, GateItem, GateKind, ItemReply
from bottega.conversation.replies import settle_items
from bottega.core.llm.tasks import Task, Tier
from bottega.core.traces import SpanKind

MOST_PROPOSALS = 5
#: Characters of a section before and after: what changed is mostly said by the request.
LONGEST_SECTION = 1_500

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")

#: How somebody likes things written, whomever it is for.
_MANNER = re.compile(
    r"\b(?:bullets?|colours?|concise|detailed|dialect|(?:in)?formal|format|headings?|jargon|language"
    r"|layout|register|spelling|style|tables?|template|tone|voice|wording|worksheets?)\b",
    re.IGNORECASE,
)
_MINUTES = re.compile(r"(\d{1,3})\s*(?:-\s*)?min(?:ute)?s?\b", re.IGNORECASE)


class MemoryProposal(BaseModel):
    scope: NoteScope
    text: str
    reason: str = Field(description="what the person did that led to it")


class MemoryProposals(BaseModel):
    proposals: list[MemoryProposal]


@dataclass(frozen=True, slots=True)
class Correction:
    """Something that the person put right."""

    text: str
    #: The section; `None` is the whole, or what was assumed before the draft.
    section: str | None = None
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class CaptureInput:
    request: str
    class_id: str | None
    changes: Sequence[Correction] = field(default=())
    #: What they answered when they were asked to reflect.
    answers: Sequence[str] = field(default=())
    #: What is remembered so far.
    known: Sequence[str] = field(default=())


def prompt(asked: CaptureInput) -> str:
    return json.dumps(
        {
            "request": asked.request,
            "class": asked.class_id,
            "changes": [
                {
                    "asked_for": change.text,
                    "section": change.section,
                    "before": change.before[:LONGEST_SECTION],
                    "after": change.after[:LONGEST_SECTION],
                }
                for change in asked.changes
            ],
            "answers": list(asked.answers),
            "known_already": list(asked.known),
        },
        ensure_ascii=False,
    )


def offline(asked: CaptureInput) -> MemoryProposals:
    """Every change in the person's own words; answers need a reader who understands them."""
    proposals: list[MemoryProposal] = []
    for proposal in _proposals(asked):
        if not is_known(proposal.text, [*asked.known, *(each.text for each in proposals)]):
            proposals.append(proposal)
    return MemoryProposals(proposals=proposals[:MOST_PROPOSALS])


def _proposals(asked: CaptureInput) -> Iterator[MemoryProposal]:
    for change in asked.changes:
        text = _lesson(change)
        yield MemoryProposal(
            scope=_scope(text, asked.class_id),
            text=text,
            reason=f"You asked for this in “{change.section}”."
            if change.section
            else "You said so while we worked on this.",
        )


def _lesson(change: Correction) -> str:
    said = " ".join(change.text.split()).rstrip(" .")
    if change.section is None:
        return f"{said[:1].upper()}{said[1:]}."
    before, after = _MINUTES.search(change.before), _MINUTES.search(change.after)
    if before and after and before[1] != after[1]:
        return f"{change.section}: {after[1]} minutes rather than {before[1]} ({said})."
    return f"{change.section}: {said}."


def _scope(text: str, class_id: str | None) -> NoteScope:
    return NoteScope.TEACHER if class_id is None or _MANNER.search(text) else NoteScope.CLASS


memory_capture = Task("memory_capture", Tier.FAST, INSTRUCTIONS, prompt, MemoryProposals, offline)


def changes_in(turn: Turn) -> list[Correction]:
    """Corrections of what was assumed, and requests to revise with what became of the section."""
    output = split_sections(turn.output)
    after = {section.title: section.text for section in output.sections}
    changes: list[Correction] = []
    for decision in turn.decisions:
        kind, word, text = decision["kind"], decision["decision"], decision["text"]
        if kind == GateKind.FEEDFORWARD and word == "modify":
            changes.append(Correction(text))
        elif kind == GateKind.ADJUDICATION and word == "revise":
            section = decision["item"]
            before = decision["data"].get("before", "")
            now = after.get(section, "") if section else turn.output
            changes.append(Correction(text, section, before, now))
    return changes


def answers_in(turn: Turn) -> list[str]:
    """What they thought of the draft, each with its question."""
    return [
        f"{decision['item']} {decision['text']}" if decision["item"] else decision["text"]
        for decision in turn.decisions
        if decision["kind"] == GateKind.REFLECTION and decision["text"]
    ]


CONFIRM, EDIT, DISMISS = "confirm", "edit", "dismiss"
EVENTS = {
    CONFIRM: CaptureEvent.CONFIRMED,
    EDIT: CaptureEvent.EDITED,
    DISMISS: CaptureEvent.DISMISSED,
}


class MemoryCapture(Hook):
    name = "memory-capture"

    def __init__(self, parts: HookDependencies) -> None:
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

    async def _propose(self, turn: Turn) -> list[CaptureProposal]:
        known = await self._known(turn)
        proposals = [*await self._lessons(turn, known), *await self._promotions(turn, known)]
        await self._tell(turn, [(_proposed(each), each, None) for each in proposals])
        return proposals

    async def _known(self, turn: Turn) -> list[str]:
        notes = await self._parts.notebook.entrypoint(turn, None)
        if turn.class_id is not None:
            notes += "\n" + await self._parts.notebook.entrypoint(turn, turn.class_id)
        return [each.text for each in statements(notes)]

    async def _lessons(self, turn: Turn, known: Sequence[str]) -> list[CaptureProposal]:
        """From what the person put right and answered."""
        asked = CaptureInput(turn.input, turn.class_id, changes_in(turn), answers_in(turn), known)
        if not asked.changes and not asked.answers:
            return []
        answer = await ask_fast(turn, memory_capture, asked)
        return [
            CaptureProposal(
                id=f"p{number}",
                text=each.text.strip(),
                reason=each.reason.strip(),
                class_id=turn.class_id if each.scope is NoteScope.CLASS else None,
            )
            for number, each in enumerate(answer.output.proposals[:MOST_PROPOSALS], 1)
            if each.text.strip() and not is_known(each.text, known)
        ]

    async def _promotions(self, turn: Turn, known: Sequence[str]) -> list[CaptureProposal]:
        """From the session's own notes."""
        return [
            CaptureProposal(
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
        self, turn: Turn, events: Sequence[tuple[CaptureEvent, CaptureProposal, str | None]]
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


def _proposed(proposal: CaptureProposal) -> CaptureEvent:
    return CaptureEvent.PROMOTION if proposal.is_promotion else CaptureEvent.PROPOSED


def _gate(proposals: Sequence[CaptureProposal]) -> Gate:
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


def _capture(proposal: CaptureProposal, reply: ItemReply) -> Capture:
    text = {CONFIRM: proposal.text, EDIT: reply.text}.get(reply.decision)
    return Capture(proposal=proposal, event=EVENTS[reply.decision], text=text)


def _decision(capture: Capture) -> GateDecision:
    proposal = capture.proposal
    decision = next(word for word, event in EVENTS.items() if event is capture.event)
    data = {
        "scope": proposal.scope.value,
        "class_id": proposal.class_id,
        "reason": proposal.reason,
        "promotion": proposal.is_promotion,
    }
    return GateDecision(GateKind.MEMORY_CAPTURE, decision, proposal.text, capture.text, data)
