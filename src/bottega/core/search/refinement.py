"""The finer vectors of texts, made behind the calls that add them.

Static vectors are there at once and are enough to find a new text; those of a model that reads are
better and take a hundred times as long. So each collection has a second one beside it, which is
filled here. What it lacks is what is left to do: a process that is killed leaves nothing behind but
gaps, and the next one fills them. Searches use the finer vectors when none is missing.
"""

import asyncio
import itertools
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from bottega.core.background import cancel
from bottega.core.readers.embedder import Embedder
from bottega.core.search.vector_store import VectorItem, VectorStore
from bottega.errors import BottegaError

if TYPE_CHECKING:
    from bottega.core.search.hybrid import VectorIndex

log = structlog.get_logger()

#: Texts that are read at once: a stop, or a text that somebody waits for, waits for no more.
BATCH = 16
#: So few are worth a search's waiting for them, this many seconds at most.
FEW, PATIENCE = 32, 0.5
#: Seconds for which another process may have added texts unseen.
TRUST = 2.0
RETRY_SECONDS = 5.0
LOOK_BATCH = 500


class Refiner:
    def __init__(self, store: VectorStore, embedder: Embedder) -> None:
        self.store = store
        self.embedder = embedder
        self._indexes: dict[str, FineIndex] = {}
        self._work = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def beside(self, index: "VectorIndex", fine: "VectorIndex") -> "FineIndex":
        """What makes the vectors of one collection; the same for all that share it."""
        known = self._indexes.get(index.collection)
        if known is None:
            known = self._indexes[index.collection] = FineIndex(self, index, fine)
        return known

    def forget(self, collection: str) -> None:
        self._indexes.pop(collection, None)

    @property
    def is_at_work(self) -> bool:
        return self._task is not None

    async def settled(self) -> None:
        """Return when every collection in use has all of its finer vectors."""
        for each in list(self._indexes.values()):
            await each.settled()

    def wake(self) -> None:
        self._work.set()

    async def start(self) -> None:
        self._work.set()
        self._task = asyncio.create_task(self._go(), name="refine vectors")

    async def stop(self) -> None:
        task, self._task = self._task, None
        await cancel(task)

    async def _go(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            try:
                while await self._round():
                    pass
            except BottegaError as error:
                log.warning("vectors.not_refined", why=error.message, again_in=RETRY_SECONDS)
                await asyncio.sleep(RETRY_SECONDS)
                self._work.set()
            except Exception:
                log.exception("vectors.not_refined", again_in=RETRY_SECONDS)
                await asyncio.sleep(RETRY_SECONDS)
                self._work.set()

    async def _round(self) -> bool:
        """A batch of each collection; whether there was any. Those with least to do come first."""
        indexes = sorted(self._indexes.values(), key=lambda each: len(each.waiting))
        return any([await each.refine_some() for each in indexes])


class FineIndex:
    """A collection of static vectors, the finer one beside it, and what that one lacks."""

    def __init__(self, refiner: Refiner, index: "VectorIndex", fine: "VectorIndex") -> None:
        self.fine = fine
        #: Ids, with a number that tells a text which was put again from the one being read.
        self.waiting: dict[str, int] = {}
        self._numbers = itertools.count()
        self._refiner = refiner
        self._index = index
        self._must_look = False
        self._settled = asyncio.Event()
        self._seen_whole_at = 0.0

    def put(self, ids: list[str]) -> None:
        """These are to be read, anew if they were."""
        self.waiting.update((each, next(self._numbers)) for each in ids)
        self._refiner.wake()

    async def settled(self) -> None:
        while self.waiting or self._must_look or not await self._counts_agree():
            await self._next_batch()

    async def _next_batch(self) -> None:
        self._settled.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                await self._settled.wait()

    async def is_whole(self) -> bool:
        """Whether each text has its finer vector; a few that are being read are waited for."""
        if self._must_look or len(self.waiting) > FEW:
            return False
        until = time.monotonic() + PATIENCE
        while self.waiting and self._refiner.is_at_work and time.monotonic() < until:
            await self._next_batch()
        return not self.waiting and await self._counts_agree()

    async def _counts_agree(self) -> bool:
        if time.monotonic() - self._seen_whole_at < TRUST:
            return True
        await self._index.prepare()
        await self.fine.prepare()
        store = self._refiner.store
        held = await store.count(self._index.collection)
        had = await store.count(self.fine.collection)
        if held != had:
            self._must_look = True
            self._refiner.wake()
        else:
            self._seen_whole_at = time.monotonic()
        return held == had

    async def drop(self) -> None:
        self._refiner.forget(self._index.collection)
        await self._refiner.store.drop_collection(self.fine.collection)

    async def refine_some(self) -> bool:
        if self._must_look:
            await self._look()
        batch = dict(itertools.islice(self.waiting.items(), BATCH))
        if not batch:
            return False
        await self._refine(list(batch))
        for each, number in batch.items():
            if self.waiting.get(each) == number:
                del self.waiting[each]
        self._settled.set()
        return True

    async def _look(self) -> None:
        """Find what is missing, or stands for another text; remove what is no longer there."""
        self._must_look = False
        store, last = self._refiner.store, None
        while items := await store.scroll(self._index.collection, after=last, limit=LOOK_BATCH):
            last = items[-1].id
            there = {
                item.id: item.document
                for item in await store.get(self.fine.collection, [item.id for item in items])
            }
            self.put([item.id for item in items if there.get(item.id) != item.document])
        last = None
        while items := await store.scroll(self.fine.collection, after=last, limit=LOOK_BATCH):
            last = items[-1].id
            await self._drop_orphans(items)

    async def _refine(self, ids: list[str]) -> None:
        store = self._refiner.store
        items = await store.get(self._index.collection, ids)
        if not items:
            return
        vectors = await self._refiner.embedder.embed([item.document for item in items])
        refined = [
            VectorItem(item.id, vector, item.document, item.metadata)
            for item, vector in zip(items, vectors, strict=True)
        ]
        await store.upsert(self.fine.collection, refined)
        # One may have been deleted meanwhile; one that was replaced is waiting again.
        await self._drop_orphans(refined)

    async def _drop_orphans(self, items: list[VectorItem]) -> None:
        store, ids = self._refiner.store, [item.id for item in items]
        living = {item.id for item in await store.get(self._index.collection, ids)}
        if gone := [each for each in ids if each not in living]:
            await store.delete(self.fine.collection, ids=gone)
