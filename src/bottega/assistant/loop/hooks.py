"""Hooks: some of nine methods, called by the loop at its nine points, in the agent's order.

A hook may look, note, change what the point allows to be changed, ask the person, or abort. A
`HookAbort` is the one error that ends the loop. Any other is the hook's own fault: it is noted for
whoever reads the result, stands in the trace and the log, and the loop goes on without that hook. A
database that does not answer passes through: a run that went on would come to other steps than
those on record.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import structlog
from pydantic.alias_generators import to_snake
from sqlalchemy.exc import SQLAlchemyError

from bottega.assistant.loop.turn import Turn
from bottega.assistant.plugins.definition import AgentDefinition, Plugin
from bottega.assistant.sessions.schemas import HookOutcome, Point
from bottega.conversation.tools import Handoff
from bottega.errors import BottegaError, BudgetExceeded

if TYPE_CHECKING:
    from pydantic_ai.models import Model


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
class SubagentCall:
    agent: str
    task: str
    summary: str | None = None


class Hook:
    """Override what you need."""

    name: ClassVar[str]

    async def pre_loop(self, turn: Turn) -> None: ...

    async def post_loop(self, turn: Turn) -> Revision | None: ...

    async def pre_model(self, turn: Turn) -> None: ...

    async def post_model(self, turn: Turn) -> None: ...

    async def pre_tool(self, turn: Turn, use: ToolUse) -> None: ...

    async def post_tool(self, turn: Turn, use: ToolUse) -> None: ...

    async def on_handoff(self, turn: Turn, handoff: Handoff) -> None: ...

    async def on_subagent_start(self, turn: Turn, call: SubagentCall) -> None: ...

    async def on_subagent_end(self, turn: Turn, call: SubagentCall) -> None: ...


#: `pre_loop` for `preLoop`.
METHODS = {point: to_snake(point.value) for point in Point}

#: What a hook is given beside the turn, at the points that are about such a thing.
HookSubject = ToolUse | Handoff | SubagentCall

log = structlog.get_logger()


async def run_hooks(
    point: Point, hooks: Sequence[Hook], turn: Turn, subject: HookSubject | None = None
) -> Revision | None:
    """Each hook that has something to do here. The first `Revision` ends it: hooks after that one
    would judge a text that is not the last."""
    for hook in hooks:
        if takes_part(hook, point):
            revision = await _run(point, hook, turn, subject)
            if revision is not None:
                return revision
    return None


def takes_part(hook: Hook, point: Point) -> bool:
    return point in points_of(type(hook))


def points_of(kind: type[Hook]) -> list[Point]:
    """Where hooks of this kind have something to do."""
    return [
        point
        for point, method in METHODS.items()
        if getattr(kind, method) is not getattr(Hook, method)
    ]


async def _run(
    point: Point, hook: Hook, turn: Turn, subject: HookSubject | None
) -> Revision | None:
    attributes = {
        "bottega.hook.name": hook.name,
        "bottega.hook.point": point.value,
        "bottega.hook.outcome": HookOutcome.INTERRUPTED.value,
    }
    noted = len(turn.context.feedback)
    with turn.span(
        f"hook {hook.name}",
        attributes,
    ) as span:
        revision, outcome, abort = await _call(point, hook, turn, subject)
        notes = [feedback.text for feedback in turn.context.feedback[noted:]]
        span.set_attribute("bottega.hook.outcome", outcome.value)
        span.set_attribute("bottega.hook.notes", notes)
        told = {"name": hook.name, "point": point.value, "outcome": outcome.value}
        await turn.steps.emit("hook", {**told, "note": "\n".join(notes)})
        if abort is not None:
            raise abort
    return revision


async def _call(
    point: Point, hook: Hook, turn: Turn, subject: HookSubject | None
) -> tuple[Revision | None, HookOutcome, HookAbort | None]:
    method = getattr(hook, METHODS[point])
    try:
        revision = await (method(turn) if subject is None else method(turn, subject))
    except (SQLAlchemyError, BudgetExceeded):  # what is spent ends the loop by its own status
        raise
    except Exception as error:  # the edge of a hook
        abort = _as_abort(hook, error)
        if abort is not None:
            turn.note(hook.name, abort.reason)
            return None, HookOutcome.ABORT, abort
        log.warning("hook.failed", hook=hook.name, point=point, error=str(error), exc_info=error)
        turn.note(hook.name, f"This hook failed and was left out: {type(error).__name__}: {error}")
        return None, HookOutcome.FAILED, None
    if revision is None:
        return None, HookOutcome.PASSED, None
    return revision, HookOutcome.REVISE, None


def _as_abort(hook: Hook, error: Exception) -> HookAbort | None:
    """Also one that was raised inside a durable step, which keeps only the error's words."""
    if isinstance(error, HookAbort):
        return error
    if isinstance(error, BottegaError) and error.details.get("hook") == hook.name:
        return HookAbort(hook.name, error.message.removeprefix(f"{hook.name}: "))
    return None


class AgentTool(Protocol):
    """A tool as the loop uses it; its schema is JSON Schema of an object."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def schema(self) -> Mapping[str, Any]: ...

    @property
    def in_step(self) -> bool:
        """Whether a call is one durable step. A tool that asks the person, or has steps of its
        own, runs between steps instead."""
        ...

    async def run(self, arguments: dict[str, Any]) -> Any:
        """The result for the model, as JSON; an error of our tree is told to it."""
        ...


class AssembledPrompt(Protocol):
    @property
    def text(self) -> str: ...

    @property
    def tokens_by_section(self) -> Mapping[str, int]: ...


class OutputWriter(Protocol):
    """Writes a command's output to where its `writes` says, in the person's workspace."""

    async def write(self, path: str, text: str) -> object: ...


@dataclass(frozen=True, slots=True)
class LoopDependencies:
    """What the loop needs from the rest of the room, passed in when the room is built."""

    #: A plugin by its name; `NotFound` with what there is.
    plugin: Callable[[str], Awaitable[Plugin]]
    #: Hooks by name: the agent's own first, the caller's after them.
    resolve_hooks: Callable[[Sequence[str], Sequence[str]], Sequence[Hook]]
    tools: Callable[[Turn, AgentDefinition], Awaitable[Sequence[AgentTool]]]
    assemble: Callable[[Turn], Awaitable[AssembledPrompt]]
    workspace: Callable[[Turn], OutputWriter]
    #: The model that plays an agent where there is none.
    offline_model: "Callable[[Turn], Model]"
