"""The recorded steps of runs, which DBOS keeps in tables of its own and never prunes.

They are read when a run goes on after a crash, and by nobody once it has ended.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, bindparam, create_engine, inspect, make_url, text
from sqlalchemy.pool import NullPool

from bottega.core.db.database import give_pages_back

#: Runs in one transaction.
BATCH = 100
#: Beside the run itself, where its steps, its input and its output are. The rest hangs on the run.
PARTS = ("operation_outputs", "workflow_input", "workflow_output", "workflow_status")
ENDED = "('SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')"


class RunSteps:
    def __init__(self, system_database_url: str) -> None:
        url = make_url(system_database_url)
        is_sqlite = url.get_backend_name() == "sqlite"
        self._path = Path(url.database or "") if is_sqlite else None
        self._schema = "" if is_sqlite else "dbos."
        self._engine = create_engine(
            url.set(drivername="sqlite" if is_sqlite else "postgresql+psycopg"),
            poolclass=NullPool,
        )

    async def size(self) -> tuple[int, int]:
        """Runs, and bytes."""
        return await asyncio.to_thread(self._size)

    async def old(self, moment: datetime) -> int:
        """Runs that ended before."""
        return await asyncio.to_thread(self._count, moment)

    async def prune(self, moment: datetime) -> int:
        """Forget the steps of runs that ended before; how many runs."""
        return await asyncio.to_thread(self._prune, moment)

    @contextmanager
    def _connected(self) -> Iterator[Connection | None]:
        """Nothing, where no run was ever started."""
        if self._path is not None and not self._path.exists():
            yield None
            return
        with self._engine.connect() as connection:
            schema = self._schema.rstrip(".") or None
            is_there = inspect(connection).has_table("workflow_status", schema=schema)
            yield connection if is_there else None

    def _size(self) -> tuple[int, int]:
        with self._connected() as connection:
            if connection is None:
                return 0, 0
            rows = connection.scalar(text(f"SELECT count(*) FROM {self._schema}workflow_status"))  # noqa: S608
            if self._path is not None:
                return rows or 0, self._path.stat().st_size
            sizes = text(
                "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
                "WHERE relkind = 'r' AND relnamespace = 'dbos'::regnamespace"
            )
            return rows or 0, int(connection.scalar(sizes) or 0)

    def _count(self, moment: datetime) -> int:
        with self._connected() as connection:
            if connection is None:
                return 0
            query = f"SELECT count(*) {self._old}"
            return connection.scalar(text(query), {"moment": _milliseconds(moment)}) or 0

    def _prune(self, moment: datetime) -> int:
        pruned = 0
        with self._connected() as connection:
            if connection is None:
                return 0
            while gone := self._prune_some(connection, moment):
                pruned += gone
        if pruned and self._path is not None:
            while give_pages_back(self._path):
                pass
        return pruned

    def _prune_some(self, connection: Connection, moment: datetime) -> int:
        query = text(f"SELECT workflow_uuid {self._old} LIMIT {BATCH}")
        ids = list(connection.scalars(query, {"moment": _milliseconds(moment)}))
        for part in PARTS if ids else ():
            delete = f"DELETE FROM {self._schema}{part} WHERE workflow_uuid IN :ids"  # noqa: S608
            connection.execute(text(delete).bindparams(bindparam("ids", ids, expanding=True)))
        connection.commit()
        return len(ids)

    @property
    def _old(self) -> str:
        return (
            f"FROM {self._schema}workflow_status WHERE updated_at < :moment AND status IN {ENDED}"
        )


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)
