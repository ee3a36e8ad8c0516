"""A process with research runs, to be killed: `python -m tests.research.crashing ROOT URL hold`.

With `hold` it starts a run for each of `PLACES`, which stops at that place, and waits to be killed.
With `finish` it takes up what was left, and prints what came of it: a line of JSON a run.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bottega.core.llm.testing import LoopbackApi
from bottega.core.runs import Run, RunStatus
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.context import StageContext
from bottega.research.pipeline.schemas import KIND, Delivered
from tests.research.orchestration import Script, ScriptedResearch, open_scripted_research

#: In a model's call, in one of several tools, while it waits, and in the last stage.
PLACES = ("plan", "search", "pause", "write", "repair", "output")


def question_for(place: str) -> str:
    return f"Who stops at {place}?"


class Elsewhere(LoopbackApi):
    """The API that the test's own process serves."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._address = url

    @property
    def url(self) -> str:
        return self._address


@dataclass
class Holding(Script):
    holds: bool = False

    async def pause_at(self, place: str, context: StageContext) -> None:
        if self.holds and context.order.question == question_for(place):
            print(f"held {place}", flush=True)
            await asyncio.Event().wait()

    async def search(self, context: StageContext, number: int) -> list[str]:
        if number == 1:
            await self.pause_at("search", context)
        return await super().search(context, number)

    async def output(self, context: StageContext) -> Delivered:
        delivered = await super().output(context)

        async def write() -> str:
            await self.pause_at("output", context)
            return "written"

        await context.calls.tool("write", write, input={}, shown=str, result=str)
        return delivered


async def hold(research: ScriptedResearch) -> None:
    for place in PLACES:
        depth = Depth.STANDARD if place == "repair" else Depth.QUICK
        await research.start(
            question=question_for(place), depth=depth, auto_proceed=place != "pause"
        )
    [paused] = [run for run in await runs_of(research) if not run.input["auto_proceed"]]
    await research.settled(paused)
    print("held pause", flush=True)
    await asyncio.Event().wait()


async def finish(research: ScriptedResearch) -> None:
    await research.app.core.runs.recover()
    for run in await runs_of(research):
        settled = await research.settled(run)
        if settled.status is RunStatus.PAUSED:
            settled = await research.say(settled, "1")
        events = [
            {"position": event.position, "type": event.type, "payload": event.payload}
            for event in await research.events(run)
        ]
        told = {"question": run.input["question"], "status": settled.status, "events": events}
        print(json.dumps(told), flush=True)


async def runs_of(research: ScriptedResearch) -> Sequence[Run]:
    return await research.app.core.runs.list(kind=KIND)


async def main(root: Path, url: str, what: str) -> None:
    script = Holding(passes=[False, True], holds=what == "hold")
    async with open_scripted_research(root, script, api=Elsewhere(url)) as research:
        await (hold if what == "hold" else finish)(research)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
