"""The person whom a run belongs to, asked by a durable pause.

Nobody has to be there: the run is paused, costs nothing, survives restarts, and goes on when the
answer comes, over whichever door. A reply that fits the gate no better than it should is asked for
again with what is wrong, since doors of the core take any JSON.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import JsonValue

from bottega.assistant.gates.gate import Gate, GateReply
from bottega.assistant.gates.replies import read_reply
from bottega.errors import InvalidInput


class Pausing(Protocol):
    """What is needed of a run's context."""

    async def pause(self, reason: str, *, prompt: JsonValue = None) -> JsonValue: ...

    async def emit(self, type: str, payload: Mapping[str, Any] | None = None) -> None: ...


class RunPerson:
    def __init__(self, run: Pausing) -> None:
        self._run = run

    async def ask(self, gate: Gate) -> GateReply:
        shown = gate.model_dump(mode="json")
        await self._run.emit("gate", {"kind": gate.kind, "gate": shown})
        reply = await self._reply(gate, shown)
        answered = {"kind": gate.kind, "reply": reply.model_dump(mode="json")}
        await self._run.emit("gate_answered", answered)
        return reply

    async def _reply(self, gate: Gate, shown: dict[str, Any]) -> GateReply:
        problem: str | None = None
        while True:
            prompt = {**shown, "problem": problem} if problem else shown
            message = await self._run.pause(gate.kind, prompt=prompt)
            try:
                return read_reply(gate, message)
            except InvalidInput as error:
                problem = error.message
