"""One turn of a session as hooks and tools see it, the loop's state in it, and how it ends.

What people decided at gates is kept as rows the moment they have decided, and in the trace.
"""

import hashlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.plugins.definition import AgentDefinition, CommandDefinition, Plugin
from bottega.assistant.sessions.schemas import AssistantOrder, CallState, LoopStatus
from bottega.assistant.sessions.tables import AssistantDecision
from bottega.conversation.gates import GateDecision, GateKind
from bottega.conversation.pauses import Person
from bottega.core.clock import new_id
from bottega.core.db.database import storable
from bottega.core.llm.costs import Budget
from bottega.core.services import Core
from bottega.core.traces import SpanKind

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import Span
    from pydantic_ai.messages import ModelMessage

T = TypeVar("T")


def trace_id_of(run_id: str) -> str:
    return hashlib.sha256(run_id.encode()).hexdigest()[:32]


@contextmanager
def in_trace_of(run_id: str) -> Iterator[str]:
    """Spans opened within belong to the run's trace, whose id follows from the run's."""
    from opentelemetry import context
    from opentelemetry.trace import (
        NonRecordingSpan,
        SpanContext,
        TraceFlags,
        set_span_in_context,
    )

    trace_id = trace_id_of(run_id)
    root = SpanContext(
        trace_id=int(trace_id, 16),
        span_id=int(trace_id[:16], 16),
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
    token = context.attach(set_span_in_context(NonRecordingSpan(root)))
    try:
        yield trace_id
    finally:
        context.detach(token)


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """A reply without a tool call: the loop's end, unless a hook sends it back."""

    text: str
    #: Where the agent has an `outputSchema` that the reply fits.
    output: dict[str, Any] | None = None
    #: What is to be said about it: a best effort, or not in the schema.
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class LoopOutcome:
    status: LoopStatus
    text: str
    reason: str | None = None
    #: The hook that aborted.
    hook: str | None = None
    output: dict[str, Any] | None = None


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


@dataclass(slots=True, kw_only=True)
class PromptTurn:
    """What of a turn its prompt depends on; a dry run has no more."""

    core: Core
    order: AssistantOrder
    user_id: str
    plugin: Plugin
    agent: AgentDefinition
    command: CommandDefinition | None
    #: What the person said, as a modified feedforward leaves it.
    input: str
    context: LoopContext = field(default_factory=LoopContext)
    #: The class that it is about, once somebody has found out: `3B`.
    class_id: str | None = None
    #: Added to the prompt by hooks, by name of section: what a modified feedforward says.
    additions: dict[str, str] = field(default_factory=dict)
    #: What the person does not want considered: paths of the workspace, and `memory/…` ones.
    set_aside: set[str] = field(default_factory=set)


@dataclass(slots=True, kw_only=True)
class Turn(PromptTurn):
    run_id: str
    session_id: str
    steps: Steps
    person: Person
    budget: Budget
    #: The last text without a tool call: what postLoop hooks judge.
    output: str = ""
    #: What persons decided in this turn, for later hooks and the trace.
    decisions: list[dict[str, Any]] = field(default_factory=list)
    #: Names of files that tools wrote into the workspace.
    written: list[str] = field(default_factory=list)
    offline: bool = False

    def span(self, name: str, attributes: Mapping[str, Any]) -> "AbstractContextManager[Span]":
        """A span of a hook, in the turn's trace."""
        return self.core.traces.span(
            name,
            SpanKind.HOOK,
            session_id=self.session_id,
            user_id=self.user_id,
            run_id=self.run_id,
            attributes=attributes,
        )

    def trace(self, name: str, attributes: Mapping[str, Any]) -> None:
        """What a hook found, as a span without a length."""
        with self.span(name, attributes):
            pass

    def note(self, source: str, text: str) -> None:
        self.context.feedback.append(Feedback(source, text))


def uses_memory(order: AssistantOrder, agent: AgentDefinition) -> bool:
    """Off by `--no-memory`, by the agent's own file, or for an ablation."""
    return order.memory and agent.meta.memory and "memory" not in order.without


async def record(turn: Turn, *decisions: GateDecision) -> None:
    """Keep them, show them in the trace, and let later hooks of the turn know."""
    if not decisions:
        return

    async def number() -> str:
        return new_id()

    async def keep() -> None:
        trace_id = _trace(turn, decisions)
        async with turn.core.database.write() as session:
            for place, decision in enumerate(decisions):
                await put_decision(session, _row(turn, f"{batch}-{place:03}", decision, trace_id))

    # On record before the rows: a step that is done again after a crash decides nothing twice.
    batch = await turn.steps.step("decision", number)
    await turn.steps.step(f"decided {decisions[0].kind}", keep)
    turn.decisions.extend(asdict(decision) for decision in decisions)


async def put_decision(session: AsyncSession, decision: AssistantDecision) -> None:
    """Once, however often it is asked to."""
    if await session.get(AssistantDecision, decision.id) is None:
        session.add(decision)


async def decisions_of(
    session: AsyncSession, session_id: str, kind: GateKind | None = None
) -> Sequence[AssistantDecision]:
    """In the order in which they were made."""
    query = select(AssistantDecision).where(AssistantDecision.session_id == session_id)
    if kind is not None:
        query = query.where(AssistantDecision.kind == kind)
    return (await session.scalars(query.order_by(AssistantDecision.id))).all()


def _row(turn: Turn, id: str, decision: GateDecision, trace_id: str) -> AssistantDecision:
    return AssistantDecision(
        id=id,
        session_id=turn.session_id,
        run_id=turn.run_id,
        trace_id=trace_id,
        kind=decision.kind,
        item=decision.item and storable(decision.item),
        decision=decision.decision,
        text=decision.text and storable(decision.text),
        data=dict(decision.data),
    )


def _trace(turn: Turn, decisions: Sequence[GateDecision]) -> str:
    trace_id = 0
    for decision in decisions:
        attributes = {
            "bottega.decision.kind": decision.kind.value,
            "bottega.decision": decision.decision,
            "bottega.decision.item": decision.item or "",
            "bottega.decision.text": decision.text or "",
            "bottega.decision.data": dict(decision.data),
        }
        with turn.span(
            f"decision {decision.kind.value}",
            attributes,
        ) as span:
            trace_id = span.get_span_context().trace_id
    return f"{trace_id:032x}"
