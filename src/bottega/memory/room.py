"""What memory adds to the house."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import structlog
from fastapi import APIRouter

from bottega.core.database import Database
from bottega.core.embeddings import Embedder
from bottega.core.events import EventBus
from bottega.core.rooms import Room
from bottega.core.traces import Traces
from bottega.core.vectors.store import VectorStore
from bottega.memory.recall import Recall
from bottega.memory.semantic_store import SemanticStore
from bottega.memory.service import SemanticMemories
from bottega.memory.tools import tools
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
    def traces(self) -> Traces: ...


class Memory:
    """What other rooms are given: `memories` to add to and query, `recall` to add a store to."""

    def __init__(self, core: Parts) -> None:
        self._vectors = core.vectors
        self.memories = SemanticMemories(core.database, core.vectors, core.embedder, core.bus)
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
        tools=tools(memory.memories, memory.recall),
        routes=partial(_routes, memory),
        paths=("/memories",),
        start=memory.start,
        stop=memory.stop,
        rebuild=memory.rebuild,
        status=memory.status,
        topics=TOPICS,
    )


def _routes(memory: Memory) -> list[APIRouter]:
    from bottega.memory.routes import router

    return [router(memory.memories, memory.recall)]
