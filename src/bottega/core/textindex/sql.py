"""What both text indexes share: transactions and the table of documents."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy import delete, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.database import Database
from bottega.core.textindex.index import TextDocument
from bottega.core.textindex.tables import IndexedText, TextCollection

Key = TypeVar("Key")

#: Values in one `IN (…)`: under every SQLite's limit of variables.
AT_ONCE = 500


class SqlTextIndex:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def drop(self, collection: str, *, session: AsyncSession | None = None) -> None:
        async with self._writing(session) as open_session:
            await open_session.execute(
                delete(TextCollection).where(TextCollection.name == collection)
            )

    async def count(self, collection: str, *, session: AsyncSession | None = None) -> int:
        statement = (
            select(func.count())
            .select_from(IndexedText)
            .join(TextCollection, TextCollection.id == IndexedText.collection_id)
            .where(TextCollection.name == collection)
        )
        async with self._reading(session) as open_session:
            return await open_session.scalar(statement) or 0

    @asynccontextmanager
    async def _reading(self, session: AsyncSession | None) -> AsyncIterator[AsyncSession]:
        if session is not None:
            yield session
            return
        async with self._database.read() as own:
            yield own

    @asynccontextmanager
    async def _writing(self, session: AsyncSession | None) -> AsyncIterator[AsyncSession]:
        if session is not None:
            yield session
            return
        async with self._database.write() as own:
            yield own

    async def _make(self, session: AsyncSession, collection: str) -> int:
        """The number of a collection, which exists from now on."""
        await session.execute(
            self._insert(TextCollection).values(name=collection).on_conflict_do_nothing()
        )
        number = await find(session, collection)
        assert number is not None
        return number

    async def _register(
        self, session: AsyncSession, number: int, documents: Sequence[TextDocument]
    ) -> dict[str, int]:
        """Note the documents, new and known, and give the key of each."""
        rows = {
            document.id: {
                "collection_id": number,
                "id": document.id,
                "metadata": dict(document.metadata),
            }
            for document in documents
        }
        if rows:
            statement = self._insert(IndexedText.__table__)
            changed = {"metadata": statement.excluded["metadata"]}
            await session.execute(
                statement.on_conflict_do_update(
                    index_elements=["collection_id", "id"], set_=changed
                ),
                list(rows.values()),
            )
        return await self._keys(session, number, list(rows))

    async def _keys(self, session: AsyncSession, number: int, ids: Sequence[str]) -> dict[str, int]:
        keys: dict[str, int] = {}
        for some in batches(ids):
            found = await session.execute(
                select(IndexedText.id, IndexedText.key).where(
                    IndexedText.collection_id == number, IndexedText.id.in_(some)
                )
            )
            keys.update((item_id, key) for item_id, key in found)
        return keys

    def _insert(self, table: Any) -> Any:
        # `ON CONFLICT` is the same on both, but each dialect has its own construct for it.
        dialect: Any = sqlite if self._database.dialect == "sqlite" else postgresql
        return dialect.insert(table)


async def find(session: AsyncSession, collection: str) -> int | None:
    return await session.scalar(select(TextCollection.id).where(TextCollection.name == collection))


def batches(values: Sequence[Key]) -> list[Sequence[Key]]:
    return [values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE)]
