"""One turn of a session as hooks and tools see it, and the state that the loop keeps."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from bottega.assistant.gates.gate import Person
from bottega.assistant.orders import AssistantOrder
from bottega.assistant.plugins.definition import AgentDefinition, CommandDefinition, Plugin
from bottega.core.budgets import Budget
from bottega.core.services import Core

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

T = TypeVar("T")


class CallState(StrEnum):
    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(slots=True)
class ToolCallRecord:
    id: str
    name: str
    arguments: Mapping[str, Any]
    state: CallState = CallState.PENDING
    retries: int = 0


@dataclass(slots=True)
class TaskItem:
    id: str
    title: str
    #: `pending`, `in_progress`, `completed`.
    status: str = "pending"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Feedback:
    """A hook's output, a warning of the loop, a guardrail's note."""

    source: str
    text: str


@dataclass(slots=True)
class ContextSummary:
    """Counters and marks of progress, for traces and for whoever debugs."""

    turns: int = 0
    tool_calls: int = 0
    failed_tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    #: Model turns in a row that brought nothing new.
    stalled: int = 0
    marks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class LoopContext:
    """Owns the loop's state; messages alone are not enough to know how it goes."""

    history: "list[ModelMessage]" = field(default_factory=list)
    tool_calls: list[ToolCallRecord] = field(default_factory=list)
    task_progress: list[TaskItem] = field(default_factory=list)
    feedback: list[Feedback] = field(default_factory=list)
    summary: ContextSummary = field(default_factory=ContextSummary)


class Steps(Protocol):
    """Durable steps of the run the turn belongs to."""

    async def step(
        self, name: str, function: Callable[..., Awaitable[T]], *args: Any, **kwargs: Any
    ) -> T: ...

    async def emit(self, type: str, payload: Mapping[str, Any] | None = None) -> None: ...


@dataclass(slots=True)
class Turn:
    core: Core
    order: AssistantOrder
    run_id: str
    session_id: str
    user_id: str
    plugin: Plugin
    agent: AgentDefinition
    command: CommandDefinition | None
    steps: Steps
    person: Person
    budget: Budget
    context: LoopContext
    #: What the person said, as a modified feedforward leaves it.
    input: str
    #: The class that it is about, once somebody has found out: `3B`.
    class_id: str | None = None
    #: Added to the prompt by hooks, by name of section: what a modified feedforward says.
    additions: dict[str, str] = field(default_factory=dict)
    #: What the person does not want considered: paths of the workspace, and `memory/…` ones.
    set_aside: set[str] = field(default_factory=set)
    #: The last text without a tool call: what postLoop hooks judge.
    output: str = ""
    #: What persons decided in this turn, for later hooks and the trace.
    decisions: list[dict[str, Any]] = field(default_factory=list)
    #: Names of files that tools wrote into the workspace.
    written: list[str] = field(default_factory=list)
    offline: bool = False

    def note(self, source: str, text: str) -> None:
        self.context.feedback.append(Feedback(source, text))
