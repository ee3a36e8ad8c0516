"""Writing down what was learned, once.

A task's memory is a log: every line is kept as it comes. A project's memory has one item for a
category and key, and global knowledge one for a key; what says the same under another key is merged
with what is there. Met again, an item gains evidence and, if the source had not been given it,
weight. It does not gain usage: the specification counts a repeated recording as a use, but then
whatever is said often would crowd out what helps, because the most used is handed over first.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes import repository as changes
from bottega.board.knowledge import outcomes, repository
from bottega.board.knowledge.outcomes import EvidenceSource, confirmations
from bottega.board.knowledge.schemas import (
    CATEGORIES,
    BoardTier,
    GlobalItem,
    NewKnowledge,
    ProjectItem,
    Recorded,
    TaskItem,
)
from bottega.board.knowledge.tables import (
    START_WEIGHT,
    GlobalKnowledge,
    ProjectMemory,
    SharedKnowledge,
    TaskMemory,
)
from bottega.board.knowledge.texts import (
    key_of,
    longer_key_of,
    says_the_same,
    similarities,
    subjects_in,
    title_of,
)
from bottega.board.projects import repository as projects
from bottega.core import clock
from bottega.core.db.database import Database
from bottega.core.readers.embedder import Embedder
from bottega.errors import InvalidInput
from bottega.memory.admission import SAME_TEXT, Admission, add_evidence
from bottega.memory.index import MemoryIndex
from bottega.memory.projects import identify

T = TypeVar("T")
Kind = TypeVar("Kind", bound=SharedKnowledge)


class Recorder:
    def __init__(self, database: Database, index: MemoryIndex, embedder: Embedder) -> None:
        self._database = database
        self._index = index
        self._embedder = embedder

    async def task(self, new: NewKnowledge) -> Recorded:
        async with self._database.write() as session:
            change = await changes.get(
                session, needed(new.project_id, "project_id"), needed(new.change_id, "change_id")
            )
            row = TaskMemory(
                project_id=change.project_id,
                change_id=change.id,
                session_id=await _session_of(session, new),
                category=new.category,
                content=new.content,
            )
            session.add(row)
        return Recorded(item=TaskItem.model_validate(row), is_new=True)

    async def project(self, new: NewKnowledge) -> Recorded:
        home = needed(new.project_id, "project_id")
        repeated = await self.alike(ProjectMemory, new.content, project_id=home)
        return await again_if_another_was_first(lambda: self._project(new, home, repeated))

    async def everywhere(self, new: NewKnowledge) -> Recorded:
        repeated = await self.alike(GlobalKnowledge, new.content)
        return await again_if_another_was_first(lambda: self._everywhere(new, repeated))

    async def alike(self, kind: type[Kind], content: str, **place: str) -> list[str]:
        """The ids of items that say the same, those with the same text first, then the nearest."""
        where = [{"kind": kind.store}, *({name: value} for name, value in place.items())]
        near = await self._index.near(
            content, where=where[0] if len(where) == 1 else {"$and": where}
        )
        async with self._database.read() as session:
            same = [row.id for row in await repository.same_text(session, kind, content, **place)]
            rows = await repository.shared(session, kind, near)
        scores = await similarities(self._embedder, content, [row.content for row in rows])
        best = sorted(zip(scores, rows, strict=True), key=lambda pair: -pair[0])
        said = [row.id for score, row in best if says_the_same(content, row.content, score)]
        return list(dict.fromkeys([*same, *said]))

    async def _project(
        self, new: NewKnowledge, project_id: str, repeated: Sequence[str]
    ) -> Recorded:
        replaced = None
        place = {"project_id": project_id, "category": new.category}
        async with self._database.write() as session:
            source = await source_of(session, new)
            key, row = await _by_key(session, ProjectMemory, new, **place)
            if row is not None and row.content != new.content:
                replaced, row.content = row.content, new.content
            row = row or await first_of(session, ProjectMemory, repeated)
            if is_new := row is None:
                row = ProjectMemory(
                    **place,
                    project=await identify((await projects.get(session, project_id)).path),
                    key=key,
                    content=new.content,
                    evidence=[source.line()],
                    relevance=new.relevance or START_WEIGHT,
                )
                session.add(row)
            else:
                row.weight = max(row.weight, new.relevance or 0)
                await confirm(session, row, source)
        await self._index.try_settle("record")
        item = ProjectItem.model_validate(row)
        return _recorded(item, is_new, replaced)

    async def _everywhere(self, new: NewKnowledge, repeated: Sequence[str]) -> Recorded:
        async with self._database.write() as session:
            source = await source_of(session, new)
            key, row = await _by_key(session, GlobalKnowledge, new)
            row = row or await first_of(session, GlobalKnowledge, repeated)
            if is_new := row is None:
                title = new.title or title_of(new.content)
                row = GlobalKnowledge(
                    category=new.category,
                    key=key,
                    title=title,
                    content=new.content,
                    tags=new.tags or sorted(subjects_in([title, new.content])),
                    source_project=source.project_id,
                    source_change=source.change_id,
                    evidence=[source.line()],
                )
                session.add(row)
            else:
                row.tags = list(dict.fromkeys([*row.tags, *new.tags]))
                await confirm(session, row, source)
        await self._index.try_settle("record")
        return _recorded(GlobalItem.model_validate(row), is_new)


def _recorded(
    item: ProjectItem | GlobalItem, is_new: bool, replaced: str | None = None
) -> Recorded:
    if is_new or replaced is not None:
        return Recorded(item=item, is_new=is_new, replaced=replaced)
    return Recorded(item=item, is_new=False, admission=Admission.MERGED, reason=SAME_TEXT)


async def confirm(session: AsyncSession, row: SharedKnowledge, source: EvidenceSource) -> None:
    """Add evidence from a source, unless the item had been handed to that source."""
    row.version += 1
    if source.project_id is not None and source.change_id is not None:
        given = await repository.use_of(
            session, row.tier, row.id, source.project_id, source.change_id
        )
        if given is not None:
            return
    await gain_evidence(session, row, [source.line()])


async def gain_evidence(session: AsyncSession, row: SharedKnowledge, lines: Sequence[str]) -> None:
    evidence = add_evidence(row.evidence, lines, outcomes.source_of)
    for _ in range(len(evidence) - len(row.evidence)):
        row.weight = outcomes.after_confirmation(row.weight)
    row.evidence = evidence
    row.touch()
    if isinstance(row, GlobalKnowledge):
        helped, failed = await repository.decided(session, BoardTier.GLOBAL, row.id)
        row.success_rate = outcomes.success_rate(helped, failed, confirmations(evidence))


async def source_of(session: AsyncSession, new: NewKnowledge) -> EvidenceSource:
    """Who says so, checked: a project, change or session that is named must exist."""
    project = await projects.get(session, new.project_id) if new.project_id else None
    if new.change_id is not None:
        await changes.get(session, needed(new.project_id, "project_id"), new.change_id)
    return EvidenceSource(
        project_id=new.project_id,
        project=project.name if project else None,
        change_id=new.change_id,
        session_id=await _session_of(session, new),
        at=clock.now(),
    )


def check_category(tier: BoardTier, category: str) -> None:
    valid = [each.value for each in CATEGORIES[tier]]
    if category not in valid:
        raise InvalidInput(
            f"{category!r} is no category of the {tier} tier. Use one of {', '.join(valid)}.",
            valid_options=valid,
        )


def needed(value: str | None, name: str) -> str:
    if value is None:
        raise InvalidInput(f"{name} is missing: say where this was learned.")
    return value


async def _by_key(
    session: AsyncSession, kind: type[Kind], new: NewKnowledge, **place: str
) -> tuple[str, Kind | None]:
    """The key that it is known by, and what is known by that already.

    A key that nobody chose says only how a text begins: it must not replace another's.
    """
    key = new.key or key_of(new.content)
    row = await repository.by_key(session, kind, key, **place)
    if row is not None and new.key is None and row.content != new.content:
        key = longer_key_of(new.content)
        row = await repository.by_key(session, kind, key, **place)
    return key, row


async def _session_of(session: AsyncSession, new: NewKnowledge) -> str | None:
    return await repository.known_session(session, new.session_id) if new.session_id else None


async def first_of(session: AsyncSession, kind: type[Kind], ids: Sequence[str]) -> Kind | None:
    """The first that is still there, held."""
    for item_id in ids:
        row = await session.get(kind, item_id, with_for_update=True)
        if row is not None:
            return row
    return None


async def again_if_another_was_first(write: Callable[[], Awaitable[T]]) -> T:
    """Two may record one key at the same moment; the second then meets the first's item."""
    try:
        return await write()
    except IntegrityError:
        return await write()
