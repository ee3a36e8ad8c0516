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

from bottega.board.enums import GlobalCategory, ProjectCategory, TaskCategory, Tier
from bottega.board.knowledge import scoring
from bottega.board.knowledge.audience import subjects_in
from bottega.board.knowledge.evidence import Source, added, confirmations
from bottega.board.knowledge.index import KnowledgeIndex, tier_of
from bottega.board.knowledge.items import GlobalItem, NewKnowledge, ProjectItem, Recorded, TaskItem
from bottega.board.knowledge.likeness import says_the_same, similarities
from bottega.board.knowledge.naming import key_of, longer_key_of, title_of
from bottega.board.repository import knowledge as repository
from bottega.board.repository.knowledge import Used
from bottega.board.tables import GlobalKnowledge, ProjectMemory, TaskMemory
from bottega.core import clock
from bottega.core.database import Database
from bottega.core.embeddings import Embedder
from bottega.errors import InvalidInput

CATEGORIES: dict[Tier, type[TaskCategory | ProjectCategory | GlobalCategory]] = {
    Tier.TASK: TaskCategory,
    Tier.PROJECT: ProjectCategory,
    Tier.GLOBAL: GlobalCategory,
}
T = TypeVar("T")


class Recording:
    def __init__(self, database: Database, index: KnowledgeIndex, embedder: Embedder) -> None:
        self._database = database
        self._index = index
        self._embedder = embedder

    async def task(self, new: NewKnowledge) -> Recorded:
        async with self._database.write() as session:
            change = await repository.change(
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
        project_id = needed(new.project_id, "project_id")
        repeated = await self.alike(Tier.PROJECT, new.content, {"project_id": project_id})
        return await again_if_another_was_first(lambda: self._project(new, project_id, repeated))

    async def everywhere(self, new: NewKnowledge) -> Recorded:
        repeated = await self.alike(Tier.GLOBAL, new.content)
        return await again_if_another_was_first(lambda: self._everywhere(new, repeated))

    async def alike(
        self, tier: Tier, content: str, where: dict[str, str] | None = None
    ) -> list[str]:
        """The ids of items that say the same, the nearest first."""
        ids = await self._index.near(tier, content, where=where)
        async with self._database.read() as session:
            rows: Sequence[Used] = (
                await repository.project_rows(session, ids)
                if tier is Tier.PROJECT
                else await repository.global_rows(session, ids)
            )
        texts = [row.content for row in rows]
        scores = await similarities(self._embedder, content, texts)
        near = sorted(zip(scores, rows, strict=True), key=lambda pair: -pair[0])
        return [row.id for score, row in near if says_the_same(content, row.content, score)]

    async def _project(
        self, new: NewKnowledge, project_id: str, repeated: Sequence[str]
    ) -> Recorded:
        replaced = None
        async with self._database.write() as session:
            source = await source_of(session, new)
            key = new.key or key_of(new.content)
            row = await repository.project_memory(session, project_id, new.category, key)
            if row is not None and _only_begins_alike(row, new):
                key = longer_key_of(new.content)
                row = await repository.project_memory(session, project_id, new.category, key)
            if row is not None and row.content != new.content:
                replaced, row.content = row.content, new.content
            known = row or await _first(session, Tier.PROJECT, repeated)
            row = known if isinstance(known, ProjectMemory) else None
            if is_new := row is None:
                row = ProjectMemory(
                    project_id=project_id,
                    category=new.category,
                    key=key,
                    content=new.content,
                    evidence=[source.line()],
                    relevance=new.relevance or scoring.START,
                )
                session.add(row)
            else:
                row.relevance = max(row.relevance, new.relevance or 0)
                await confirm(session, row, source)
        await self._index.put(row)
        item = ProjectItem.model_validate(row)
        return Recorded(item=item, is_new=is_new, replaced=replaced)

    async def _everywhere(self, new: NewKnowledge, repeated: Sequence[str]) -> Recorded:
        async with self._database.write() as session:
            source = await source_of(session, new)
            key = new.key or key_of(new.content)
            row = await repository.global_knowledge(session, key)
            if row is not None and _only_begins_alike(row, new):
                key = longer_key_of(new.content)
                row = await repository.global_knowledge(session, key)
            known = row or await _first(session, Tier.GLOBAL, repeated)
            row = known if isinstance(known, GlobalKnowledge) else None
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
        await self._index.put(row)
        return Recorded(item=GlobalItem.model_validate(row), is_new=is_new)


async def confirm(session: AsyncSession, row: Used, source: Source) -> None:
    """Independent evidence counts once; what was told and is told back is none."""
    if source.project_id is not None and source.change_id is not None:
        given = await repository.use_of(
            session, tier_of(row), row.id, source.project_id, source.change_id
        )
        if given is not None:
            return
    await add_evidence(session, row, [source.line()])


async def add_evidence(session: AsyncSession, row: Used, lines: Sequence[str]) -> None:
    evidence = added(row.evidence, lines)
    for _ in range(len(evidence) - len(row.evidence)):
        if isinstance(row, ProjectMemory):
            row.relevance = scoring.after_confirmation(row.relevance)
        else:
            row.confidence = scoring.after_confirmation(row.confidence)
    row.evidence = evidence
    row.updated_at = clock.now()
    if isinstance(row, GlobalKnowledge):
        helped, failed = await repository.decided(session, Tier.GLOBAL, row.id)
        row.success_rate = scoring.success_rate(helped, failed, confirmations(evidence))


async def source_of(session: AsyncSession, new: NewKnowledge) -> Source:
    """Who says so, checked: a project, change or session that is named must exist."""
    project = await repository.project(session, new.project_id) if new.project_id else None
    if new.change_id is not None:
        await repository.change(session, needed(new.project_id, "project_id"), new.change_id)
    return Source(
        project_id=new.project_id,
        project=project.name if project else None,
        change_id=new.change_id,
        session_id=await _session_of(session, new),
        at=clock.now(),
    )


def check_category(tier: Tier, category: str) -> None:
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


def _only_begins_alike(row: Used, new: NewKnowledge) -> bool:
    """A key that nobody chose says only how a text begins: it must not replace another's."""
    return new.key is None and row.content != new.content


async def _session_of(session: AsyncSession, new: NewKnowledge) -> str | None:
    return await repository.known_session(session, new.session_id) if new.session_id else None


async def _first(session: AsyncSession, tier: Tier, ids: Sequence[str]) -> Used | None:
    for item_id in ids:
        row = await repository.find(session, tier, item_id, for_update=True)
        if isinstance(row, ProjectMemory | GlobalKnowledge):
            return row
    return None


async def again_if_another_was_first(write: Callable[[], Awaitable[T]]) -> T:
    """Two may record one key at the same moment; the second then meets the first's item."""
    try:
        return await write()
    except IntegrityError:
        return await write()
