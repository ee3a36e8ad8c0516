"""Experiences and values as stores of recall, beside memories and knowledge."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, func, select
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.clock import new_id
from bottega.core.db.database import Base, Database
from bottega.core.db.write_behind import WriteBehind
from bottega.journal.entries import repository as experiences
from bottega.journal.entries.enums import Axis, Domain, JournalOutcome, JournalTier
from bottega.journal.entries.index import JournalIndex
from bottega.journal.entries.repository import Experience
from bottega.journal.entries.search import similarity
from bottega.journal.values import repository as values
from bottega.journal.values.repository import Value
from bottega.memory.stores import Importance, RecalledItem, RecallQuestion, Scope


class Showing(Base):
    """An experience or value that was shown to somebody."""

    __tablename__ = "journal_showings"
    __table_args__ = (Index("ix_journal_showings_item", "item_id", "shown_at"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    item_id: Mapped[str]
    #: To whom and on which question; recall keeps both to itself.
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    query: Mapped[str | None]
    session_id: Mapped[str | None]
    shown_at: Mapped[datetime]


@dataclass(frozen=True, slots=True)
class Use:
    count: int
    last: datetime | None


NEVER = Use(0, None)


class Showings:
    """Records which experiences and values were shown, when, to whom and for which query.

    Written after the response; it changes no ranking.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._behind: WriteBehind[Showing] = WriteBehind(self._write, name="journal showings")

    async def start(self) -> None:
        await self._behind.start()

    async def stop(self) -> None:
        await self._behind.stop()

    async def flush(self) -> None:
        """Wait until everything noted so far is written."""
        await self._behind.flush()

    def note(
        self,
        item_ids: Iterable[str],
        at: datetime,
        *,
        user_id: str | None = None,
        query: str | None = None,
        session_id: str | None = None,
    ) -> None:
        for item_id in item_ids:
            self._behind.put(
                Showing(
                    id=new_id(),
                    item_id=item_id,
                    user_id=user_id,
                    query=query,
                    session_id=session_id,
                    shown_at=at,
                )
            )

    async def uses(self, item_ids: Sequence[str]) -> dict[str, Use]:
        statement = (
            select(Showing.item_id, func.count(), func.max(Showing.shown_at))
            .where(Showing.item_id.in_(item_ids))
            .group_by(Showing.item_id)
        )
        async with self._database.read() as session:
            return {row[0]: Use(row[1], row[2]) for row in await session.execute(statement)}

    async def _write(self, showings: list[Showing]) -> None:
        async with self._database.write(durable=False) as session:
            for showing in showings:
                await session.merge(showing)


IMPORTANCE = {
    JournalTier.GOLD: Importance.HIGH,
    JournalTier.SILVER: Importance.MEDIUM,
    JournalTier.BRONZE: Importance.LOW,
    JournalTier.ABANDONED: Importance.LOW,
}


class JournalStore:
    scopes: Collection[Scope] = frozenset({Scope.PROJECT})

    def __init__(self, database: Database, index: JournalIndex, showings: Showings) -> None:
        self._database = database
        self._index = index
        self._showings = showings

    def count_use(self, ids: Sequence[str], at: datetime) -> None:
        self._showings.note(ids, at)


class ExperienceStore(JournalStore):
    name = "experiences"

    async def search(self, question: RecallQuestion, limit: int) -> Sequence[RecalledItem]:
        return await self.lessons(question, limit)

    async def lessons(
        self, question: RecallQuestion, limit: int, domain: Domain | None = None
    ) -> list[RecalledItem]:
        """What was learned nearest to the question: entries with a lesson, or that went wrong."""
        teaches = {"$or": [{"has_lesson": True}, {"outcome": JournalOutcome.FALSIFIED.value}]}
        where = visible(question, teaches)
        if domain is not None:
            where["$and"].append({"domain": domain.value})
        hits = await self._index.nearest(Axis.FULL, question.text, limit=limit, where=where)
        nearness = {hit.id: similarity(hit) for hit in hits}
        rows = await self._database.ask(experiences.of_user, question.user_id, list(nearness))
        uses = await self._showings.uses(list(nearness))
        return [self._item(row, nearness[row.id], uses.get(row.id, NEVER)) for row in rows]

    def _item(self, row: Experience, relevance: float, use: Use) -> RecalledItem:
        return RecalledItem(
            id=row.id,
            store=self.name,
            content=lesson_text(row),
            scope=Scope.PROJECT,
            owner=row.user_id,
            relevance=relevance,
            importance=IMPORTANCE[JournalTier(row.confidence_tier)],
            created_at=row.created_at,
            updated_at=row.resolved_at,
            last_used_at=use.last,
            use_count=use.count,
            project=row.project,
            evidence=f"{row.id} {row.outcome_status}, {row.confidence_tier}: {row.outcome_result}",
        )


class ValueStore(JournalStore):
    name = "values"

    async def search(self, question: RecallQuestion, limit: int) -> Sequence[RecalledItem]:
        hits = await self._index.nearest_values(question.text, limit=limit, where=visible(question))
        nearness = {hit.id: similarity(hit) for hit in hits}
        rows = await self._database.ask(values.by_ids, question.user_id, list(nearness))
        uses = await self._showings.uses(list(nearness))
        return [self._item(row, nearness[row.id], uses.get(row.id, NEVER)) for row in rows]

    def _item(self, row: Value, relevance: float, use: Use) -> RecalledItem:
        return RecalledItem(
            id=row.id,
            store=self.name,
            content=row.text,
            scope=Scope.PROJECT,
            owner=row.user_id,
            relevance=relevance,
            importance=Importance.HIGH,
            created_at=row.created_at,
            updated_at=row.created_at,
            last_used_at=use.last,
            use_count=use.count,
            project=row.project,
            evidence=f"{row.cluster_size} experiences ({row.cluster_id}), among them "
            + ", ".join(row.evidence),
        )


def visible(question: RecallQuestion, *more: dict[str, Any]) -> dict[str, Any]:
    """The user's, of the project asked about or, without one, of all."""
    wanted: list[dict[str, Any]] = [{"user_id": question.user_id}, *more]
    if question.project is not None:
        wanted.append({"project": question.project})
    return {"$and": wanted}


def lesson_text(row: Experience) -> str:
    """What an experience teaches, in a few lines."""
    lines = [f"{row.goal} ({row.domain}, {row.strategy}: {row.outcome_status})"]
    if row.root_cause:
        lines.append(
            f"Why it failed ({row.root_cause['category']}): {row.root_cause['description']}"
        )
    if row.lesson:
        lines.append(f"What worked: {row.lesson['what_worked']}")
        if row.lesson["takeaway"]:
            lines.append(f"Takeaway: {row.lesson['takeaway']}")
    return "\n".join(lines)
