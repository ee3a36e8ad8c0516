"""What is talked about at a pause: the plan as it stands, and how a reply changes it."""

from collections.abc import Awaitable, Callable

from bottega.errors import BudgetExceeded, ModelError, Unavailable
from bottega.research.agents.definition import StageConfig
from bottega.research.pipeline.outputs import QueryPlan
from bottega.research.pipeline.pausing import LONGEST_TOLD
from bottega.research.pipeline.progress import KNOWN_AS, PLANNING, Progress
from bottega.research.pipeline.stage import StageContext
from bottega.research.pipeline.state import SUB_QUERIES_TOLD, Moment
from bottega.research.pipeline.workbench import Workbench
from bottega.research.prompts.classify_breakout import (
    MessageKind,
    classify_breakout,
    read_message,
)
from bottega.research.talking.pause_messages import PauseMessage, pause_message

Revise = Callable[[StageContext, str], Awaitable[QueryPlan]]


class PlanTalk:
    """The `Subject` of a pause."""

    def __init__(
        self, workbench: Workbench, revise: Revise, stage: StageConfig, progress: Progress
    ) -> None:
        self._workbench = workbench
        self._revise = revise
        self._stage = stage
        #: With what was changed.
        self.progress = progress

    def message(self) -> PauseMessage:
        depth, settings = self.progress.depth
        return pause_message(
            self._stage,
            self.progress.known,
            depth=depth,
            settings=settings,
            budget_usd=self._workbench.spending.limit,
            offline=self._workbench.core.gateway.mode.offline,
        )

    async def has_left(self, reply: str) -> bool:
        """In a model's judgement. Without one that is sure, the person is taken to have stayed."""
        plan = self.progress.known.current_plan
        sub_queries = [sub_query.query for sub_query in plan.sub_queries[:SUB_QUERIES_TOLD]]
        calls = self._workbench.context(self.progress, self._stage).calls
        embedder = self._workbench.core.embedder
        try:
            message = await read_message(embedder, plan.original_query, sub_queries, reply)
            judged = await calls.ask(classify_breakout, message, max_tokens=200)
        except (ModelError, BudgetExceeded, Unavailable):
            return False
        return judged.settled is MessageKind.BREAKOUT

    async def modify(self, reply: str) -> bool:
        if self._stage.name not in PLANNING:
            return False
        context = self._workbench.context(self.progress, self._stage)
        plan = await self._revise(context, reply)
        self.progress = self.progress.with_plan(plan, reply)
        output = getattr(self.progress.known, KNOWN_AS[self._stage.name])
        await self._workbench.run.emit(
            Moment.PLAN_MODIFIED,
            {
                "stage": self._stage.id,
                "name": self._stage.name,
                "reply": reply[:LONGEST_TOLD],
                "output": output.model_dump(mode="json"),
            },
        )
        return True
