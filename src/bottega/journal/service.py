"""The journal as every door gets it: its parts, built on the core and on each other."""

from bottega.core.services import Core
from bottega.journal.clusters import Clusters
from bottega.journal.collector import Collector
from bottega.journal.context import ContextAssembler
from bottega.journal.entries import Entries
from bottega.journal.folder import JournalFolder
from bottega.journal.index import JournalIndex
from bottega.journal.learning import Learning
from bottega.journal.orphans import Orphans
from bottega.journal.persister import Persister
from bottega.journal.premortem import Premortem
from bottega.journal.recalled import ExperienceStore, ValueStore
from bottega.journal.repository import Owner
from bottega.journal.search import ExperienceSearch
from bottega.journal.showings import Showings
from bottega.journal.transfer import Transfer
from bottega.journal.values import Values


class Journal:
    def __init__(self, core: Core) -> None:
        database = core.database
        self.project = str(core.files.root)
        self._folder = JournalFolder(core.files.sandbox)
        collector = Collector(self._folder)
        self.index = index = JournalIndex(database, core.vectors, core.text_index, core.embedder)
        self.clusters = Clusters(database, index)
        values = Values(database, index, self.clusters)
        self._showings = Showings(database)
        #: For recall.
        self.experience_store = ExperienceStore(database, index, self._showings)
        self.value_store = ValueStore(database, index, self._showings)
        #: For the doors.
        self.persister = Persister(database, index, collector, self.project)
        self.entries = Entries(
            database,
            core.bus,
            collector,
            self.persister,
            Premortem(database, index),
            Orphans(collector, core.sessions),
            self.project,
        )
        self.learning = Learning(database, core.bus, self.clusters, values)
        self.finding = ExperienceSearch(database, index)
        self.context = ContextAssembler(self.experience_store, self.value_store, self._showings)
        self.transfer = Transfer(database, self.persister, values)

    def owner(self, user_id: str, project: str | None = None) -> Owner:
        """Whose journal a caller means: their own, here unless they say where."""
        return Owner(user_id, project or self.project)

    async def start(self) -> None:
        await self._showings.start()

    async def stop(self) -> None:
        await self._showings.stop()
        self._folder.close()

    async def flush(self) -> None:
        """Return when what was shown so far is recorded."""
        await self._showings.flush()
