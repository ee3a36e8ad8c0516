"""The kind of run that research is: prepare, go through the stages, leave the files behind."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from bottega.core.runs import RunContext
from bottega.core.runs.outcomes import describe
from bottega.core.services import Core
from bottega.library.service import LibraryService
from bottega.research.agents.definition import Agent, FollowUpConfig, StageName
from bottega.research.agents.loading import agent_folders
from bottega.research.pipeline.files import close_run
from bottega.research.pipeline.orders import ExitReason, ResearchOrder, ResearchOutcome
from bottega.research.pipeline.plan_talk import Revise
from bottega.research.pipeline.progress import Progress
from bottega.research.pipeline.research import Research, StageFunction
from bottega.research.pipeline.spending import Spending
from bottega.research.pipeline.workbench import Workbench
from bottega.research.talking.prior import PriorResearch

LoadPrior = Callable[[Core, str, str, FollowUpConfig], Awaitable[PriorResearch]]

_AGENT: TypeAdapter[Agent] = TypeAdapter(Agent)


@dataclass(frozen=True, slots=True)
class Orchestrator:
    core: Core
    libraries: LibraryService
    stages: Mapping[StageName, StageFunction]
    revise: Revise
    load_prior: LoadPrior

    async def research(self, run: RunContext, order: ResearchOrder) -> ResearchOutcome:
        """The run's body."""
        try:
            outcome = await self._conduct(run, order)
        except Exception as error:
            # Whatever went wrong: what was found until then is left behind before it is told.
            await close_run(self.core, run.id, run.session_id, ExitReason.ERROR, describe(error))
            raise
        await close_run(self.core, run.id, run.session_id, outcome.exit_reason)
        return outcome

    async def _conduct(self, run: RunContext, order: ResearchOrder) -> ResearchOutcome:
        agent = _AGENT.validate_python(await run.step("agent", self._read_agent, order.agent))
        library = await self.libraries.libraries.get(order.library, run.user_id)
        config = agent.config.orchestrator
        budget = config.budget_usd if order.budget_usd is None else order.budget_usd
        prior = await self._prior(run, order, agent)
        workbench = Workbench(self.core, run, library, prior, Spending(budget))
        progress = Progress(order, agent)
        return await Research(workbench, self.stages, self.revise, progress).conduct()

    async def _read_agent(self, slug: str) -> dict[str, Any]:
        """As its files are now: a run keeps to that, whatever becomes of them while it waits."""
        agent = await asyncio.to_thread(lambda: agent_folders(self.core).load(slug))
        snapshot: dict[str, Any] = _AGENT.dump_python(agent, mode="json", by_alias=True)
        return snapshot

    async def _prior(self, run: RunContext, order: ResearchOrder, agent: Agent) -> PriorResearch:
        settings = agent.config.follow_up
        if order.follow_up_of is None or not settings.enabled:
            return PriorResearch()

        async def load() -> PriorResearch:
            assert order.follow_up_of is not None
            return await self.load_prior(self.core, order.follow_up_of, run.user_id, settings)

        return await run.step("prior", load)
