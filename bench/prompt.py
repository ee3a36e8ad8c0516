"""Assembling a system prompt, as a turn does it: from the plugin's and the person's files to text.

The plugin is the lesson planner that ships; the memory is full, 200 lines for the teacher and for
the class. The parts are timed one by one, over what a warm server does for every turn.
"""

import asyncio
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bottega.app import build_core
from bottega.assistant.loop.turn import PromptTurn
from bottega.assistant.plugins.catalogue import plugin_folders
from bottega.assistant.prompts.assembly import SystemPrompt, assemble, dry_run, gather
from bottega.assistant.sessions.schemas import AssistantOrder
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.settings import Settings

TURNS = 200
TARGET_MS = 20.0
MEMORY = "\n".join(f"- Note {number}: shorter starters, flowcharts first." for number in range(200))
ORDER = AssistantOrder(
    plugin="lesson-planning",
    command="create-lesson",
    agent="planner",
    input="Create a lesson on iteration for 3B",
)


async def read_memory(class_id: str | None) -> str:
    return MEMORY


async def one_turn(core: Core) -> tuple[list[float], SystemPrompt]:
    """Milliseconds for loading, reading and assembling."""
    marks = [time.perf_counter()]
    plugin = await asyncio.to_thread(plugin_folders(core).load, ORDER.plugin)
    turn = PromptTurn(
        core=core,
        user_id=LOCAL_USER,
        order=ORDER,
        input=ORDER.input,
        plugin=plugin,
        agent=plugin.agent(ORDER.agent),
        command=plugin.command("create-lesson"),
    )
    marks.append(time.perf_counter())
    parts = await gather(turn, read_memory)
    marks.append(time.perf_counter())
    prompt = assemble(turn, parts)
    prompt.tokens_by_section  # noqa: B018 - every turn tells them
    marks.append(time.perf_counter())
    return [(after - before) * 1000 for before, after in pairwise(marks)], prompt


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        core = build_core(
            Settings(
                data_dir=Path(folder, "data"),
                project_dir=project,
                bottega_model="offline",
                _env_file=None,
            )
        )
        # The first use fills the workspace.
        await dry_run(core, ORDER, LOCAL_USER, read_memory)
        turns = [await one_turn(core) for _ in range(TURNS)]
    show([times for times, _ in turns], turns[-1][1])


def show(times: list[list[float]], prompt: SystemPrompt) -> None:
    table = Table(f"prompt of {prompt.tokens:,} tokens", "median", "p95", "target", "")
    names = ("load the plugin", "read workspace and memory", "assemble the text")
    for name, column in zip(names, zip(*times, strict=True), strict=True):
        table.add_row(name, f"{statistics.median(column):.2f} ms", f"{p95(column):.2f} ms", "", "")
    whole = [sum(turn) for turn in times]
    table.add_row(
        "all of it",
        f"{statistics.median(whole):.2f} ms",
        f"{p95(whole):.2f} ms",
        f"≤ {TARGET_MS:g} ms",
        "[green]met[/green]" if p95(whole) <= TARGET_MS else "[red]missed[/red]",
    )
    Console().print(table)


def p95(values: list[float] | tuple[float, ...]) -> float:
    return statistics.quantiles(values, n=20)[-1]
