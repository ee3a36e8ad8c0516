"""What memory adds to the house."""

import asyncio
from contextlib import suppress
from typing import Any, Protocol

import structlog

from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.operations import Bound, operations_of
from bottega.core.readers.embedder import Embedder
from bottega.core.rooms import Room
from bottega.core.search.refinement import Refiner
from bottega.core.search.text_index import TextIndex
from bottega.core.search.vector_store import VectorStore
from bottega.core.traces import Traces
from bottega.memory import operations
from bottega.memory.index import MemoryIndex
from bottega.memory.recall import Recall
from bottega.memory.semantic_store import SemanticStore
from bottega.memory.service import SemanticMemories
from bottega.memory.topics import TOPICS

log = structlog.get_logger()


class Parts(Protocol):
    """Of the `Core`, what memory stands on."""

    @property
    def database(self) -> Database: ...

    @property
    def bus(self) -> EventBus: ...

    @property
    def vectors(self) -> VectorStore: ...

    @property
    def embedder(self) -> Embedder: ...

    @property
    def text_index(self) -> TextIndex: ...

    @property
    def refiner(self) -> Refiner | None: ...

    @property
    def traces(self) -> Traces: ...


class Memory:
    """What other rooms are given: `memories` to add to and query, `recall` to add a store to."""

    def __init__(self, core: Parts) -> None:
        self._vectors = core.vectors
        index = MemoryIndex(
            core.database, core.text_index, core.vectors, core.embedder, core.refiner
        )
        self.memories = SemanticMemories(core.database, index, core.bus)
        self.store = SemanticStore(self.memories, core.database)
        self.recall = Recall(core.traces)
        self.recall.add_store(self.store)
        self._opening: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self.store.start()
        # Behind the open door: a Chroma server that is slow to refuse must not hold up the start.
        self._opening = asyncio.create_task(self._open(), name="open memories")

    async def stop(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
            with suppress(asyncio.CancelledError):
                await self._opening
        await self.store.stop()

    async def opened(self) -> None:
        """Return when the work behind the start is done."""
        if self._opening is not None:
            await self._opening

    async def rebuild(self) -> None:
        await self.opened()
        await self.memories.start()

    def status(self) -> dict[str, Any]:
        return {"vectors": self._vectors.kind, "available": self._vectors.available}

    async def _open(self) -> None:
        try:
            await self.memories.start()
        except Exception:
            # Every call opens what is not open: this one was only early.
            log.exception("memory.open_failed")


def build(core: Parts, memory: Memory | None = None) -> Room:
    """The room, around a `Memory` that others share or around one of its own."""
    memory = memory or Memory(core)
    return Room(
        name="memory",
        operations=[Bound(memory, operations_of(operations))],
        paths=("/memories",),
        start=memory.start,
        stop=memory.stop,
        rebuild=memory.rebuild,
        status=memory.status,
        topics=TOPICS,
    )
