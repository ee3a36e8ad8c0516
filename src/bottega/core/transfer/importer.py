"""Rows in. What is known is left as it is, so that a file may be imported twice, or half and then
whole; what was written before a bad line stays."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Table, func, select
from sqlalchemy.exc import StatementError
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.db.database import Database
from bottega.core.db.migrations import head, revisions
from bottega.core.transfer.exporter import FIRST, FORMAT, LAST, carried, decode, tables
from bottega.core.users import User
from bottega.errors import Conflict, InvalidInput, StorageUnavailable, Unavailable

ROWS_AT_ONCE = 500
MOST_REFUSALS_TOLD = 20

Progress = Callable[[int], None]


class Refused(BaseModel):
    """A row that does not fit what is there: its parent is unknown, say."""

    line: int
    kind: str
    reason: str


class Imported(BaseModel):
    imported: int = 0
    #: There already, and left as it was.
    known: int = 0
    #: How many were imported of each kind.
    kinds: dict[str, int] = {}
    refused: int = 0
    #: The first of them.
    refusals: list[Refused] = []
    #: Whose it is here.
    user_id: str | None = None


@dataclass
class Batch:
    table: Table
    names: frozenset[str]
    rows: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    #: Of each row without a key: which of the equal rows in the file it is, from 1.
    places: list[int] = field(default_factory=list)

    def takes(self, table: Table, row: Mapping[str, Any]) -> bool:
        alike = self.table is table and self.names == row.keys()
        return alike and len(self.rows) < ROWS_AT_ONCE


async def import_lines(database: Database, file: Path, *, progress: Progress) -> Imported:
    return await _Import(database, file, progress).run()


class _Import:
    def __init__(self, database: Database, file: Path, progress: Progress) -> None:
        self._database = database
        self._file = file
        self._progress = progress
        self._tables = {table.name: table for table in tables(with_keys=True)}
        self._done = Imported()
        self._renamed: tuple[str, str] | None = None
        #: How often a row without a key of its own stood in the file.
        self._seen: Counter[str] = Counter()

    async def run(self) -> Imported:
        lines = self._lines()
        try:
            await self._open(next(lines, (0, {})))
            batch: Batch | None = None
            try:
                for number, line in lines:
                    if line.get("kind") == LAST:
                        break
                    table, row = self._row(number, line)
                    if batch is None or not batch.takes(table, row):
                        await self._store(batch)
                        batch = Batch(table, frozenset(row))
                    batch.rows.append(row)
                    batch.lines.append(number)
                    batch.places.append(self._place(table, line))
                else:
                    raise self._bad(number, "the file ends here without its last line: it was cut")
            finally:
                await self._store(batch)
        except InvalidInput as error:
            raise InvalidInput(f"{error.message} {self._so_far()}") from None
        return self._done

    def _lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        try:
            with self._file.open("rb") as stream:
                for number, text in enumerate(stream, 1):
                    try:
                        line = json.loads(text)
                    except ValueError:
                        raise self._bad(number, "it is not JSON, or was cut off") from None
                    if not isinstance(line, dict):
                        raise self._bad(number, "it is not a JSON object")
                    yield number, line
        except OSError as error:
            raise InvalidInput(f"{self._file} cannot be read: {error.strerror}.") from error

    async def _open(self, first: tuple[int, dict[str, Any]]) -> None:
        number, line = first
        if line.get("kind") != FIRST:
            raise self._bad(max(number, 1), "this is not what `bottega export` writes")
        if line.get("format") != FORMAT or line.get("revision") not in revisions():
            raise Conflict(
                f"{self._file} was written by a newer Bottega ({line.get('version')}, schema "
                f"{line.get('revision')!r}; this one knows {head()!r}). Upgrade, then import."
            )
        user = line.get("user")
        if user is not None:
            await self._welcome(str(user["id"]), str(user["name"]))

    async def _welcome(self, user_id: str, name: str) -> None:
        """One of the same name is the same person, whatever the id was elsewhere."""
        async with self._database.read() as session:
            here = await session.scalar(select(User.id).where(User.name == name))
        self._done.user_id = here or user_id
        if here is not None and here != user_id:
            self._renamed = user_id, here

    def _row(self, number: int, line: dict[str, Any]) -> tuple[Table, dict[str, Any]]:
        table = self._tables.get(str(line.get("kind")))
        if table is None:
            raise self._bad(number, f"{line.get('kind')!r} is no kind of record")
        try:
            row = decode(table, line["row"])
        except (KeyError, AttributeError):
            raise self._bad(number, "it has no row") from None
        except ValueError as error:
            raise self._bad(number, str(error)) from None
        if self._renamed is not None:
            old, new = self._renamed
            owner = "id" if table.name == "users" else "user_id"
            if row.get(owner) == old:
                row[owner] = new
        return table, row

    async def _store(self, batch: Batch | None) -> None:
        if batch is None or not batch.rows:
            return
        try:
            async with self._database.write() as session:
                count = await self._insert(session, batch.table, batch.rows, batch.places)
            self._count(batch.table, count, len(batch.rows) - count)
        except StatementError:
            await self._store_one_by_one(batch)
        except StorageUnavailable as error:
            raise Unavailable(f"{error.message} {self._so_far()}") from error
        self._progress(batch.lines[-1])
        batch.rows, batch.lines, batch.places = [], [], []

    async def _store_one_by_one(self, batch: Batch) -> None:
        for number, row, place in zip(batch.lines, batch.rows, batch.places, strict=True):
            try:
                async with self._database.write() as session:
                    count = await self._insert(session, batch.table, [row], [place])
            except StatementError as error:
                self._refuse(number, batch.table, error)
            else:
                self._count(batch.table, count, 1 - count)

    async def _insert(
        self,
        session: AsyncSession,
        table: Table,
        rows: Sequence[dict[str, Any]],
        places: Sequence[int],
    ) -> int:
        """How many were new."""
        if not _has_own_key(table):
            rows = [
                row
                for row, place in zip(rows, places, strict=True)
                if await _alike(session, table, row) < place
            ]
        if not rows:
            return 0
        insert = self._database.insert(table)
        statement = insert.on_conflict_do_nothing().returning(*table.primary_key)
        return len((await session.execute(statement, list(rows))).all())

    def _place(self, table: Table, line: Mapping[str, Any]) -> int:
        """Rows that are alike are told apart by counting: the third of them in the file is known
        if the database has three."""
        if _has_own_key(table):
            return 0
        written = json.dumps(line, sort_keys=True)
        self._seen[written] += 1
        return self._seen[written]

    def _count(self, table: Table, imported: int, known: int) -> None:
        self._done.imported += imported
        self._done.known += known
        if imported:
            self._done.kinds[table.name] = self._done.kinds.get(table.name, 0) + imported

    def _refuse(self, number: int, table: Table, error: StatementError) -> None:
        self._done.refused += 1
        if len(self._done.refusals) < MOST_REFUSALS_TOLD:
            reason = str(error.orig or error).strip().splitlines()[0]
            self._done.refusals.append(Refused(line=number, kind=table.name, reason=reason))

    def _bad(self, number: int, reason: str) -> InvalidInput:
        return InvalidInput(f"{self._file}, line {number}: {reason}.")

    def _so_far(self) -> str:
        return (
            f"{self._done.imported} rows were imported and stay, {self._done.known} were known. "
            "Import the whole file again: what is there is left as it is."
        )


async def _alike(session: AsyncSession, table: Table, row: Mapping[str, Any]) -> int:
    same = [table.c[name].is_not_distinct_from(value) for name, value in row.items()]
    return await session.scalar(select(func.count()).select_from(table).where(*same)) or 0


def _has_own_key(table: Table) -> bool:
    """Not only a number that the database gave it."""
    numbered = any(column.autoincrement is True for column in table.primary_key)
    return not numbered or any(column.unique for column in carried(table))
