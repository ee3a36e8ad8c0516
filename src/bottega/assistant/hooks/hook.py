"""What a hook is: some of nine methods, called by the loop at its nine points.

A hook may look, note, change what the point allows to be changed, ask the person, or abort.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from bottega.errors import BottegaError

if TYPE_CHECKING:
    from bottega.assistant.loop.turn import Turn


class Point(StrEnum):
    PRE_LOOP = "preLoop"
    POST_LOOP = "postLoop"
    PRE_MODEL = "preModel"
    POST_MODEL = "postModel"
    PRE_TOOL = "preTool"
    POST_TOOL = "postTool"
    ON_HANDOFF = "onHandoff"
    ON_SUBAGENT_START = "onSubagentStart"
    ON_SUBAGENT_END = "onSubagentEnd"


class HookAbort(BottegaError):
    """Ends the loop at once, with the hook's name and reason in result and trace."""

    def __init__(self, hook: str, reason: str) -> None:
        self.hook = hook
        self.reason = reason
        super().__init__(f"{hook}: {reason}", hook=hook)


@dataclass(frozen=True, slots=True)
class Revision:
    """What a postLoop hook sends back into the loop: it goes on with the limits that remain,
    and what comes out passes every postLoop hook again."""

    prompt: str


@dataclass(slots=True)
class ToolUse:
    """A call as preTool hooks may change it, and its result as postTool hooks may."""

    name: str
    arguments: dict[str, Any]
    result: Any = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Transfer:
    from_agent: str
    to_agent: str
    #: Decisions, constraints, reason, open questions.
    context: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SubagentCall:
    agent: str
    task: str
    summary: str | None = None


class Hook:
    """Override what you need."""

    name: ClassVar[str]

    async def pre_loop(self, turn: "Turn") -> None: ...

    async def post_loop(self, turn: "Turn") -> Revision | None: ...

    async def pre_model(self, turn: "Turn") -> None: ...

    async def post_model(self, turn: "Turn") -> None: ...

    async def pre_tool(self, turn: "Turn", use: ToolUse) -> None: ...

    async def post_tool(self, turn: "Turn", use: ToolUse) -> None: ...

    async def on_handoff(self, turn: "Turn", transfer: Transfer) -> None: ...

    async def on_subagent_start(self, turn: "Turn", call: SubagentCall) -> None: ...

    async def on_subagent_end(self, turn: "Turn", call: SubagentCall) -> None: ...
