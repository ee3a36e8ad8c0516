"""What the assistant's loop takes a turn, over Pydantic AI's agent alone with the same model.

The model is scripted and answers after a moment, as models do; each of its turns calls a tool with
other arguments. Ours has a hook at every point, traces, durable steps and events on SQLite. A turn
is what a longer run takes more than a shorter one, so that opening and closing a session, which
happens once, is told apart from it. The best round counts: what else the machine does only adds.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from rich.console import Console
from rich.table import Table

from bottega.assistant.loop.hooks import Hook, Revision, ToolUse
from bottega.assistant.loop.turn import Turn
from tests.assistant.loop_app import LoopApp, look_up, open_loop

SHORT, LONG = 5, 25
ROUNDS = 8
TARGET_MS = 10.0
#: Seconds before the scripted model answers: far below what a real one takes.
MOMENT = 0.1


class Watching(Hook):
    """Takes part at every point of a turn, and lets everything pass."""

    name = "watching"

    async def pre_loop(self, turn: Turn) -> None: ...

    async def post_loop(self, turn: Turn) -> Revision | None:
        return None

    async def pre_model(self, turn: Turn) -> None: ...

    async def post_model(self, turn: Turn) -> None: ...

    async def pre_tool(self, turn: Turn, use: ToolUse) -> None: ...

    async def post_tool(self, turn: Turn, use: ToolUse) -> None: ...


@dataclass
class Script:
    """Looks something up in every turn but the last."""

    moment: float = 0.0
    turns: int = SHORT

    def model(self) -> FunctionModel:
        return FunctionModel(stream_function=self._speak)

    async def _speak(self, messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Any]:
        await asyncio.sleep(self.moment)
        turn = (len(messages) + 1) // 2
        if turn < self.turns:
            yield {0: DeltaToolCall("look_up", f'{{"word": "{turn}"}}')}
        else:
            yield "A loop repeats what stands in it."


@dataclass(frozen=True)
class Took:
    """Milliseconds."""

    turn: float
    #: Beside its turns.
    run: float


async def bare(script: Script) -> Took:
    agent = Agent(script.model(), instructions="Do the work.")

    @agent.tool_plain
    async def look_up(word: str) -> str:
        return f"{word} means a lot"

    async def run() -> None:
        async with agent.run_stream("Explain iteration.") as stream:
            await stream.get_output()

    return await _measured(script, run)


async def ours(script: Script, app: LoopApp) -> Took:
    async def run() -> None:
        result = await app.take(max_turns=LONG)
        assert result.turns == script.turns, result

    return await _measured(script, run)


async def _measured(script: Script, run: Callable[[], Awaitable[None]]) -> Took:
    await run()
    best: dict[int, float] = {}
    for _ in range(ROUNDS):
        for turns in (SHORT, LONG):
            script.turns = turns
            started = time.perf_counter()
            await run()
            took = (time.perf_counter() - started) * 1000
            best[turns] = min(took, best.get(turns, took))
    turn = (best[LONG] - best[SHORT]) / (LONG - SHORT)
    return Took(turn, best[SHORT] - SHORT * turn)


async def measure() -> None:
    table = Table("the assistant's loop", "Pydantic AI", "ours", "overhead", "target", "")
    with tempfile.TemporaryDirectory() as folder:
        script = Script()
        async with open_loop(
            Path(folder), model=script.model(), tools=[look_up()], hooks=[Watching()]
        ) as app:
            app.agent(hooks=["watching"])
            for script.moment in (MOMENT, 0.0):
                alone, whole = await bare(script), await ours(script, app)
                over = whole.turn - alone.turn
                is_met = "[green]PASS[/green]" if over <= TARGET_MS else "[red]MISS[/red]"
                table.add_row(
                    f"a turn, model takes {script.moment * 1000:.0f} ms",
                    f"{alone.turn:.1f} ms",
                    f"{whole.turn:.1f} ms",
                    f"{over:.1f} ms",
                    f"{TARGET_MS:.0f} ms",
                    is_met,
                )
            table.add_row("a run beside its turns", f"{alone.run:.1f} ms", f"{whole.run:.1f} ms")
    Console().print(table)


def main() -> None:
    asyncio.run(measure())


if __name__ == "__main__":
    main()
