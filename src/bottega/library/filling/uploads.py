"""Files that came over the wire wait in the database until an ingest has taken them: its run may
be another machine's. They are kept under the id of that run."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import delete, func, insert, select

from bottega.core import clock
from bottega.core.database import Database
from bottega.core.runs import Runs
from bottega.errors import NotFound, TooLarge
from bottega.library.filling.sources import Read, SourceFile
from bottega.library.reading import LARGEST_FILE
from bottega.library.tables import LibraryUpload

#: After that long without a run, none will come: a crash came between.
ABANDONED = timedelta(hours=1)


class Uploads:
    def __init__(self, database: Database, runs: Runs) -> None:
        self._database = database
        self._runs = runs

    async def keep(self, library_id: str, run_id: str, files: Sequence[tuple[str, bytes]]) -> None:
        """Pairs of name and content."""
        async with self._database.write() as session:
            # One after the other: together they may be larger than a statement can be.
            for name, content in files:
                row = {"batch": run_id, "name": name, "library_id": library_id, "content": content}
                await session.execute(insert(LibraryUpload).values(row))

    async def files(self, run_id: str) -> list[SourceFile]:
        query = (
            select(LibraryUpload.name, func.length(LibraryUpload.content))
            .where(LibraryUpload.batch == run_id)
            .order_by(LibraryUpload.name)
        )
        async with self._database.read() as session:
            rows = await session.execute(query)
            return [SourceFile(path=name, size=size) for name, size in rows]

    def reader(self, run_id: str) -> Read:
        async def read(file: SourceFile) -> bytes:
            if file.size > LARGEST_FILE:
                raise TooLarge(
                    f"{file.path!r} has {file.size:,} bytes; {LARGEST_FILE:,} is the most."
                )
            async with self._database.read() as session:
                found = await session.get(LibraryUpload, (run_id, file.path))
            if found is None:
                raise NotFound(f"The upload of {file.path!r} is gone. Send it again.")
            return found.content

        return read

    async def forget(self, run_id: str) -> None:
        async with self._database.write() as session:
            await session.execute(delete(LibraryUpload).where(LibraryUpload.batch == run_id))

    async def forget_left_over(self, library_id: str) -> None:
        """Those of runs that were cancelled, or that a crash kept from being started."""
        query = (
            select(LibraryUpload.batch, func.max(LibraryUpload.created_at))
            .where(LibraryUpload.library_id == library_id)
            .group_by(LibraryUpload.batch)
        )
        async with self._database.read() as session:
            kept = (await session.execute(query)).all()
        for run_id, since in kept:
            try:
                is_left_over = (await self._runs.get(run_id)).status.is_final
            except NotFound:
                is_left_over = since < clock.now() - ABANDONED
            if is_left_over:
                await self.forget(run_id)
