"""The journal as every door gets it: its domains, and what concerns the whole of it."""

import asyncio
from collections.abc import Sequence

import structlog

from bottega.core.background import cancel
from bottega.core.services import Core
from bottega.journal.calibration.operations import CalibrationReport
from bottega.journal.calibration.service import report
from bottega.journal.clusters.service import Clusters
from bottega.journal.context.service import ContextAssembler
from bottega.journal.context.stores import ExperienceStore, Showings, ValueStore
from bottega.journal.entries import repository
from bottega.journal.entries.folder import JournalFolder
from bottega.journal.entries.index import JournalIndex
from bottega.journal.entries.open_entries import OpenEntries
from bottega.journal.entries.persister import Persister
from bottega.journal.entries.repository import Owner
from bottega.journal.entries.search import Experiences
from bottega.journal.entries.service import Entries
from bottega.journal.operations import (
    ExperienceLine,
    ExportPage,
    Line,
    Synced,
    Transferred,
    ValueLine,
)
from bottega.journal.values import repository as value_repository
from bottega.journal.values.repository import Value
from bottega.journal.values.service import Values

log = structlog.get_logger()


class Journal:
    def __init__(self, core: Core) -> None:
        self._database = database = core.database
        self.project = str(core.files.root)
        self._events = core.bus.log
        self._folder = JournalFolder(core.choices.data_dir, core.files.root)
        open_entries = OpenEntries(self._folder)
        self.index = index = JournalIndex(
            database, core.vectors, core.text_index, core.embedder, core.refiner
        )
        self.clusters = Clusters(database, index)
        self.values = Values(database, core.bus, index, self.clusters)
        self.experiences = Experiences(database, index)
        self.persister = Persister(database, index, open_entries, self.project)
        self.entries = Entries(
            database,
            core.bus,
            open_entries,
            self.persister,
            self.experiences,
            core.sessions,
            self.project,
        )
        self._showings = Showings(database)
        #: For recall.
        self.experience_store = ExperienceStore(database, index, self._showings)
        self.value_store = ValueStore(database, index, self._showings)
        self.context = ContextAssembler(self.experience_store, self.value_store, self._showings)
        self._catching_up: asyncio.Task[None] | None = None

    def owner(self, user_id: str, project: str | None = None) -> Owner:
        """The journal of a user, in this project unless another is named."""
        return Owner(user_id, project or self.project)

    async def start(self) -> None:
        await self._take_over()
        await self._showings.start()

    def catch_up(self) -> None:
        """Store, in the background, what an earlier process resolved but could not store."""
        self._catching_up = asyncio.create_task(self._store_waiting(), name="finish the journal")

    async def stop(self) -> None:
        await cancel(self._catching_up)
        await self._showings.stop()
        self._folder.close()

    async def _take_over(self) -> None:
        """Once for each project: entries that an earlier version left in the project itself.

        Only where this house has worked before: what lies there in a project that it has never
        seen came with that project, and is a stranger's.
        """
        if await self._folder.has_begun():
            return
        if not await self._events.knows(self.project):
            await self._folder.begin()
        elif names := await self._folder.take_over():
            log.info("journal.taken_over", project=self.project, files=names)

    async def flush(self) -> None:
        """Wait until what was shown so far is recorded."""
        await self._showings.flush()

    async def sync(self, user_ids: Sequence[str] | None = None) -> Synced:
        """Store what was resolved but not stored, of these users or of all; restore vectors."""
        failed: dict[str, str] = {}
        stored = await self.persister.store_waiting(user_ids, failed)
        reindexed = await self.index.restore() + await self.values.restore()
        return Synced(stored=stored, failed=failed, reindexed=reindexed)

    async def rebuild(self) -> None:
        """Rebuild the indexes from the rows, and store what waits."""
        await self.index.put_all_texts()
        await self.sync()

    async def calibration(self, owner: Owner) -> CalibrationReport:
        """How well an owner's resolved predictions are calibrated."""
        return await report(self._database, owner)

    async def export(self, owner: Owner, after: str | None, limit: int) -> ExportPage:
        """A page of experiences in order of id, and on the last page every value."""
        async with self._database.read() as session:
            rows = await repository.page(session, owner, after, limit)
            is_last = len(rows) < limit
            values = await value_repository.of_owner(session, owner) if is_last else []
        experiences = [ExperienceLine.of(repository.as_entry(row)) for row in rows]
        return ExportPage(
            lines=[*experiences, *(ValueLine.model_validate(value) for value in values)],
            next=None if is_last else rows[-1].id,
        )

    async def import_(self, owner: Owner, lines: Sequence[Line]) -> Transferred:
        """Add the lines with unknown ids."""
        entries = [line.entry() for line in lines if isinstance(line, ExperienceLine)]
        imported = await self.persister.add(owner, entries)
        for line in lines:
            if isinstance(line, ValueLine) and not await self._has_value(line.id):
                fields = line.model_dump(exclude={"kind"})
                await self.values.add(Value(user_id=owner.user_id, project=owner.project, **fields))
                imported += 1
        return Transferred(imported=imported, skipped=len(lines) - imported)

    async def _has_value(self, value_id: str) -> bool:
        async with self._database.read() as session:
            return await session.get(Value, value_id) is not None

    async def _store_waiting(self) -> None:
        try:
            stored = await self.persister.store_waiting()
        except Exception:
            # What is left stays in its files, for the next start or `bottega journal sync`.
            log.exception("journal.sync_failed")
        else:
            if stored:
                log.info("journal.caught_up", count=stored)
