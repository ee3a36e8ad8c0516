"""Questions to the person whom a run belongs to, by a durable pause.

The run is paused, costs nothing, survives restarts, and goes on when the answer comes, over any
door. A reply that the question does not allow is asked for again with what is wrong, since the
routes of runs take any JSON.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from pydantic import JsonValue

from bottega.conversation.gates import Gate, GateReply
from bottega.conversation.replies import read_reply
from bottega.errors import InvalidInput

Reply = TypeVar("Reply")


class PausableRun(Protocol):
    """What is needed of a run's context: `pause` returns the reply, `emit` records an event."""

    async def pause(self, reason: str, *, prompt: JsonValue = None) -> JsonValue: ...

    async def emit(self, type: str, payload: Mapping[str, Any] | None = None) -> None: ...


async def wait_for_reply(
    run: PausableRun, reason: str, prompt: dict[str, Any], read: Callable[[JsonValue], Reply]
) -> Reply:
    """What `read` makes of the person's reply. One for which it raises `InvalidInput` is asked for
    again, with the error's words as the prompt's `problem`."""
    shown = prompt
    while True:
        try:
            return read(await run.pause(reason, prompt=shown))
        except InvalidInput as error:
            shown = {**prompt, "problem": error.message}


class Person(Protocol):
    """Whoever the run belongs to."""

    async def ask(self, gate: Gate) -> GateReply:
        """Waits for the reply, through restarts, and returns it checked against the gate. To be
        called between steps, never inside one."""
        ...


class RunPerson:
    """Asks by pausing the run. `before_asking` is awaited first, so that every event that came
    before the question has been written."""

    def __init__(
        self, run: PausableRun, before_asking: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._run = run
        self._before_asking = before_asking

    async def ask(self, gate: Gate) -> GateReply:
        if self._before_asking is not None:
            await self._before_asking()
        shown = gate.model_dump(mode="json")
        await self._run.emit("gate", {"kind": gate.kind, "gate": shown})
        reply = await wait_for_reply(
            self._run, gate.kind, shown, lambda message: read_reply(gate, message)
        )
        answered = {"kind": gate.kind, "reply": reply.model_dump(mode="json")}
        await self._run.emit("gate_answered", answered)
        return reply
