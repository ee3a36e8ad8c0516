"""The notes of memory files, ranked: for recall, and for a prompt without room for all of them.

A note counts by relevance (0.5), importance (0.25), recency (0.15) and access (0.10). In a
prompt constraints come first (safeguarding, then needs), then whatever ranks highest; a note that
does not fit is passed over for smaller ones, and chosen notes keep the order of their file. The
same notes at the same time are always chosen.
"""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.memory_files import repository
from bottega.assistant.memory_files.notes import MemoryNote, Priority, notes_of
from bottega.assistant.memory_files.paths import NoteScope
from bottega.assistant.memory_files.repository import MemoryEvent, MemoryFile
from bottega.assistant.memory_files.service import place_of
from bottega.core.db.database import Database
from bottega.core.readers.embedder import Embedder
from bottega.core.text.words import estimate_tokens
from bottega.memory.counting import CountingStore
from bottega.memory.recall import IMPORTANCE as WEIGHT
from bottega.memory.recall import recency
from bottega.memory.stores import Importance, RecalledItem, RecallQuestion, Scope

STORE = "memory_files"
#: More than that many notes are not weighed; the newest files go first.
MOST_NOTES = 2_000

IMPORTANCE = {
    Priority.SAFEGUARDING: Importance.HIGH,
    Priority.NEEDS: Importance.HIGH,
    Priority.OTHER: Importance.MEDIUM,
}
#: Accesses after which a note has half of what they can give.
ACCESSES_FOR_HALF = 5
#: Of each index.
PROMPT_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class RecalledNote:
    note: MemoryNote
    item: RecalledItem


async def recall_notes(
    embedder: Embedder,
    query: str,
    rows: Sequence[MemoryFile],
    writes: Sequence[MemoryEvent] = (),
) -> list[RecalledNote]:
    """`writes` tell when a note was last written; without, its file's time is taken."""
    newest = sorted(rows, key=lambda row: (row.updated_at, row.id), reverse=True)
    found = [(row, note) for row in newest for note in notes_of(row.content)][:MOST_NOTES]
    if not found:
        return []
    relevances = await relevance_of(embedder, query, [note.text for _, note in found])
    moments = await asyncio.to_thread(_moments, found, writes)
    return [
        RecalledNote(note, _item(row, note, relevance, moment))
        for (row, note), relevance, moment in zip(found, relevances, moments, strict=True)
    ]


async def relevance_of(embedder: Embedder, query: str, texts: Sequence[str]) -> list[float]:
    """How near each text is to the query: cosine, from 0."""
    vectors = await embedder.embed([query, *texts])
    return [max(0.0, round(float(each), 6)) for each in vectors[1:] @ vectors[0]]


def _moments(
    found: Sequence[tuple[MemoryFile, MemoryNote]], writes: Sequence[MemoryEvent]
) -> list[datetime]:
    said = [
        (event.memory_file_id, " ".join((event.final_text or "").split()), event.created_at)
        for event in writes
    ]
    return [
        max(
            (at for file_id, text, at in said if file_id == row.id and note.text in text),
            default=row.updated_at,
        )
        for row, note in found
    ]


def _item(row: MemoryFile, note: MemoryNote, relevance: float, moment: datetime) -> RecalledItem:
    return RecalledItem(
        id=f"{row.id}:{note.line}",
        store=STORE,
        content=note.text,
        scope=Scope.CLASS if row.scope == NoteScope.CLASS else Scope.PERSONAL,
        owner=row.user_id,
        relevance=relevance,
        importance=IMPORTANCE[note.priority],
        created_at=row.created_at,
        updated_at=moment,
        last_used_at=row.accessed_at,
        use_count=row.access_count,
        evidence=f"{place_of(row)}:L{note.line}",
    )


@dataclass(frozen=True, slots=True)
class NoteChoice:
    recalled: RecalledNote
    score: float
    is_chosen: bool


def choose(notes: Iterable[RecalledNote], budget: int, now: datetime) -> list[NoteChoice]:
    """Every note with its score, best first."""
    left, choices = budget, []
    for each, points in ranked(notes, now):
        cost = estimate_tokens(f"## {each.note.heading}\n- {each.note.text}\n")
        choices.append(NoteChoice(each, points, cost <= left))
        left -= cost if cost <= left else 0
    return choices


def ranked(notes: Iterable[RecalledNote], now: datetime) -> list[tuple[RecalledNote, float]]:
    scored = [(each, _score(each.item, now)) for each in notes]
    return sorted(scored, key=lambda pair: (pair[0].note.priority, -pair[1], pair[0].note.line))


def render(choices: Sequence[NoteChoice]) -> str:
    """The chosen notes under their headings, in the order of the file."""
    kept = sorted(
        (each.recalled.note for each in choices if each.is_chosen), key=lambda note: note.line
    )
    lines = list(_lines(kept))
    left_out = len(choices) - len(kept)
    if left_out:
        lines.append(f"(No room for {left_out} of {len(choices)} notes; read_memory has them.)")
    return "\n".join(lines)


def _lines(notes: Iterable[MemoryNote]) -> Iterator[str]:
    heading = ""
    for note in notes:
        if note.heading != heading:
            heading = note.heading
            yield f"## {heading}"
        yield f"- {note.text}"


def _score(item: RecalledItem, now: datetime) -> float:
    return (
        0.50 * min(item.relevance, 1.0)
        + 0.25 * WEIGHT[item.importance]
        + 0.15 * recency(item, now)
        + 0.10 * item.use_count / (item.use_count + ACCESSES_FOR_HALF)
    )


class MemoryFileStore(CountingStore):
    name = STORE
    scopes: Collection[Scope] = frozenset({Scope.PERSONAL, Scope.CLASS})

    def __init__(self, database: Database, embedder: Embedder) -> None:
        super().__init__(database, "memory file uses")
        self._embedder = embedder

    async def search(self, question: RecallQuestion, limit: int) -> Sequence[RecalledItem]:
        rows = await self._database.ask(repository.files_of, question.user_id)
        found = await recall_notes(self._embedder, question.text, rows)
        items = [each.item for each in found if each.item.scope in question.scopes]
        return sorted(items, key=lambda item: (-item.relevance, item.id))[:limit]

    def count_use(self, ids: Sequence[str], at: datetime) -> None:
        # A note's id is its file's and its line.
        super().count_use([note_id.rsplit(":", 1)[0] for note_id in ids], at)

    async def _count(self, session: AsyncSession, times: Mapping[str, int], last: datetime) -> None:
        await repository.count_uses(session, times, last)
