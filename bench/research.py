"""Research without a model: what the orchestrator itself takes, and an answer offline.

The overhead is measured with stages that do nothing but make their calls, eight of them at once;
the answer with the real ones, over the example standards; the resume in a process whose
predecessor was killed in the middle of a run.
"""

import asyncio
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bottega.core.runs import Run, RunStatus
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.schemas import KIND, ResearchOrder
from bottega.research.pipeline.service import ResearchRuns
from tests.research.orchestration import Script, ScriptedResearch, open_scripted_research

ROUNDS = 30
STAGES = 6
SEARCHES = 8
AT_ONCE = 50
QUESTIONS = (
    "How long may engines run at night?",
    "Who pays the harbour dues, and when?",
    "What must a skipper report on arrival?",
)
OVERHEAD_MS, ANSWER_S, RESUME_S = 30.0, 2.0, 1.0

Row = tuple[str, str, str, bool]


def main() -> None:
    match sys.argv[1:]:
        case ["hold", folder]:
            asyncio.run(hold(Path(folder)))
        case ["resume", folder]:
            asyncio.run(resume(Path(folder)))
        case _:
            asyncio.run(measure())


async def measure() -> None:
    rows = [await overhead(), await many_at_once(), *await answers(), await resumed()]
    table = Table("research, without a model", "measured", "target", "")
    for what, measured, target, is_met in rows:
        verdict = "[green]PASS[/green]" if is_met else "[red]MISS[/red]"
        table.add_row(what, measured, target, verdict)
    Console().print(table)


async def overhead() -> Row:
    """Milliseconds a stage, from its start to the start of the next; its tools take none."""
    async with research() as opened:
        await opened.finish()
        took = [await stage_time(opened) for _ in range(ROUNDS)]
    median = statistics.median(took)
    what = f"orchestrator, {SEARCHES + 4} calls in {STAGES} stages"
    return what, f"{median:.1f} ms a stage", f"≤ {OVERHEAD_MS:.0f} ms", median <= OVERHEAD_MS


async def stage_time(opened: ScriptedResearch) -> float:
    events = await opened.events(await opened.finish())
    [first, *_] = [event for event in events if event.type == "stage_started"]
    [*_, last] = [event for event in events if event.type == "stage_completed"]
    return (last.created_at - first.created_at).total_seconds() * 1_000 / STAGES


async def many_at_once() -> Row:
    async with research() as opened:
        expected = len(await opened.events(await opened.finish()))
        started = time.perf_counter()
        orders = (opened.start(auto_proceed=True) for _ in range(AT_ONCE))
        runs = await asyncio.gather(*orders)
        ended = [await opened.runs.wait_until_settled(run.id) for run in runs]
        took = time.perf_counter() - started
        whole = [await is_whole(opened, run, expected) for run in ended]
    lost = AT_ONCE - sum(whole)
    what = f"{AT_ONCE} runs at once"
    return what, f"{lost} with a lost event, {took:.1f} s", "0", lost == 0


async def is_whole(opened: ScriptedResearch, run: Run, expected: int) -> bool:
    events = await opened.events(run)
    numbered = [event.position for event in events] == list(range(1, expected + 1))
    return run.status is RunStatus.COMPLETED and numbered


async def answers() -> list[Row]:
    """Seconds of a quick answer over the example standards, after a first one."""
    async with research(real=True) as opened:
        questions = (QUESTIONS[0], *QUESTIONS * 3)
        took = [await answer(opened.runs, question) for question in questions]
    first, others = took[0], max(took[1:])
    target = f"≤ {ANSWER_S:.0f} s"
    return [
        ("quick answer offline, the first", f"{first:.2f} s", target, first <= ANSWER_S),
        ("quick answer offline, the slowest", f"{others:.2f} s", target, others <= ANSWER_S),
    ]


async def answer(runs: ResearchRuns, question: str) -> float:
    order = ResearchOrder(
        question=question, library="harbour", depth=Depth.QUICK, auto_proceed=True
    )
    started = time.perf_counter()
    run = await runs.wait_until_settled((await runs.start(order)).id)
    assert run.status is RunStatus.COMPLETED, run.error
    return time.perf_counter() - started


async def resumed() -> Row:
    """Seconds from the start of runs in a new process until what the old one left goes on."""
    with tempfile.TemporaryDirectory() as folder:
        killed = await child("hold", folder)
        assert killed.stdout is not None
        await killed.stdout.readline()
        killed.send_signal(signal.SIGKILL)
        await killed.wait()
        successor = await child("resume", folder)
        out, _ = await successor.communicate()
    took = float(out)
    return "resume after kill -9", f"{took:.2f} s", f"≤ {RESUME_S:.0f} s", took <= RESUME_S


async def child(what: str, folder: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.research", what, folder), stdout=asyncio.subprocess.PIPE
    )


async def hold(folder: Path) -> None:
    """Stop in the middle of the search, for ever."""

    class Holding(Script):
        async def search(self, *_: object) -> list[str]:
            print("held", flush=True)
            return await asyncio.Event().wait() and []

    async with open_scripted_research(folder, Holding()) as opened:
        await opened.start(auto_proceed=True)
        await asyncio.Event().wait()


async def resume(folder: Path) -> None:
    async with open_scripted_research(folder) as opened:
        [run] = await opened.app.core.runs.list(kind=KIND)
        goes_on = asyncio.Event()
        opened.app.core.bus.on("run.substep", lambda _: goes_on.set())
        started = time.perf_counter()
        await opened.app.core.runs.recover()
        await goes_on.wait()
        took = time.perf_counter() - started
        assert (await opened.settled(run)).status is RunStatus.COMPLETED
        print(took)


@asynccontextmanager
async def research(*, real: bool = False) -> AsyncIterator[ScriptedResearch]:
    script = Script(searches=SEARCHES)
    with tempfile.TemporaryDirectory() as folder:
        async with open_scripted_research(Path(folder), script, real=real) as opened:
            yield opened


if __name__ == "__main__":
    main()
