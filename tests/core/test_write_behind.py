"""Writing behind: nothing waits, nothing is lost quietly."""

import asyncio

from structlog.testing import capture_logs

from bottega.core.db.write_behind import WriteBehind
from bottega.errors import Unavailable


class Store:
    """Takes batches; fails as told."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.failures: list[Exception] = []
        self.refused: set[int] = set()
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked = asyncio.Event()

    async def write(self, batch: list[int]) -> None:
        self.asked.set()
        await self.gate.wait()
        if self.failures:
            raise self.failures.pop(0)
        if self.refused.intersection(batch):
            raise ValueError(f"cannot take {batch}")
        self.batches.append(batch)

    @property
    def items(self) -> list[int]:
        return [item for batch in self.batches for item in batch]


async def test_an_item_is_written_at_once_and_what_comes_meanwhile_as_one_batch() -> None:
    store = Store()
    store.gate.clear()
    writer = WriteBehind(store.write)
    await writer.start()
    writer.put(0)
    await store.asked.wait()
    for item in range(1, 100):
        writer.put(item)
    store.gate.set()
    await writer.flush()
    assert store.batches == [[0], list(range(1, 100))]
    await writer.stop()


async def test_a_batch_has_at_most_max_batch_items_and_order_is_kept() -> None:
    store = Store()
    writer = WriteBehind(store.write, max_batch=10)
    for item in range(35):
        writer.put(item)
    await writer.start()
    await writer.flush()
    await writer.stop()
    assert [len(batch) for batch in store.batches] == [10, 10, 10, 5]
    assert store.items == list(range(35))


async def test_items_from_many_threads_all_arrive() -> None:
    store = Store()
    writer = WriteBehind(store.write)
    await writer.start()

    def put_many(start: int) -> None:
        for item in range(start, start + 500):
            writer.put(item)

    await asyncio.gather(*(asyncio.to_thread(put_many, n * 500) for n in range(4)))
    await writer.stop()
    assert sorted(store.items) == list(range(2_000))


async def test_a_database_that_is_away_is_asked_again_until_it_answers() -> None:
    store = Store()
    store.failures = [Unavailable("away"), OSError("still away")]
    writer = WriteBehind(store.write, retry_pauses=(0.0,))
    writer.put(1)
    writer.put(2)
    with capture_logs() as logs:
        await writer.flush()
    assert store.items == [1, 2]
    assert [line["event"] for line in logs] == ["write_behind.retry"] * 2
    assert writer.lost == 0


async def test_an_item_that_is_refused_costs_only_itself_and_is_in_the_log() -> None:
    store = Store()
    store.refused = {3}
    writer = WriteBehind(store.write)
    for item in range(6):
        writer.put(item)
    with capture_logs() as logs:
        await writer.flush()
    assert store.items == [0, 1, 2, 4, 5]
    assert writer.lost == 1
    assert "cannot take [3]" in logs[0]["reason"]


async def test_when_too_many_wait_the_oldest_go_and_are_counted() -> None:
    store = Store()
    writer = WriteBehind(store.write, max_pending=5)
    for item in range(12):
        writer.put(item)
    assert (writer.pending, writer.lost) == (5, 7)
    await writer.flush()
    assert store.items == [7, 8, 9, 10, 11]


async def test_stopping_writes_what_waits() -> None:
    store = Store()
    writer = WriteBehind(store.write, linger=60.0)
    await writer.start()
    writer.put(1)
    await asyncio.sleep(0)
    writer.put(2)
    await writer.stop()
    assert store.items == [1, 2]


async def test_stopping_without_a_database_gives_up_and_says_how_many_are_lost() -> None:
    store = Store()
    store.gate.clear()
    writer = WriteBehind(store.write, stop_timeout=0.01)
    await writer.start()
    for item in range(4):
        writer.put(item)
    with capture_logs() as logs:
        await writer.stop()
    assert (writer.lost, writer.pending) == (4, 0)
    assert logs[-1]["lost"] == 4


async def test_a_flush_that_is_cancelled_loses_nothing() -> None:
    store = Store()
    store.gate.clear()
    writer = WriteBehind(store.write)
    writer.put(1)
    flushing = asyncio.create_task(writer.flush())
    await store.asked.wait()
    flushing.cancel()
    await asyncio.wait({flushing})
    store.gate.set()
    await writer.flush()
    assert store.items == [1]
