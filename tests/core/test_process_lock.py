"""A lock between tasks and between processes."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from bottega.core.db.sqlite import ProcessLock

HOLD = """
import asyncio, sys
from pathlib import Path
from bottega.core.db.sqlite import ProcessLock

async def main():
    async with ProcessLock(Path(sys.argv[1])):
        print("held", flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""

COUNT = """
import asyncio, sys
from pathlib import Path
from bottega.core.db.sqlite import ProcessLock

async def main():
    lock, counter = ProcessLock(Path(sys.argv[1])), Path(sys.argv[2])
    for _ in range(200):
        async with lock:
            counter.write_text(str(int(counter.read_text()) + 1))

asyncio.run(main())
"""


async def run(code: str, *arguments: object) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, *map(str, arguments), stdin=PIPE, stdout=PIPE
    )


async def holder_of(path: Path) -> Process:
    process = await run(HOLD, path)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"held\n"
    return process


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some" / "file.lock"


@pytest.mark.parametrize("shared", [True, False])
async def test_tasks_get_the_lock_in_the_order_they_asked(path: Path, shared: bool) -> None:
    lock = ProcessLock(path if shared else None)
    order: list[int] = []
    inside = 0

    async def enter(number: int) -> None:
        nonlocal inside
        async with lock:
            inside += 1
            assert inside == 1
            await asyncio.sleep(0)
            order.append(number)
            inside -= 1

    await asyncio.gather(*(enter(number) for number in range(20)))
    assert order == list(range(20))
    lock.close()


@pytest.mark.requirement("EC-07")
async def test_processes_exclude_each_other(path: Path, tmp_path: Path) -> None:
    """A counter that three processes read and write misses no step."""
    counter = tmp_path / "counter"
    counter.write_text("0")
    path.parent.mkdir()
    processes = [await run(COUNT, path, counter) for _ in range(3)]
    assert [await process.wait() for process in processes] == [0, 0, 0]
    assert counter.read_text() == "600"


async def test_the_lock_of_a_killed_process_is_free(path: Path) -> None:
    path.parent.mkdir()
    holder = await holder_of(path)
    lock = ProcessLock(path)
    waiting = asyncio.create_task(lock.__aenter__())
    holder.kill()
    await holder.wait()
    async with asyncio.timeout(10):
        await waiting
    await lock.__aexit__(None, None, None)
    lock.close()


async def test_a_task_that_gives_up_waiting_leaves_the_lock_usable(path: Path) -> None:
    path.parent.mkdir()
    holder = await holder_of(path)
    lock = ProcessLock(path)
    first, second, third = (asyncio.create_task(lock.__aenter__()) for _ in range(3))
    await asyncio.sleep(0)
    for task in (first, second):
        task.cancel()
    await asyncio.wait({first, second})
    assert first.cancelled()
    assert second.cancelled()
    assert not third.done()
    holder.kill()
    await holder.wait()
    async with asyncio.timeout(10):
        await third
        await lock.__aexit__(None, None, None)
        async with lock:
            pass
    lock.close()


async def test_a_task_that_would_wait_for_itself_is_told(path: Path) -> None:
    lock = ProcessLock(path)
    async with lock:
        with pytest.raises(RuntimeError, match="already"):
            await lock.__aenter__()
    async with lock:
        pass
    lock.close()
