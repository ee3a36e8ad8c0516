"""Stages without a run: their calls are made at once, through the real gateway.

async with open_research(tmp_path) as app:
    context = stage_context(app, "How long may engines run at night?")
    plan = await analyze(context)
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter

from bottega.core.llm.tasks import Task
from bottega.core.services import Core
from bottega.library.service import WebResults
from bottega.research.agents.definition import Agent, AgentConfig, AgentMeta, Depth, StageName
from bottega.research.pipeline.context import Repair, StageContext, StageOutputs, StageServices, Web
from bottega.research.pipeline.schemas import PriorResearch, ResearchOrder
from tests.research.builders import ResearchApp

In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)
T = TypeVar("T")

#: The shipped agent's numbers, in a config that a test may read at a glance.
CONFIG = AgentConfig.model_validate(
    {
        "stages": [{"id": place, "name": name} for place, name in enumerate(StageName)],
        "pauseAfterStages": [0, 1],
        "repairUnits": [{"stages": [3, 4], "maxIterations": 2}],
        "depthModes": {
            name: {
                "maxSubQueries": sub_queries,
                "paragraphsPerQuery": paragraphs,
                "repairIterations": repairs,
                "contextTokens": tokens,
                "webSearch": web,
                "synthesisTokens": written,
            }
            for name, sub_queries, paragraphs, repairs, tokens, web, written in (
                ("quick", 3, 10, 0, 4_000, False, 2_048),
                ("standard", 8, 20, 2, 12_000, True, 4_096),
                ("deep", 15, 30, 3, 24_000, True, 8_192),
            )
        },
    }
)
AGENT = Agent("deep-research", AgentMeta(name="Research", description="For tests."), CONFIG, "")


@dataclass
class Substep:
    """A call that was made, as it would be shown."""

    tool: str
    input: Mapping[str, Any]
    shown: str = ""
    is_error: bool = False


@dataclass
class DirectCalls:
    """`Calls` without steps. What a tool gives goes through JSON, as a durable step's would."""

    core: Core
    session_id: str | None = None
    substeps: list[Substep] = field(default_factory=list)

    @property
    def offline(self) -> bool:
        return self.core.gateway.mode.offline

    def made(self, tool: str) -> list[Substep]:
        return [each for each in self.substeps if each.tool == tool]

    async def ask(self, task: Task[In, Out], input: In, *, max_tokens: int = 4096) -> Out:
        substep = Substep("orchestrator_llm", {"task": task.name, "max_tokens": max_tokens})
        self.substeps.append(substep)
        return await self.core.gateway.run(
            task, input, retry=True, session_id=self.session_id, max_tokens=max_tokens
        )

    async def tool(
        self,
        name: str,
        function: Callable[[], Awaitable[T]],
        *,
        input: Mapping[str, Any],
        shown: Callable[[T], str],
        result: type[T],
    ) -> T:
        substep = Substep(name, input)
        self.substeps.append(substep)
        try:
            given = await function()
        except Exception as error:
            substep.shown, substep.is_error = str(error), True
            raise
        adapter = TypeAdapter(result)
        kept = adapter.validate_json(adapter.dump_json(given))
        substep.shown = shown(kept)
        return kept


@dataclass
class NoWeb:
    """A web search that nobody has set up, or pages that it is given."""

    pages: WebResults | None = None
    asked: list[str] = field(default_factory=list)

    async def search(
        self, queries: Sequence[str], *, max_results_per_query: int, user_id: str
    ) -> WebResults:
        self.asked += queries
        reason = "No web search is set up."
        return self.pages or WebResults(skipped=True, skip_reason=reason, queries=list(queries))


def parts_of(app: ResearchApp, web: Web | None = None) -> StageServices:
    return StageServices(app.core, app.libraries, web or NoWeb())


def stage_context(
    app: ResearchApp,
    question: str,
    *,
    stage: StageName = StageName.ANALYZE,
    depth: Depth | None = None,
    known: StageOutputs | None = None,
    calls: DirectCalls | None = None,
    replies: Sequence[str] = (),
    prior: PriorResearch | None = None,
    repair: Repair | None = None,
    agent: Agent = AGENT,
    web: Web | None = None,
) -> StageContext:
    chosen, settings = agent.depth(depth)
    return StageContext(
        order=ResearchOrder(question=question, library=app.harbour.name, depth=depth),
        agent=agent,
        stage=next(each for each in agent.config.stages if each.name is stage),
        depth=chosen,
        settings=settings,
        library=app.harbour,
        services=parts_of(app, web),
        run_id="run-1",
        session_id="session-1",
        user_id=app.harbour.user_id,
        known=known or StageOutputs(),
        calls=calls or DirectCalls(app.core),
        replies=replies,
        prior=prior or PriorResearch(),
        repair=repair,
    )
