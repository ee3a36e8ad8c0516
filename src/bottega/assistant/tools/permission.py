"""Whether an agent may do what it is about to do: by its order's mode, or by the person's word.

Where the mode says that a person agrees to every change, they are asked by a gate. They can allow
this one, allow the tool for the rest of the turn, or deny it; Enter denies.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from bottega.assistant.gates.decisions import Decision, record
from bottega.assistant.gates.gate import Gate, GateKind
from bottega.core.permissions import PermissionMode, ToolClass, Verdict, decide, require
from bottega.errors import Forbidden, InvalidInput

if TYPE_CHECKING:
    from bottega.assistant.loop.turn import Turn

ALLOW, ALWAYS, DENY = "allow", "always", "deny"
LONGEST_EXCERPT = 600


class Permission:
    def __init__(self, turn: "Turn", *, shell: bool = False) -> None:
        """`shell` says that the house has one at all."""
        self._turn = turn
        self._mode = _mode(turn.order.permission)
        self._shell = shell

    def is_offered(self, classes: Collection[ToolClass]) -> bool:
        """A tool that would always be refused need not be there."""
        return decide(self._mode, classes, shell=self._shell) is not Verdict.REFUSE

    async def obtain(
        self, tool: str, classes: Collection[ToolClass], what: str, excerpt: str = ""
    ) -> None:
        """Return if it may be done; `Forbidden`, in words for the model, if not. Between steps."""
        verdict = decide(self._mode, classes, shell=self._shell)
        agreed = verdict is Verdict.ASK and (
            self._has_agreed(tool) or await self._ask(tool, what, excerpt)
        )
        if verdict is Verdict.ASK and not agreed:
            raise Forbidden(f"The person did not allow this: {what}. Do not try it again; go on.")
        require(self._mode, tool, classes, agreed=agreed, shell=self._shell)

    def _has_agreed(self, tool: str) -> bool:
        return any(
            decision["kind"] == GateKind.PERMISSION
            and decision["item"] == tool
            and decision["decision"] == ALWAYS
            for decision in self._turn.decisions
        )

    async def _ask(self, tool: str, what: str, excerpt: str) -> bool:
        turn = self._turn
        reply = await turn.person.ask(_gate(turn.agent.name, tool, what, excerpt))
        data = {"what": what, "agent": turn.agent.name}
        await record(turn, Decision(GateKind.PERMISSION, reply.decision, tool, reply.text, data))
        return reply.decision in (ALLOW, ALWAYS)


def _mode(name: str) -> PermissionMode:
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
