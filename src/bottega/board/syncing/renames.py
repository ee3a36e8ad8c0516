"""A change whose directory was renamed is still that change, with its history and its lease.

Renaming leaves one directory gone and another new with the very same texts; that is how it is told.
"""

from collections.abc import Iterable, Iterator, Mapping

from sqlalchemy import Update, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board import openspec
from bottega.board.changes.lifecycle import note
from bottega.board.enums import Actor
from bottega.board.syncing.context import News
from bottega.board.syncing.texts import hashes_on_disk
from bottega.board.tables import Change, Clarification, ErrorTriage, TestFailure
from bottega.core.database import Base


def find_renames(
    vanished: Iterable[Change], appeared: Mapping[str, openspec.Change]
) -> dict[str, str]:
    """Old id → new id. Where two could be meant, none is."""
    by_content: dict[frozenset[tuple[str, str]], list[str]] = {}
    for row in vanished:
        by_content.setdefault(frozenset(row.synced_hashes.items()), []).append(row.id)
    renames: dict[str, str] = {}
    for new_id, disk in appeared.items():
        content = frozenset(hashes_on_disk(disk).items())
        former = by_content.pop(content, []) if content else []
        if len(former) == 1:
            renames[former[0]] = new_id
    return renames


async def rename(session: AsyncSession, row: Change, new_id: str, news: News) -> Change:
    """The same row under another key, and everything that hangs on it with it."""
    columns = [column.key for column in Change.__table__.columns if column.key != "id"]
    renamed = Change(id=new_id, **{key: getattr(row, key) for key in columns})
    old_id = row.id
    session.add(renamed)
    await session.flush()
    for statement in _references(row, new_id):
        await session.execute(statement)
    await session.delete(row)
    await session.flush()
    await note(session, renamed, Actor.SYSTEM, f"Its directory was renamed from {old_id}.")
    news.add("specs.changed", renamed, files=[], renamed_from=old_id)
    return renamed


def _references(row: Change, new_id: str) -> Iterator[Update]:
    of_changes = [
        table
        for table in Base.metadata.tables.values()
        if any(key.referred_table is Change.__table__ for key in table.foreign_key_constraints)
    ]
    for table in [*of_changes, Base.metadata.tables[Clarification.__tablename__]]:
        of_this = (table.c.project_id == row.project_id) & (table.c.change_id == row.id)
        yield update(table).where(of_this).values(change_id=new_id)
    failures = select(TestFailure.id).where(TestFailure.project_id == row.project_id)
    yield (
        update(ErrorTriage)
        .where(ErrorTriage.change_id == row.id, ErrorTriage.test_failure_id.in_(failures))
        .values(change_id=new_id)
    )
