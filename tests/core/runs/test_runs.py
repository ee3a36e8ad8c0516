"""Runs: their steps, pauses, events, ends, and what others see of them."""

import asyncio
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.runs import (
    DEFAULT_QUEUE,
    Run,
    RunContext,
    RunEvent,
    Runs,
    RunStatus,
    StepFailed,
    rebuild,
    worker,
)
from bottega.core.runs.engine import THREADS
from bottega.core.runs.history import Draft, RunHistory
from bottega.core.traces import SpanKind, Traces
from bottega.core.users import Users
from bottega.errors import (
    BudgetExceeded,
    Cancelled,
    Conflict,
    InvalidInput,
    NotFound,
    TooMany,
)


class Order(BaseModel):
    item: str = "bread"
    count: int = 1


class Receipt(BaseModel):
    lines: list[str]


async def types_of(runs: Runs, run_id: str) -> list[str]:
    return [event.type for event in await runs.events(run_id)]


async def test_steps_run_in_order_and_their_results_make_the_output(runs: Runs) -> None:
    calls: list[str] = []

    async def bake(order: Order, oven: int) -> Order:
        calls.append(f"bake {oven}")
        return order.model_copy(update={"count": order.count + 1})

    async def count() -> dict[str, list[int]]:
        calls.append("count")
        return {"numbers": [1, 2]}

    @runs.kind("bakery")
    async def bakery(run: RunContext, order: Order) -> Receipt:
        baked = await run.step("bake", bake, order, oven=3)
        counted = await run.step("count", count)
        return Receipt(lines=[f"{type(baked).__name__} {baked.count}", str(counted)])

    run_id = await runs.start("bakery", Order(count=4))
    receipt = await runs.result(run_id)
    assert receipt == Receipt(lines=["Order 5", "{'numbers': [1, 2]}"])
    assert calls == ["bake 3", "count"]
    run = await runs.get(run_id)
    assert run.status is RunStatus.COMPLETED
    assert run.input == {"item": "bread", "count": 4}
    assert run.output == receipt.model_dump()
    assert run.ended_at == run.updated_at >= run.created_at
    assert await types_of(runs, run_id) == ["queued", "started", "completed"]


async def test_a_run_pauses_until_somebody_replies(runs: Runs) -> None:
    @runs.kind("review")
    async def review(run: RunContext, order: Order) -> Receipt:
        answer = await run.pause("approve the order", prompt={"item": order.item})
        return Receipt(lines=[str(answer)])

    run_id = await runs.start("review", {"item": "cake"})
    paused = await runs.wait(run_id)
    assert paused.status is RunStatus.PAUSED
    assert paused.waiting_for is not None
    assert paused.waiting_for["reason"] == "approve the order"
    assert paused.waiting_for["prompt"] == {"item": "cake"}
    replied = await runs.reply(run_id, {"approved": True})
    assert replied.status is RunStatus.RUNNING
    assert await runs.result(run_id) == Receipt(lines=["{'approved': True}"])
    assert await types_of(runs, run_id) == ["queued", "started", "paused", "replied", "completed"]


async def test_paused_runs_count_among_those_that_a_user_may_have(
    database: Database, bus: EventBus, system_database_url: str
) -> None:
    """They go on as soon as somebody replies, all at once if they like."""
    runs = Runs(database, bus, system_database_url=system_database_url, most_per_user=2)

    @runs.kind("review")
    async def review(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[str(await run.pause("approve the order"))])

    ada = (await Users(database).create("ada")).id
    try:
        mine = [await runs.start("review", Order(), user_id=ada) for _ in range(2)]
        for run_id in mine:
            assert (await runs.wait(run_id)).status is RunStatus.PAUSED
        with pytest.raises(TooMany, match="paused"):
            await runs.start("review", Order(), user_id=ada)
        await runs.cancel(mine[0])
        await runs.start("review", Order(), user_id=ada)
    finally:
        await runs.stop()


async def test_a_run_may_pause_several_times_and_each_reply_finds_its_pause(runs: Runs) -> None:
    @runs.kind("quiz")
    async def quiz(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[str(await run.pause(f"question {number}")) for number in range(3)])

    run_id = await runs.start("quiz", Order())
    for number in range(3):
        run = await runs.wait(run_id)
        assert run.waiting_for is not None
        assert run.waiting_for["reason"] == f"question {number}"
        await runs.reply(run_id, f"answer {number}")
    assert (await runs.result(run_id)).lines == ["answer 0", "answer 1", "answer 2"]


async def test_a_pause_that_nobody_ends_in_time_goes_on_without_a_reply(runs: Runs) -> None:
    @runs.kind("impatient")
    async def impatient(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[repr(await run.pause("now?", within=timedelta(milliseconds=1)))])

    run_id = await runs.start("impatient", Order())
    assert (await runs.result(run_id)).lines == ["None"]
    assert "expired" in await types_of(runs, run_id)
    with pytest.raises(Conflict):
        await runs.reply(run_id, "too late")


async def test_a_reply_that_nobody_waits_for_is_refused_with_the_state(runs: Runs) -> None:
    @runs.kind("quick")
    async def quick(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[])

    run_id = await runs.start("quick", Order())
    await runs.result(run_id)
    with pytest.raises(Conflict, match="is completed and waits for no reply") as caught:
        await runs.reply(run_id, "hello")
    assert caught.value.details == {"status": "completed", "waiting_for": None}
    with pytest.raises(NotFound):
        await runs.reply("run_absent", "hello")


async def test_of_two_replies_at_once_one_counts(runs: Runs) -> None:
    @runs.kind("race")
    async def race(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[str(await run.pause("first"))])

    run_id = await runs.start("race", Order())
    await runs.wait(run_id)
    outcomes = await asyncio.gather(
        *(runs.reply(run_id, number) for number in range(4)), return_exceptions=True
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict"] * 3 + ["Run"]
    winner = next(n for n, outcome in enumerate(outcomes) if isinstance(outcome, Run))
    assert (await runs.result(run_id)).lines == [str(winner)]


async def test_an_error_fails_the_run_and_is_told(runs: Runs) -> None:
    @runs.kind("broken")
    async def broken(run: RunContext, order: Order) -> Receipt:
        raise BudgetExceeded("2 USD were set aside, 3 are needed.", limit=2)

    run_id = await runs.start("broken", Order())
    with pytest.raises(BudgetExceeded, match="3 are needed"):
        await runs.result(run_id)
    run = await runs.get(run_id)
    assert run.status is RunStatus.FAILED
    assert run.error == {
        "type": "budget_exceeded",
        "message": "2 USD were set aside, 3 are needed.",
        "details": {"limit": 2},
    }


async def test_a_failed_step_can_be_caught_by_the_run(runs: Runs) -> None:
    async def refuse() -> str:
        raise NotFound("No flour.")

    async def crash() -> str:
        raise ZeroDivisionError("oven at 0")

    @runs.kind("careful")
    async def careful(run: RunContext, order: Order) -> Receipt:
        lines = []
        try:
            await run.step("refuse", refuse)
        except NotFound as error:
            lines.append(error.message)
        try:
            await run.step("crash", crash)
        except StepFailed as error:
            lines.append(error.message)
        return Receipt(lines=lines)

    run_id = await runs.start("careful", Order())
    assert (await runs.result(run_id)).lines == ["No flour.", "ZeroDivisionError: oven at 0"]


async def test_cancelling_interrupts_a_step_at_once(runs: Runs) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def bake_for_ever() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    @runs.kind("endless")
    async def endless(run: RunContext, order: Order) -> Receipt:
        await run.step("bake", bake_for_ever)
        return Receipt(lines=[])

    run_id = await runs.start("endless", Order())
    await began.wait()
    cancelled = await runs.cancel(run_id)
    assert cancelled.status is RunStatus.CANCELLED
    await ended.wait()
    with pytest.raises(Cancelled):
        await runs.result(run_id)
    assert (await runs.cancel(run_id)).status is RunStatus.CANCELLED
    assert await types_of(runs, run_id) == ["queued", "started", "cancelled"]


async def test_a_paused_run_can_be_cancelled_and_a_completed_one_cannot(runs: Runs) -> None:
    @runs.kind("review")
    async def review(run: RunContext, order: Order) -> Receipt:
        await run.pause("approve")
        return Receipt(lines=[])

    run_id = await runs.start("review", Order())
    await runs.wait(run_id)
    await runs.cancel(run_id)
    with pytest.raises(Conflict, match="is cancelled"):
        await runs.reply(run_id, "yes")

    other = await runs.start("review", Order())
    await runs.wait(other)
    await runs.reply(other, "yes")
    await runs.result(other)
    with pytest.raises(Conflict, match="is completed already"):
        await runs.cancel(other)


async def test_emitted_events_are_listed_and_published_in_order(runs: Runs, bus: EventBus) -> None:
    heard: list[tuple[str, Any]] = []
    bus.on("run.*", lambda event: heard.append((event.topic, event.payload["payload"])))

    async def search(run: RunContext) -> int:
        await run.emit("substep", {"tool": "search"})
        return 3

    @runs.kind("stages")
    async def stages(run: RunContext, order: Order) -> Receipt:
        await run.emit("stage.started", {"stage": 0})
        hits = await run.step("search", search, run)
        await run.emit("stage.completed", {"stage": 0, "hits": hits})
        return Receipt(lines=[])

    run_id = await runs.start("stages", Order())
    await runs.result(run_id)
    events = await runs.events(run_id)
    assert [(event.position, event.type) for event in events] == [
        (1, "queued"),
        (2, "started"),
        (3, "stage.started"),
        (4, "substep"),
        (5, "stage.completed"),
        (6, "completed"),
    ]
    assert events[4].payload == {"stage": 0, "hits": 3}
    assert [event.position for event in await runs.events(run_id, after=4)] == [5, 6]
    assert [topic for topic, _ in heard] == [f"run.{event.type}" for event in events]
    assert [payload for _, payload in heard] == [event.payload for event in events]


async def test_a_run_cannot_emit_the_events_that_move_it(runs: Runs) -> None:
    @runs.kind("cheat")
    async def cheat(run: RunContext, order: Order) -> Receipt:
        await run.emit("completed")
        return Receipt(lines=[])

    run_id = await runs.start("cheat", Order())
    with pytest.raises(InvalidInput, match="'completed' is the run's own"):
        await runs.result(run_id)


async def test_a_run_is_exactly_what_its_events_add_up_to(runs: Runs) -> None:
    @runs.kind("all")
    async def everything(run: RunContext, order: Order) -> Receipt:
        await run.emit("note", {"n": order.count})
        if await run.pause("go on?") != "yes":
            raise NotFound("nothing to do")
        return Receipt(lines=["done"])

    for reply in ("yes", "no", None):
        run_id = await runs.start("all", Order(count=2))
        assert rebuild(await runs.events(run_id)) is not None
        paused = await runs.wait(run_id)
        assert rebuild(await runs.events(run_id)) == paused
        if reply is None:
            await runs.cancel(run_id)
        else:
            await runs.reply(run_id, reply)
        ended = await runs.wait(run_id, [status for status in RunStatus if status.is_final])
        assert rebuild(await runs.events(run_id)) == ended


async def test_steps_together_run_together(runs: Runs) -> None:
    both = asyncio.Barrier(2)

    async def meet(name: str) -> str:
        await both.wait()
        return name

    @runs.kind("parallel")
    async def parallel(run: RunContext, order: Order) -> Receipt:
        lines = await asyncio.gather(run.step("a", meet, "a"), run.step("b", meet, "b"))
        return Receipt(lines=list(lines))

    run_id = await runs.start("parallel", Order())
    assert (await runs.result(run_id)).lines == ["a", "b"]


async def test_what_a_step_does_is_traced_under_its_run(
    database: Database, bus: EventBus, system_database_url: str
) -> None:
    traces = Traces(database)
    await traces.start()
    runs = Runs(database, bus, system_database_url=system_database_url, traces=traces)

    async def ask() -> str:
        with traces.span("chat", SpanKind.MODEL):
            return "42"

    @runs.kind("think")
    async def think(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[await run.step("ask", ask)])

    run_id = await runs.start("think", Order())
    await runs.result(run_id)
    await runs.stop()
    await traces.flush()
    [summary] = await traces.list(run_id=run_id)
    assert (summary.name, summary.spans) == ("think ask", 2)
    spans = (await traces.get(summary.trace_id)).spans
    assert [(node.span.name, node.span.run_id) for node in spans] == [
        ("think ask", run_id),
        ("chat", run_id),
    ]
    await traces.stop()


async def test_a_run_starts_another_run_from_a_step(runs: Runs) -> None:
    @runs.kind("child")
    async def child(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[order.item])

    @runs.kind("parent")
    async def parent(run: RunContext, order: Order) -> Receipt:
        async def delegate() -> Receipt:
            started = await runs.start("child", order, run_id=f"{run.id}_child")
            receipt: Receipt = await runs.result(started)
            return receipt

        return await run.step("delegate", delegate)

    run_id = await runs.start("parent", Order(item="roll"))
    assert (await runs.result(run_id)).lines == ["roll"]
    assert (await runs.get(f"{run_id}_child")).status is RunStatus.COMPLETED


async def test_starting_the_same_id_again_is_the_same_run(runs: Runs) -> None:
    calls: list[str] = []

    @runs.kind("once")
    async def once(run: RunContext, order: Order) -> Receipt:
        calls.append(run.id)
        return Receipt(lines=[])

    first = await runs.start("once", Order(), run_id="run_a")
    await runs.result(first)
    assert await runs.start("once", Order(), run_id="run_a") == first
    await runs.result(first)
    assert calls == ["run_a"]
    with pytest.raises(Conflict, match="exists already"):
        await runs.start("once", Order(count=9), run_id="run_a")


async def test_what_cannot_be_started_is_refused_before_anything_is_noted(runs: Runs) -> None:
    @runs.kind("bakery")
    async def bakery(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[])

    with pytest.raises(InvalidInput, match="no run kind 'bakry'") as caught:
        await runs.start("bakry", Order())
    assert caught.value.details == {"valid_options": ["bakery"]}
    with pytest.raises(InvalidInput, match="count: Input should be a valid integer"):
        await runs.start("bakery", {"count": "many"})
    with pytest.raises(InvalidInput, match="no queue 'night'"):
        await runs.start("bakery", Order(), queue="night")
    with pytest.raises(NotFound, match="does not exist"):
        await runs.start("bakery", Order(), session_id="absent")
    assert await runs.list() == []


async def test_runs_are_listed_by_kind_status_and_user(runs: Runs, database: Database) -> None:
    ada = (await Users(database).create("ada")).id

    @runs.kind("quick")
    async def quick(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[])

    @runs.kind("slow")
    async def slow(run: RunContext, order: Order) -> Receipt:
        await run.pause("wait")
        return Receipt(lines=[])

    first = await runs.start("quick", Order())
    second = await runs.start("slow", Order())
    third = await runs.start("slow", Order(), user_id=ada)
    await runs.result(first)
    await runs.wait(second)
    await runs.wait(third)

    async def ids(**filters: Any) -> list[str]:
        return [run.id for run in await runs.list(**filters)]

    assert await ids() == [third, second, first]
    assert await ids(kind="slow") == [third, second]
    assert await ids(status=RunStatus.PAUSED, user_id="local") == [second]
    assert await ids(status=RunStatus.COMPLETED) == [first]
    assert await ids(limit=1) == [third]

    attempts: list[Callable[[], Any]] = [
        lambda: runs.get(third, user_id="local"),
        lambda: runs.events(third, user_id="local"),
        lambda: runs.reply(third, "x", user_id="local"),
        lambda: runs.cancel(third, user_id="local"),
    ]
    for attempt in attempts:
        with pytest.raises(NotFound):
            await attempt()


async def test_a_queue_runs_no_more_at_once_than_its_limit(
    database: Database, bus: EventBus, system_database_url: str
) -> None:
    runs = Runs(database, bus, system_database_url=system_database_url, queues={"oven": 2})
    baking, most = 0, 0
    two_bake = asyncio.Event()

    async def bake() -> None:
        nonlocal baking, most
        baking += 1
        most = max(most, baking)
        if baking == 2:
            two_bake.set()
        async with asyncio.timeout(60):
            await two_bake.wait()
        await asyncio.sleep(0.01)
        baking -= 1

    @runs.kind("bakery")
    async def bakery(run: RunContext, order: Order) -> Receipt:
        await run.step("bake", bake)
        return Receipt(lines=[])

    started = [await runs.start("bakery", Order(), queue="oven") for _ in range(5)]
    for run_id in started:
        await runs.result(run_id)
    await runs.stop()
    assert most == 2


async def test_a_function_of_the_wrong_shape_is_refused_when_it_is_registered(runs: Runs) -> None:
    async def no_model(run: RunContext, order: dict[str, int]) -> Receipt:
        return Receipt(lines=[])

    with pytest.raises(TypeError, match="pydantic models"):
        runs.register("wrong", no_model)  # type: ignore[type-var]

    @runs.kind("right")
    async def right(run: RunContext, order: Order) -> None:
        pass

    with pytest.raises(Conflict, match="already"):
        runs.register("right", right)


async def test_a_kind_registered_while_runs_are_at_work_is_executed(runs: Runs) -> None:
    await runs.launch()

    @runs.kind("late")
    async def late(run: RunContext, order: Order) -> None:
        pass

    assert await runs.result(await runs.start("late", Order())) is None


async def test_stopping_puts_runs_down_and_launching_takes_them_up_again(
    database: Database, bus: EventBus, system_database_url: str
) -> None:
    calls: list[str] = []
    reached = asyncio.Event()

    def build(*, last: bool) -> Runs:
        runs = Runs(database, bus, system_database_url=system_database_url)

        async def first() -> str:
            calls.append("first")
            return "flour"

        async def second() -> str:
            calls.append("second")
            if not last:
                reached.set()
                await asyncio.Event().wait()
            return "bread"

        @runs.kind("bakery")
        async def bakery(run: RunContext, order: Order) -> Receipt:
            await run.emit("begun")
            lines = [await run.step("first", first), await run.step("second", second)]
            await run.emit("baked")
            return Receipt(lines=lines)

        return runs

    runs = build(last=False)
    run_id = await runs.start("bakery", Order())
    await reached.wait()
    await runs.stop()
    assert (await runs.get(run_id)).status is RunStatus.RUNNING

    runs = build(last=True)
    await runs.recover()
    assert (await runs.result(run_id)).lines == ["flour", "bread"]
    assert calls == ["first", "second", "second"]
    assert await types_of(runs, run_id) == [
        "queued",
        "started",
        "begun",
        "recovered",
        "baked",
        "completed",
    ]
    await runs.stop()
    # The loop's own threads still serve after DBOS took its own away.
    assert await asyncio.to_thread(lambda: 5) == 5


async def test_work_that_waits_for_a_thread_survives_the_end_of_the_runs(runs: Runs) -> None:
    """DBOS lends its threads to everybody, and cancels what waits for one when it goes."""

    @runs.kind("bakery")
    async def bakery(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[])

    await runs.result(await runs.start("bakery", Order()))
    let_go = threading.Event()
    busy = [asyncio.create_task(asyncio.to_thread(let_go.wait, 10)) for _ in range(THREADS)]
    waiting = asyncio.create_task(asyncio.to_thread(str, "written"))
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_later(0.2, let_go.set)
    await runs.stop()
    assert await waiting == "written"
    await asyncio.gather(*busy)


async def test_a_run_that_only_ever_kills_its_process_is_given_up(
    database: Database, bus: EventBus, system_database_url: str
) -> None:
    runs = Runs(database, bus, system_database_url=system_database_url)
    deaths = 0

    @runs.kind("deadly")
    async def deadly(run: RunContext, order: Order) -> Receipt:
        nonlocal deaths
        deaths += 1
        await asyncio.Event().wait()
        return Receipt(lines=[])

    run_id = await runs.start("deadly", Order())
    await runs.wait(run_id, [RunStatus.RUNNING])
    await runs.stop()
    for number in range(10):
        await RunHistory(database, bus).append(
            run_id,
            lambda _, n=number: Draft(f"recovered {n}", "recovered"),  # type: ignore[misc]
        )
    await runs.launch()
    with pytest.raises(StepFailed, match="10 times in a row"):
        await runs.result(run_id)
    await runs.stop()
    assert deaths == 1


async def test_a_finished_step_and_an_orderly_stop_clear_a_run_of_suspicion(
    database: Database,
    bus: EventBus,
    system_database_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither tells of itself by an event."""
    monkeypatch.setattr(worker, "LONGEST_PAUSE", 0.0)
    runs = Runs(database, bus, system_database_url=system_database_url)
    began, going, reached, held = (asyncio.Event() for _ in range(4))

    async def first() -> None:
        began.set()
        await going.wait()

    async def second() -> None:
        reached.set()
        await held.wait()

    @runs.kind("bakery")
    async def bakery(run: RunContext, order: Order) -> Receipt:
        await run.step("first", first)
        await run.step("second", second)
        return Receipt(lines=[])

    async def suspect(times: int) -> None:
        history = RunHistory(database, bus)
        for _ in range(times):
            await history.record(run_id, Draft(new_id("recovered "), "recovered"))

    run_id = await runs.start("bakery", Order())
    await began.wait()
    await suspect(5)
    await runs.stop()
    assert (await runs.get(run_id)).recoveries == 0

    await suspect(9)
    going.set()
    await runs.launch()
    await reached.wait()
    assert (await runs.get(run_id)).recoveries == 0
    held.set()
    assert await runs.result(run_id) == Receipt(lines=[])
    await runs.stop()


async def test_changed_code_is_recognised_on_recovery(
    database: Database, bus: EventBus, system_database_url: str
) -> None:
    async def nothing() -> None:
        pass

    def build(step: str) -> Runs:
        runs = Runs(database, bus, system_database_url=system_database_url)

        @runs.kind("bakery")
        async def bakery(run: RunContext, order: Order) -> Receipt:
            await run.step(step, nothing)
            await run.pause("go on?")
            return Receipt(lines=[])

        return runs

    runs = build("knead")
    run_id = await runs.start("bakery", Order())
    await runs.wait(run_id)
    await runs.stop()
    runs = build("roll")
    await runs.launch()
    with pytest.raises(Conflict, match="it comes to step 'roll'"):
        await runs.result(run_id)
    await runs.stop()


async def test_a_run_noted_by_a_process_that_died_at_once_is_executed_by_the_next(
    runs: Runs, database: Database, bus: EventBus
) -> None:
    @runs.kind("bakery")
    async def bakery(run: RunContext, order: Order) -> Receipt:
        return Receipt(lines=[order.item])

    noted = await RunHistory(database, bus).create(
        "run_1", "bakery", {"item": "roll"}, user_id="local", session_id=None, queue=None
    )
    assert noted.status is RunStatus.QUEUED
    await runs.recover()
    assert (await runs.result("run_1")).lines == ["roll"]


async def test_a_cancelled_run_is_not_taken_up_again(
    database: Database, bus: EventBus, system_database_url: str
) -> None:
    calls: list[str] = []

    def build() -> Runs:
        runs = Runs(database, bus, system_database_url=system_database_url)

        @runs.kind("bakery")
        async def bakery(run: RunContext, order: Order) -> Receipt:
            calls.append(run.id)
            await run.pause("go on?")
            return Receipt(lines=[])

        return runs

    runs = build()
    run_id = await runs.start("bakery", Order())
    await runs.wait(run_id)
    await runs.stop()
    # Nobody works on it: only the list knows that it is cancelled.
    assert (await runs.cancel(run_id)).status is RunStatus.CANCELLED
    runs = build()
    await runs.launch()
    follower = await runs.start("bakery", Order(), queue=DEFAULT_QUEUE)
    await runs.wait(follower)
    await runs.stop()
    assert calls == [run_id, follower]


async def test_nothing_heavy_is_loaded_until_there_is_a_run(tmp_path: Path) -> None:
    program = f"""
import asyncio, sys
from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.clock import new_id
from bottega.core.runs import Runs

async def main():
    database = Database("sqlite:///{tmp_path}/bottega.db")
    await database.start()
    runs = Runs(database, EventBus(database), system_database_url="sqlite:///{tmp_path}/runs.db")
    await runs.recover()
    await runs.stop()
    await database.stop()
    print("dbos" in sys.modules)

asyncio.run(main())
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert output.decode().splitlines()[-1] == "False"
    assert not (tmp_path / "runs.db").exists()


async def test_two_at_work_in_one_process_are_refused(
    runs: Runs, database: Database, bus: EventBus, tmp_path: Path
) -> None:
    await runs.launch()
    other = Runs(database, bus, system_database_url=f"sqlite:///{tmp_path / 'other.db'}")
    with pytest.raises(Conflict, match="in this process already"):
        await other.launch()
    await runs.launch()


def test_every_event_changes_only_what_it_says() -> None:
    """The status follows from the events, whatever rooms emit between them."""
    moment = clock.now()
    asked: dict[str, Any] = {
        "kind": "k",
        "input": {},
        "user_id": "local",
        "session_id": None,
        "queue": None,
    }

    def event(position: int, type: str, payload: dict[str, Any] | None = None) -> RunEvent:
        return RunEvent("run_1", position, type, payload or {}, moment)

    started = [event(1, "queued", asked), event(2, "started")]
    run = rebuild(started)
    assert (run.status, run.position) == (RunStatus.RUNNING, 2)
    noted = rebuild([*started, event(3, "stage.paused")])
    assert noted == replace(run, position=3)
    recovered = rebuild([*started, event(3, "recovered"), event(4, "recovered")])
    assert recovered.recoveries == 2
    assert rebuild([*started, event(3, "recovered"), event(4, "note")]).recoveries == 0
