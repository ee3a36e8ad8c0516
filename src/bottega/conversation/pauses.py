"""Questions to the person whom a run belongs to, by a durable pause.

The run is paused, costs nothing, survives restarts, and goes on when the answer comes, over any
door. A reply that the question does not allow is asked for again with what is wrong, since the
routes of runs take any JSON.

So are permissions: whether an agent may do what it is about to do goes by its session's mode. Where
the mode says that a person agrees to every change, they are asked by a gate. They can allow this
one, allow the tool for the rest of the turn, or deny it; Enter denies.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pydantic import JsonValue

from bottega.conversation.gates import Gate, GateDecision, GateKind, GateReply
from bottega.conversation.replies import read_reply
from bottega.core.trust.permissions import PermissionMode, ToolClass, Verdict, decide, require
from bottega.errors import Forbidden, InvalidInput

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


ALLOW, ALWAYS, DENY = "allow", "always", "deny"
LONGEST_EXCERPT = 600


@dataclass(frozen=True, slots=True)
class Permission:
    """What one agent may do in a turn."""

    agent: str
    mode: PermissionMode
    person: Person
    #: What the person has decided in the turn so far.
    decisions: Sequence[Mapping[str, Any]]
    record: Callable[[GateDecision], Awaitable[None]]
    #: Whether the house has a shell at all.
    shell: bool = False

    def is_offered(self, classes: Collection[ToolClass]) -> bool:
        """A tool that would always be refused need not be there."""
        return decide(self.mode, classes, shell=self.shell) is not Verdict.REFUSE

    async def obtain(
        self, tool: str, classes: Collection[ToolClass], what: str, excerpt: str = ""
    ) -> None:
        """Return if it may be done; `Forbidden`, in words for the model, if not. Between steps."""
        verdict = decide(self.mode, classes, shell=self.shell)
        agreed = verdict is Verdict.ASK and (
            self._has_agreed(tool) or await self._ask(tool, what, excerpt)
        )
        if verdict is Verdict.ASK and not agreed:
            raise Forbidden(f"The person did not allow this: {what}. Do not try it again; go on.")
        require(self.mode, tool, classes, agreed=agreed, shell=self.shell)

    def _has_agreed(self, tool: str) -> bool:
        return any(
            decision["kind"] == GateKind.PERMISSION
            and decision["item"] == tool
            and decision["decision"] == ALWAYS
            for decision in self.decisions
        )

    async def _ask(self, tool: str, what: str, excerpt: str) -> bool:
        reply = await self.person.ask(_gate(self.agent, tool, what, excerpt))
        data = {"what": what, "agent": self.agent}
        await self.record(GateDecision(GateKind.PERMISSION, reply.decision, tool, reply.text, data))
        return reply.decision in (ALLOW, ALWAYS)


def permission_mode(name: str) -> PermissionMode:
    """`InvalidInput` names those that there are."""
    modes = [mode.value for mode in PermissionMode]
    if name not in modes:
        raise InvalidInput(
            f"There is no permission mode {name!r}; there are {', '.join(modes)}.",
            valid_options=modes,
        )
    return PermissionMode(name)


def _gate(agent: str, tool: str, what: str, excerpt: str) -> Gate:
    shown = excerpt if len(excerpt) <= LONGEST_EXCERPT else f"{excerpt[:LONGEST_EXCERPT]}…"
    quoted = "\n".join(f"> {line}" for line in shown.strip().splitlines())
    return Gate(
        kind=GateKind.PERMISSION,
        text=f"{agent} wants to {what}." + (f"\n\n{quoted}\n" if quoted else "") + "\nMay it?",
        options=[ALLOW, ALWAYS, DENY],
        default=DENY,
        data={"tool": tool, "agent": agent},
    )
