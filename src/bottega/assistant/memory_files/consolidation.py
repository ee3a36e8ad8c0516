"""From the short term to the long: which of a session's notes are worth keeping for good.

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

from bottega.assistant.memory_files.files import WRITE
from bottega.assistant.memory_files.notes import Note, notes_of
from bottega.assistant.memory_files.paths import ENTRYPOINT
from bottega.assistant.memory_files.remembered import IMPORTANCE, relevance_of
from bottega.assistant.prompts.memory_capture import is_known
from bottega.assistant.tables import MemoryEvent
from bottega.core.embeddings import Embedder
from bottega.memory.recall import HALF_LIFE
from bottega.memory.recall import IMPORTANCE as IMPORTANCE_POINTS

THRESHOLD = 0.6
#: Of a note that was filed under the class that the session is about.
ABOUT_THE_CLASS = 0.6
MOST_PROMOTIONS = 5

#: A class, or `None` for the person themselves, and a note. What holds for the person holds for
#: every class.
Known = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A short-term note, with where it comes from."""

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
class Subject:
    """What a session is about."""

    request: str
    session_id: str
    class_id: str | None


async def weigh(
    embedder: Embedder,
    subject: Subject,
    writes: Sequence[MemoryEvent],
    known: Sequence[Known],
    now: datetime,
) -> list[Candidate]:
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
    writes: Sequence[MemoryEvent], session_id: str, known: Sequence[Known]
) -> list[tuple[Note, MemoryEvent]]:
    said = list(known)
    found: list[tuple[Note, MemoryEvent]] = []
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
    note: Note,
    event: MemoryEvent,
    relevance: float,
    subject: Subject,
    writes: Sequence[MemoryEvent],
    now: datetime,
) -> Candidate:
    if subject.class_id and event.class_id == subject.class_id:
        relevance = max(relevance, ABOUT_THE_CLASS)
    said = [
        other
        for other in writes
        if other.class_id == event.class_id
        and is_known(note.text, [each.text for each in notes_of(other.final_text or "")])
    ]
    age = max(now - max(each.created_at for each in (*said, event)), timedelta(0))
    return Candidate(
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
