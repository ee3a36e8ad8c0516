"""What the journal adds to the house."""

import asyncio
from contextlib import suppress
from functools import partial

import structlog
from fastapi import APIRouter

from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.journal.mcp_prompts import RETRO
from bottega.journal.service import Journal
from bottega.journal.tools import tools
from bottega.journal.topics import TOPICS
from bottega.memory.room import Memory

log = structlog.get_logger()


class Upkeep:
    """Behind the open door: finish what an earlier run resolved but could not store."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._work: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self._journal.start()
        self._work = asyncio.create_task(self._finish(), name="finish the journal")

    async def stop(self) -> None:
        if self._work is not None:
            self._work.cancel()
            with suppress(asyncio.CancelledError):
                await self._work
        await self._journal.stop()

    async def rebuild(self) -> None:
        await self._journal.index.put_all_texts()
        await self._journal.persister.sync()

    async def _finish(self) -> None:
        try:
            stored = await self._journal.persister.store_waiting()
        except Exception:
            # What is left stays in its files, for the next start or `bottega journal sync`.
            log.exception("journal.sync_failed")
        else:
            if stored:
                log.info("journal.caught_up", count=stored)


def build(core: Core, memory: Memory) -> Room:
    journal = Journal(core)
    memory.recall.add_store(journal.experience_store)
    memory.recall.add_store(journal.value_store)
    upkeep = Upkeep(journal)
    return Room(
        name="journal",
        tools=tools(journal),
        prompts=[RETRO],
        routes=partial(_routes, journal),
        paths=("/journal",),
        start=upkeep.start,
        stop=upkeep.stop,
        rebuild=upkeep.rebuild,
        topics=TOPICS,
    )


def _routes(journal: Journal) -> list[APIRouter]:
    from bottega.journal.routes import router

    return [router(journal)]
