"""Coach: an issue, a plan with phases, a nudge for the wrong file, a line explained, a hint."""

import asyncio
from itertools import pairwise

from bottega.cli.demo.doors import PATIENCE, Doors, Rest, Window
from bottega.cli.demo.guide import Guide
from bottega.errors import Unavailable

ISSUE = 1
TRIP = "src/tally/trip.py"
LINE = "share = sum("
#: How closely hints point, step by step.
LEVELS = ("file", "region", "line")
WRONG_FILE = "README.md"
PLAN = f"""\
1. Reproduce the lost cents: read `balances` in {TRIP} and write a
   failing test in tests/test_trip.py.
2. Keep money in whole cents: change how `balances` in {TRIP} shares a sum.
"""
#: The observer looks after five edits.
EDITS = 6


async def visit(doors: Doors, guide: Guide) -> None:
    async with doors.window() as window:
        session = await begin(window, guide)
        await plan(doors, guide)
        await stray(doors.rest, window, guide)
        await explain(window, guide)
        await hint(window, guide)
        await end(window, guide)
    guide.add_result("a coached session, step by step", f"/coach/sessions/{session}")
    guide.add_result("skills, gaps and katas to practise", "/coach/dashboard")


async def begin(window: Window, guide: Guide) -> str:
    with guide.step("A developer picks an issue", "WebSocket"):
        started = await window.ask("session:start", "session:started", issueNumber=ISSUE)
    guide.show(f"#{ISSUE} {started['issueContext']['title']}")
    return str(started["sessionId"])


async def plan(doors: Doors, guide: Guide) -> None:
    with guide.step("An agent hands in a plan; the coach cuts it into phases with hints", "MCP"):
        cut = await doors.agent.call(
            "paige_run_coaching_pipeline", planText=PLAN, issueSummary="Cents get lost"
        )
    guide.show_rows([(f"Phase {phase['number']}", phase["title"]) for phase in cut["phases"]])


async def stray(rest: Rest, window: Window, guide: Guide) -> None:
    with guide.step(f"The developer edits {WRONG_FILE}, where the bug is not", "WebSocket"):
        first = await look_after(None, rest)
        content = await window.ask("file:open", "fs:content", path=WRONG_FILE)
        await look_after(first, rest)
        for edit in range(EDITS):
            changed = f"{content['content']}\nEdit {edit}.\n"
            await window.send("buffer:update", path=WRONG_FILE, content=changed)
        nudge = await window.wait_for("observer:nudge")
    guide.show(f"The observer nudges ({nudge['signal']}): {nudge['message']}", style="yellow")


async def look_after(earlier: str | None, rest: Rest) -> str:
    """When the observer looked next: it looks once at a time, and skips what happens meanwhile.

    The plan's first phase makes it look, and so does opening a file."""
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                latest: str | None = (await rest.get("/api/coach/observer"))["lastEvaluation"]
                if latest and latest != earlier:
                    return latest
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise Unavailable("The observer did not look.") from None


async def explain(window: Window, guide: Guide) -> None:
    with guide.step(f"In {TRIP} they ask what a line does", "WebSocket"):
        content = await window.ask("file:open", "fs:content", path=TRIP)
        lines = content["content"].splitlines()
        number = next(number for number, line in enumerate(lines, 1) if LINE in line)
        selection = {"startLine": number, "startCol": 1, "endLine": number, "endCol": 1}
        told = await window.ask(
            "user:explain",
            "explain:response",
            path=TRIP,
            selection=selection,
            selectedText=lines[number - 1],
        )
    guide.show(lines[number - 1].strip(), style="bold")
    guide.show(told["explanation"].partition("\n\n")[0])


async def hint(window: Window, guide: Guide) -> None:
    with guide.step("Still stuck, they ask for closer hints", "WebSocket"):
        for before, level in pairwise(LEVELS):
            await window.send("hints:level_change", level=level, previousLevel=before)
        marked = await window.wait_for("editor:highlight_lines")
    guide.show(f"Lines {marked['start']} to {marked['end']}: {marked['hoverText']}", style="yellow")


async def end(window: Window, guide: Guide) -> None:
    with guide.step("The session ends; what was hard is remembered", "WebSocket"):
        done = await window.ask("session:end", "session:completed")
    guide.show(
        f"Gaps: {done['knowledgeGaps']}. Katas to practise: {done['kataSpecs']}. "
        f"Memories: {done['memoriesStored']}."
    )
