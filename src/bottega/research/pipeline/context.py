"""What a stage gets, how it may reach the world, and how far its run has come.

A stage is `async def stage(context) -> output`. It is run again from its start after a
crash: what it does outside of `calls` must come to the same from the same results. `Progress` is
pure, so that a replay decides alike.
"""

import itertools
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from pydantic import BaseModel

from bottega.core.llm.tasks import Task
from bottega.core.runs import RunContext
from bottega.core.services import Core
from bottega.library.service import Library, LibraryService, WebResults
from bottega.research.agents.definition import (
    Agent,
    Depth,
    DepthSettings,
    RepairUnit,
    StageConfig,
    StageName,
)
from bottega.research.pipeline.calls import DurableCalls, Spending, Substeps
from bottega.research.pipeline.schemas import (
    Calibration,
    Delivered,
    Output,
    PriorResearch,
    QueryPlan,
    ResearchOrder,
    Retrieval,
    Synthesis,
    Verified,
)

In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)
T = TypeVar("T")

#: The field of `StageOutputs` that holds each stage's output.
KNOWN_AS = {
    StageName.ANALYZE: "plan",
    StageName.CALIBRATE: "calibration",
    StageName.RETRIEVE: "retrieval",
    StageName.SYNTHESIZE: "synthesis",
    StageName.VERIFY: "verified",
    StageName.OUTPUT: "delivered",
}
#: The stages after which the plan can still be changed.
PLANNING = frozenset({StageName.ANALYZE, StageName.CALIBRATE})


class Web(Protocol):
    async def search(
        self, queries: Sequence[str], *, max_results_per_query: int, user_id: str
    ) -> WebResults:
        """Pages for each query. Where the web cannot be searched: `skipped`, with the reason."""
        ...


@dataclass(frozen=True, slots=True)
class StageServices:
    """What every stage needs beside what each run brings."""

    core: Core
    libraries: LibraryService
    web: Web


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
        """A model's answer, streamed to whoever watches (`orchestrator_llm`).

        Raises `ModelError`, also if two replies could not be read; `BudgetExceeded` if nothing is
        left to pay it with, and `TooLarge` if it does not fit the context window.
        """
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
        """What `function` returns, as a step of the run under this name (`orch_kb_search` …).

        `shown` says it in a line for people. What it raises is shown as the substep's result and
        raised.
        """
        ...


@dataclass(frozen=True, slots=True)
class Repair:
    """Why the stage is run again."""

    iteration: int
    failures: Sequence[str]
    previous: Synthesis


@dataclass(frozen=True, slots=True)
class StageOutputs:
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
    services: StageServices
    run_id: str
    session_id: str
    user_id: str
    known: StageOutputs
    calls: Calls
    #: What the person said at the pauses, in order.
    replies: Sequence[str] = ()
    prior: PriorResearch = field(default_factory=PriorResearch)
    repair: Repair | None = None

    @property
    def libraries(self) -> LibraryService:
        return self.services.libraries

    async def ask(self, task: Task[In, Out], input: In, *, max_tokens: int = 4096) -> Out:
        """A model's answer; what the agent's own files add to the instructions of this stage
        stands in the place of their `{own}`."""
        added = (self.agent.instructions.strip(), self.agent.prompt_of(self.stage).strip())
        own = "".join(f"\n{text}\n" for text in added if text)
        return await self.calls.ask(_with_own(task, own), input, max_tokens=max_tokens)


@lru_cache(maxsize=128)
def _with_own(task: Task[In, Out], own: str) -> Task[In, Out]:
    return replace(task, instructions=task.instructions.format(own=own))


StageFunction: TypeAlias = Callable[[StageContext], Awaitable[Output]]


@dataclass(frozen=True, slots=True)
class Progress:
    order: ResearchOrder
    agent: Agent
    known: StageOutputs = field(default_factory=StageOutputs)
    #: What the person said at the pauses to change something, in order.
    replies: tuple[str, ...] = ()
    #: The depth that they asked for there, which counts more than the one that was ordered.
    wanted_depth: Depth | None = None

    @property
    def depth(self) -> tuple[Depth, DepthSettings]:
        planned = self.known.current_plan.depth_mode if self.known.plan else None
        return self.agent.depth(self.wanted_depth or self.order.depth or planned)

    @property
    def has_refused(self) -> bool:
        """The library holds no answer, in its own judgement or in that of the synthesis."""
        retrieval, synthesis = self.known.retrieval, self.known.synthesis
        if retrieval is not None and not retrieval.answerable:
            return True
        return synthesis is not None and synthesis.cannot_answer is not None

    def is_passed_over(self, stage: StageConfig) -> bool:
        """A question without an answer goes straight to the output, which says what is missing."""
        return self.has_refused and stage.name in (StageName.SYNTHESIZE, StageName.VERIFY)

    def pauses_after(self, stage: StageConfig) -> bool:
        if self.order.auto_proceed or stage.id not in self.agent.config.pause_after:
            return False
        # A calibration that did not take place gives nothing to talk about.
        calibration = self.known.calibration
        return stage.name is not StageName.CALIBRATE or not (calibration and calibration.skipped)

    def repair_unit(self, last: StageConfig) -> RepairUnit | None:
        """The unit that ends with this stage."""
        units = self.agent.config.repair_units
        return next((unit for unit in units if unit.stages[-1] == last.id), None)

    def missing_keys(self, stage: StageConfig, output: dict[str, Any]) -> list[str]:
        """Keys that the agent requires of a stage; a refusal has none of an answer's."""
        if self.has_refused:
            return []
        return [key for key in stage.required_keys if output.get(key) in (None, "")]

    def with_output(self, stage: StageConfig, output: Output) -> "Progress":
        # Each stage gives what its name stands for, which the table of stages cannot express.
        given = cast("Any", {KNOWN_AS[stage.name]: output})
        return replace(self, known=replace(self.known, **given))

    def before_repair(self) -> "Progress":
        """What was verified was another text than the one that will be."""
        return replace(self, known=replace(self.known, verified=None))

    def with_plan(self, plan: QueryPlan, reply: str) -> "Progress":
        """As the person wants it: in the place of the plan that was shown to them."""
        before, known = self.known.current_plan, self.known
        if known.calibration is not None:
            refined = known.calibration.model_copy(update={"query_plan_refined": plan})
            known = replace(known, calibration=refined)
        else:
            known = replace(known, plan=plan)
        is_other_depth = plan.depth_mode is not before.depth_mode
        return replace(
            self,
            known=known,
            replies=(*self.replies, reply),
            wanted_depth=plan.depth_mode if is_other_depth else self.wanted_depth,
        )


@dataclass(frozen=True, slots=True)
class RunResources:
    services: StageServices
    run: RunContext
    library: Library
    prior: PriorResearch
    budget_usd: float
    spending: Spending
    #: Numbers the run's substeps.
    counter: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def substeps(self, stage: StageConfig, repair: Repair | None = None) -> Substeps:
        return Substeps(self.run, stage, repair.iteration if repair else 0, self.counter)

    def context(
        self, progress: Progress, stage: StageConfig, repair: Repair | None = None
    ) -> StageContext:
        depth, settings = progress.depth
        config = progress.agent.config.orchestrator
        substeps = self.substeps(stage, repair)
        return StageContext(
            order=progress.order,
            agent=progress.agent,
            stage=stage,
            depth=depth,
            settings=settings,
            library=self.library,
            services=self.services,
            run_id=self.run.id,
            session_id=self.run.session_id or self.run.id,
            user_id=self.run.user_id,
            known=progress.known,
            calls=DurableCalls(self.services.core, self.run, config, substeps, self.spending),
            replies=progress.replies,
            prior=self.prior,
            repair=repair,
        )
