"""What runs tell of themselves: once, in order, and together where it comes together."""

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel
from sqlalchemy import Engine, event

from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.runs import RunContext, Runs, RunStatus
from bottega.errors import Conflict


class Order(BaseModel):
    branches: int = 1


async def told(runs: Runs, run_id: str) -> list[Any]:
    return [event.payload["at"] for event in await runs.events(run_id) if event.type == "told"]


async def test_branches_that_tell_between_steps_are_told_once_by_their_keys(
    database: Database, bus: EventBus, system_database_url: str
) -> None:
    """Whichever ends first after a restart: a key says which event it is."""
    slow_first = True

    async def branch(run: RunContext, number: int, branches: int) -> None:
        async def work() -> int:
            return number

        await run.step(f"work {number}", work)
        for _ in range(branches - number if slow_first else number):
            await asyncio.sleep(0)
        await run.emit("told", {"at": number}, key=f"branch {number}")

    async def body(run: RunContext, order: Order) -> None:
        count = order.branches
        await asyncio.gather(*(branch(run, number, count) for number in range(count)))
        await run.pause("go on?")

    runs = Runs(database, bus, system_database_url=system_database_url)
    runs.register("tell", body)
    run_id = await runs.start("tell", Order(branches=6))
    await runs.wait(run_id)
    before = await told(runs, run_id)
    assert sorted(before) == list(range(6))
    await runs.stop()

    slow_first = False
    again = Runs(database, bus, system_database_url=system_database_url)
    again.register("tell", body)
    await again.recover()
    await again.reply(run_id, "yes")
    assert (await again.wait(run_id)).status is RunStatus.COMPLETED
    assert await told(again, run_id) == before
    await again.stop()


async def test_events_that_come_together_are_written_together(runs: Runs) -> None:
    """A hundred at once take a few transactions, and each has its own place."""

    async def body(run: RunContext, order: Order) -> None:
        emits = (run.emit("told", {"at": at}, key=str(at)) for at in range(order.branches))
        await asyncio.gather(*emits)

    runs.register("tell", body)
    updates = 0

    def count(_: Any, __: Any, statement: str, *rest: Any) -> None:
        nonlocal updates
        updates += statement.startswith("UPDATE runs ")

    event.listen(Engine, "before_cursor_execute", count)
    run_id = await runs.start("tell", Order(branches=100))
    await runs.wait(run_id)
    event.remove(Engine, "before_cursor_execute", count)
    events = await runs.events(run_id)
    assert [each.position for each in events] == list(range(1, len(events) + 1))
    assert await told(runs, run_id) == list(range(100))
    # One of them begins, the others follow together; and the run itself starts and ends.
    assert updates < 10


async def test_a_branch_that_is_cancelled_while_it_writes_loses_nobody_else_s_events(
    runs: Runs,
) -> None:
    async def body(run: RunContext, order: Order) -> None:
        first = asyncio.create_task(run.emit("told", {"at": 1}, key="first"))
        second = asyncio.create_task(run.emit("told", {"at": 2}, key="second"))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, second, return_exceptions=True)

    runs.register("tell", body)
    run_id = await runs.start("tell", Order())
    await runs.wait(run_id)
    assert 2 in await told(runs, run_id)


async def test_a_reply_to_a_pause_that_is_over_answers_no_other(runs: Runs) -> None:
    async def body(run: RunContext, order: Order) -> None:
        await run.pause("first?")
        await run.pause("second?")

    runs.register("ask", body)
    run_id = await runs.start("ask", Order())
    first = (await runs.wait(run_id)).waiting_for
    assert first is not None
    await runs.reply(run_id, "yes", pause_key=first["key"])
    waiting = await runs.wait(run_id)
    with pytest.raises(Conflict, match=r"now waits for something else: second\?"):
        await runs.reply(run_id, "yes", pause_key=first["key"])
    assert waiting.waiting_for is not None
    await runs.reply(run_id, "yes", pause_key=waiting.waiting_for["key"])
    assert (await runs.wait(run_id)).status is RunStatus.COMPLETED
