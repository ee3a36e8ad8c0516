"""What a run has at hand while it works, the same for all of its stages."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from bottega.core.runs import RunContext
from bottega.core.services import Core
from bottega.library.service import Library
from bottega.research.agents.definition import StageConfig
from bottega.research.pipeline.calls import DurableCalls
from bottega.research.pipeline.progress import Progress
from bottega.research.pipeline.spending import Spending
from bottega.research.pipeline.stage import Repair, StageContext
from bottega.research.pipeline.substeps import Substeps
from bottega.research.talking.prior import PriorResearch


@dataclass(frozen=True, slots=True)
class Workbench:
    core: Core
    run: RunContext
    library: Library
    prior: PriorResearch
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
            run_id=self.run.id,
            session_id=self.run.session_id or self.run.id,
            user_id=self.run.user_id,
            known=progress.known,
            calls=DurableCalls(self.core, self.run, config, substeps, self.spending),
            replies=progress.replies,
            prior=self.prior,
            repair=repair,
        )
