"""The notes of memory files as recall ranks them: each with what it is worth to a question.

`score` is the house's own: relevance 0.5, importance 0.25, recency 0.15, access 0.10.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bottega.assistant.memory_files.files import place_of
from bottega.assistant.memory_files.notes import Note, Priority, notes_of
from bottega.assistant.prompts.memory_capture import Scope as FileScope
from bottega.assistant.tables import MemoryEvent, MemoryFile
from bottega.core.embeddings import Embedder
from bottega.memory.stores import Importance, RecalledItem, Scope

STORE = "memory_files"
#: More than that many notes are not weighed; the newest files go first.
MOST_NOTES = 2_000

IMPORTANCE = {
    Priority.SAFEGUARDING: Importance.HIGH,
    Priority.NEEDS: Importance.HIGH,
    Priority.OTHER: Importance.MEDIUM,
}


@dataclass(frozen=True, slots=True)
class Remembered:
    note: Note
    item: RecalledItem


async def remembered(
    embedder: Embedder,
    query: str,
    rows: Sequence[MemoryFile],
    writes: Sequence[MemoryEvent] = (),
) -> list[Remembered]:
    """`writes` tell when a note was last written; without, its file's time is taken."""
    newest = sorted(rows, key=lambda row: (row.updated_at, row.id), reverse=True)
    found = [(row, note) for row in newest for note in notes_of(row.content)][:MOST_NOTES]
    if not found:
        return []
    relevances = await relevance_of(embedder, query, [note.text for _, note in found])
    moments = await asyncio.to_thread(_moments, found, writes)
    return [
        Remembered(note, _item(row, note, relevance, moment))
        for (row, note), relevance, moment in zip(found, relevances, moments, strict=True)
    ]


async def relevance_of(embedder: Embedder, query: str, texts: Sequence[str]) -> list[float]:
    """How near each text is to the query: cosine, from 0."""
    vectors = await embedder.embed([query, *texts])
    return [max(0.0, round(float(each), 6)) for each in vectors[1:] @ vectors[0]]


def _moments(
    found: Sequence[tuple[MemoryFile, Note]], writes: Sequence[MemoryEvent]
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


def _item(row: MemoryFile, note: Note, relevance: float, moment: datetime) -> RecalledItem:
    return RecalledItem(
        id=f"{row.id}:{note.line}",
        store=STORE,
        content=note.text,
        scope=Scope.CLASS if row.scope == FileScope.CLASS else Scope.PERSONAL,
        owner=row.user_id,
        relevance=relevance,
        importance=IMPORTANCE[note.priority],
        created_at=row.created_at,
        updated_at=moment,
        last_used_at=row.accessed_at,
        use_count=row.access_count,
        evidence=f"{place_of(row)}:L{note.line}",
    )
