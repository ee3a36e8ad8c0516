"""The memory files of a turn's person, as hooks and the prompt use them.

From the short term to the long: which of a session's notes are worth keeping for good.

What an agent notes in topic files while it works is short-term: nobody has looked at it, and no
later session is told of it unasked. At the end of a turn each note is scored,

    0.50 × relevance       to what the session is about
    0.25 × importance      safeguarding and needs high, anything else in the middle
    0.15 × recency         halves in thirty days, as for recall
    0.10 × reinforcement   how often it was noted again, in this session or another

and one that comes to 0.6 is proposed for `MEMORY.md`, with the session and trace that it came from.
It is a proposal: the person decides.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bottega.assistant.loop.turn import Turn
from bottega.assistant.memory_files import repository
from bottega.assistant.memory_files.captures import CaptureEvent
from bottega.assistant.memory_files.notes import MemoryNote, as_item, is_known, notes_of
from bottega.assistant.memory_files.paths import ENTRYPOINT, MEMORY_LINES, MemoryPath, entrypoint_of
from bottega.assistant.memory_files.ranking import (
    IMPORTANCE,
    PROMPT_TOKENS,
    NoteChoice,
    choose,
    recall_notes,
    relevance_of,
    render,
)
from bottega.assistant.memory_files.repository import MemoryEvent
from bottega.assistant.memory_files.service import WRITE, MemoryFiles, access_of, place_of
from bottega.core import clock
from bottega.core.readers.embedder import Embedder
from bottega.core.text.words import estimate_tokens
from bottega.core.traces import SpanKind
from bottega.memory.recall import HALF_LIFE
from bottega.memory.recall import IMPORTANCE as IMPORTANCE_POINTS

THRESHOLD = 0.6
#: Of a note that was filed under the class that the session is about.
ABOUT_THE_CLASS = 0.6
MOST_PROMOTIONS = 5

#: A class, or `None` for the person themselves, and a note. What holds for the person holds for
#: every class.
KnownNote = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class PromotionCandidate:
    """A short-term note with where it comes from, which may have earned a lasting place."""

    text: str
    class_id: str | None
    path: str
    session_id: str | None
    trace_id: str | None
    relevance: float
    importance: float
    recency: float
    #: How often it was noted, the first time not counted.
    repeats: int

    @property
    def score(self) -> float:
        reinforcement = self.repeats / (self.repeats + 1)
        points = 0.5 * self.relevance + 0.25 * self.importance + 0.15 * self.recency
        return round(points + 0.1 * reinforcement, 6)

    @property
    def is_worth_keeping(self) -> bool:
        return self.score >= THRESHOLD

    @property
    def reason(self) -> str:
        often = f", {self.repeats + 1} times" if self.repeats else ""
        return f"Noted while working on this{often} (memory score {self.score:.2f})."


@dataclass(frozen=True, slots=True)
class SessionSubject:
    """What a session is about."""

    request: str
    session_id: str
    class_id: str | None


async def weigh(
    embedder: Embedder,
    subject: SessionSubject,
    writes: Sequence[MemoryEvent],
    known: Sequence[KnownNote],
    now: datetime,
) -> list[PromotionCandidate]:
    """The session's short-term notes, the best first. `writes` are all of the person's, in order;
    `known` is what need not be proposed: remembered already, or turned down."""
    short_term = [event for event in writes if is_short_term(event)]
    found = _first_said(short_term, subject.session_id, known)
    if not found:
        return []
    texts = [note.text for note, _ in found]
    relevances = await relevance_of(embedder, subject.request, texts)
    candidates = [
        _candidate(note, event, relevance, subject, short_term, now)
        for (note, event), relevance in zip(found, relevances, strict=True)
    ]
    return sorted(candidates, key=lambda each: (-each.score, each.text))


def is_short_term(event: MemoryEvent) -> bool:
    """A note in a topic file; whoever wrote it into an index had the person's word."""
    return event.event_type == WRITE and event.path != ENTRYPOINT and bool(event.final_text)


def _first_said(
    writes: Sequence[MemoryEvent], session_id: str, known: Sequence[KnownNote]
) -> list[tuple[MemoryNote, MemoryEvent]]:
    said = list(known)
    found: list[tuple[MemoryNote, MemoryEvent]] = []
    for event in writes:
        if event.session_id != session_id:
            continue
        for note in notes_of(event.final_text or ""):
            here = [text for class_id, text in said if class_id in (None, event.class_id)]
            if not is_known(note.text, here):
                found.append((note, event))
                said.append((event.class_id, note.text))
    return found


def _candidate(
    note: MemoryNote,
    event: MemoryEvent,
    relevance: float,
    subject: SessionSubject,
    writes: Sequence[MemoryEvent],
    now: datetime,
) -> PromotionCandidate:
    if subject.class_id and event.class_id == subject.class_id:
        relevance = max(relevance, ABOUT_THE_CLASS)
    said = [
        other
        for other in writes
        if other.class_id == event.class_id
        and is_known(note.text, [each.text for each in notes_of(other.final_text or "")])
    ]
    age = max(now - max(each.created_at for each in (*said, event)), timedelta(0))
    return PromotionCandidate(
        text=note.text,
        class_id=event.class_id,
        path=event.path,
        session_id=event.session_id,
        trace_id=event.trace_id,
        relevance=min(relevance, 1.0),
        importance=IMPORTANCE_POINTS[IMPORTANCE[note.priority]],
        recency=math.pow(0.5, age / HALF_LIFE),
        repeats=max(0, len(said) - 1),
    )


HOOK, PROMPT = "hook", "prompt"
#: Of a person's writes, how many are looked through for how often a note was made.
MOST_EVENTS = 500


class MemoryNotebook:
    """The memory files of the turn's person: read by hooks and the prompt, added to by hooks."""

    def __init__(self, files: MemoryFiles, *, prompt_tokens: int = PROMPT_TOKENS) -> None:
        self._files = files
        self._prompt_tokens = prompt_tokens

    async def entrypoint(self, turn: Turn, class_id: str | None) -> str:
        """The `MEMORY.md` of a class, or the person's own; empty if there is none."""
        return await self._files.entrypoint(class_id, access_of(turn, HOOK))

    async def add(self, turn: Turn, class_id: str | None, note: str, *, actor: str) -> None:
        """Adds a note, once however often it is asked to; the person has agreed to it."""
        path = str(entrypoint_of(class_id))
        await self._files.write(path, as_item(note), access_of(turn, actor))

    async def for_prompt(self, turn: Turn, class_id: str | None) -> str:
        """The index as far as it is loaded: whole if it is short enough, else the best of it."""
        # Prompts are assembled again after a crash, and were read once.
        access = access_of(turn, PROMPT, key=f"{PROMPT}:{turn.agent.name}")
        text = await self._files.entrypoint(class_id, access)
        loaded = "\n".join(text.splitlines()[:MEMORY_LINES])
        if estimate_tokens(loaded) <= self._prompt_tokens:
            return text
        return await self._choose(turn, entrypoint_of(class_id))

    async def promotions(self, turn: Turn) -> Sequence[PromotionCandidate]:
        """The session's short-term notes that are worth keeping for good, best first."""
        candidates = await self._weigh(turn)
        chosen = [each for each in candidates if each.is_worth_keeping][:MOST_PROMOTIONS]
        with turn.core.traces.span(
            "memory consolidation",
            SpanKind.MEMORY,
            attributes={
                "bottega.memory.promoted": [_told(each) for each in chosen],
                "bottega.memory.left": [_told(each) for each in candidates if each not in chosen],
            },
        ):
            return chosen

    async def _choose(self, turn: Turn, place: MemoryPath) -> str:
        async with turn.core.database.read() as session:
            place = await repository.settle(session, turn.user_id, place)
            row = await repository.find(session, turn.user_id, place)
            writes = await repository.events_of(
                session, turn.user_id, types=[WRITE], limit=MOST_EVENTS
            )
        assert row is not None, "its entrypoint was read a moment ago"
        found = await recall_notes(turn.core.embedder, turn.input, [row], writes)
        loaded = [each for each in found if each.note.line <= MEMORY_LINES]
        choices = choose(loaded, self._prompt_tokens, clock.now())
        self._trace(turn, place, choices)
        return render(choices)

    def _trace(self, turn: Turn, place: MemoryPath, choices: Sequence[NoteChoice]) -> None:
        def told(*, chosen: bool) -> list[str]:
            return [
                f"L{each.recalled.note.line} {each.score:.3f}"
                for each in choices
                if each.is_chosen is chosen
            ]

        with turn.core.traces.span(
            "memory selection",
            SpanKind.MEMORY,
            attributes={
                "bottega.memory.path": str(place),
                "bottega.memory.chosen": told(chosen=True),
                "bottega.memory.left_out": told(chosen=False),
                "bottega.memory.budget": self._prompt_tokens,
            },
        ):
            pass

    async def _weigh(self, turn: Turn) -> list[PromotionCandidate]:
        subject = SessionSubject(turn.input, turn.session_id, turn.class_id)
        async with turn.core.database.read() as session:
            writes = await repository.events_of(
                session, turn.user_id, types=[WRITE], limit=MOST_EVENTS
            )
            dismissed = await repository.events_of(
                session,
                turn.user_id,
                session_id=turn.session_id,
                types=[CaptureEvent.DISMISSED],
            )
            rows = await repository.files_of(session, turn.user_id)
        known = [(event.class_id, event.proposed_text or "") for event in dismissed] + [
            (row.class_id or None, note.text)
            for row in rows
            if place_of(row).is_entrypoint
            for note in notes_of(row.content)
        ]
        return await weigh(turn.core.embedder, subject, writes, known, clock.now())


def _told(candidate: PromotionCandidate) -> str:
    where = f"{candidate.class_id or 'teacher'}/{candidate.path}"
    return f"{where} {candidate.score:.3f}: {candidate.text}"
