"""What a stage gets, and how it may reach the world.

A stage is run again from its start after a crash: what it does outside of `calls` must come to
the same from the same results.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from bottega.core.llm.tasks import Task
from bottega.library.service import Library
from bottega.research.agents.definition import Agent, Depth, DepthSettings, StageConfig
from bottega.research.pipeline.orders import ResearchOrder
from bottega.research.pipeline.outputs import (
    Calibration,
    Delivered,
    QueryPlan,
    Retrieval,
    Synthesis,
    Verified,
)
from bottega.research.talking.prior import PriorResearch

In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)
T = TypeVar("T")


class Calls(Protocol):
    """The only way from a stage to models and tools: durable, paid once, shown as substeps.

    Calls are known again after a crash by the order in which they start. Tools may be called
    together with `asyncio.gather` if each branch is one call; a model is asked by itself.
    """

    @property
    def offline(self) -> bool:
        """No model answers: tasks are worked out by our own code."""
        ...

    async def ask(self, task: Task[In, Out], input: In, *, max_tokens: int = 4096) -> Out:
        """A model's answer, streamed to whoever watches (`orchestrator_llm`)."""
        ...

    async def tool(
        self,
        name: str,
        function: Callable[[], Awaitable[T]],
        *,
        input: Mapping[str, Any],
        shown: Callable[[T], str],
        result: type[T],
    ) -> T:
        """A tool's result (`orch_kb_search` …); `shown` says it in a line for people.

        A failure is told as the substep's result and raised.
        """
        ...

    async def status(self, message: str) -> None:
        """Tell what is being done where nothing is called."""
        ...


@dataclass(frozen=True, slots=True)
class Repair:
    """Why the stage is run again."""

    iteration: int
    failures: Sequence[str]
    previous: Synthesis


@dataclass(frozen=True, slots=True)
class Known:
    """What the run knows so far: the outputs of finished stages."""

    plan: QueryPlan | None = None
    calibration: Calibration | None = None
    retrieval: Retrieval | None = None
    synthesis: Synthesis | None = None
    verified: Verified | None = None
    delivered: Delivered | None = None

    @property
    def current_plan(self) -> QueryPlan:
        """As calibration left it."""
        assert self.plan is not None, "a stage before this one makes the plan"
        refined = self.calibration.query_plan_refined if self.calibration else None
        return refined or self.plan


@dataclass(frozen=True, slots=True)
class StageContext:
    order: ResearchOrder
    agent: Agent
    stage: StageConfig
    depth: Depth
    settings: DepthSettings
    library: Library
    run_id: str
    session_id: str
    user_id: str
    known: Known
    calls: Calls
    #: What the person said at the pauses, in order.
    replies: Sequence[str] = ()
    prior: PriorResearch = field(default_factory=PriorResearch)
    repair: Repair | None = None
