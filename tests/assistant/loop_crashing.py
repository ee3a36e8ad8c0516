"""A process to be killed: `python -m tests.assistant.loop_crashing ROOT URL hold`.

With `hold` it starts a turn for each of `PLACES`, which stops at that place, and waits for the end.
With `finish` it takes up what was left, and prints what came of it: a line of JSON a turn.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from bottega.core.runs import Run, RunStatus
from tests.assistant.loop_app import AskFirst, LoopApp, Tool, open_loop
from tests.research.crashing import Elsewhere

#: In a model's call, in a tool, in a subagent's model call, and while a person is waited for.
PLACES = ("model", "tool", "subagent", "gate")


def input_for(place: str) -> str:
    return f"Stop at {place}."


def holding_tool(root: Path, *, holds: bool) -> Tool:
    async def look_up(arguments: dict[str, Any]) -> str:
        with (root / "looked-up.txt").open("a") as notes:
            notes.write(f"{arguments['word']}\n")
        if holds and arguments["word"] == "tool":
            print("held tool", flush=True)
            await asyncio.Event().wait()
        return f"{arguments['word']} means a lot"

    return Tool("look_up", look_up)


async def hold(app: LoopApp) -> None:
    app.agent(hooks=[])
    app.agent("careful", hooks=["ask-first"])
    app.agent("helper")
    for place in PLACES:
        agent = "careful" if place == "gate" else "worker"
        run = await app.start(input_for(place), agent=agent, max_budget_usd=1.0)
        if place == "gate":
            await app.settled(run)
            print("held gate", flush=True)
    await asyncio.Event().wait()


async def finish(app: LoopApp) -> None:
    await app.core.runs.recover()
    for run in reversed(await app.core.runs.list()):
        settled = await app.settled(run)
        was_paused = settled.status is RunStatus.PAUSED
        if was_paused:
            settled = await app.reply(run, "modify", text="Stop at gate, but shorter.")
        print(json.dumps(await report(app, settled, was_paused)), flush=True)


async def report(app: LoopApp, run: Run, was_paused: bool) -> dict[str, Any]:
    result = await app.runs.result(run.id)
    events = await app.runs.events(run.id, limit=1000)
    messages = await app.runs.sessions.messages(str(run.session_id), user_id="local")
    return {
        "input": run.input["input"],
        "was_paused": was_paused,
        "status": result.status,
        "text": result.text,
        "cost": result.cost,
        "turns": result.turns,
        "events": [event.type for event in events],
        "messages": [[message.role, message.text] for message in messages],
    }


async def main(root: Path, url: str, what: str) -> None:
    tools = [holding_tool(root, holds=what == "hold")]
    async with open_loop(root, api=Elsewhere(url), tools=tools, hooks=[AskFirst()]) as app:
        await (hold if what == "hold" else finish)(app)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
