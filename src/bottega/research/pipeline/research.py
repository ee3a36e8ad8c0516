"""One question under way: a plain loop over the stages of its agent.

Code decides and keeps what is known; models only answer what a stage asks them. All of it is run
again from the start after a crash, gets the same results from the steps that are on record, and so
comes by the same way to the same place.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from bottega.errors import InsufficientData
from bottega.research.agents.definition import RepairUnit, StageConfig, StageName
from bottega.research.pipeline.files import show_run
from bottega.research.pipeline.orders import ExitReason, ResearchOutcome
from bottega.research.pipeline.outputs import Output
from bottega.research.pipeline.pausing import Leaving, talk
from bottega.research.pipeline.plan_talk import PlanTalk, Revise
from bottega.research.pipeline.progress import Progress
from bottega.research.pipeline.stage import Repair, StageContext
from bottega.research.pipeline.state import Moment
from bottega.research.pipeline.workbench import Workbench

StageFunction = Callable[[StageContext], Awaitable[Output]]

#: Too large for an event: whoever needs them finds them in the outcome.
BULKY = {"paragraphs", "markdown", "answer"}


class Research:
    def __init__(
        self,
        workbench: Workbench,
        stages: Mapping[StageName, StageFunction],
        revise: Revise,
        progress: Progress,
    ) -> None:
        self._workbench = workbench
        self._run = workbench.run
        self._stages = stages
        self._revise = revise
        self._progress = progress

    async def conduct(self) -> ResearchOutcome:
        """To an answer, to a refusal, or to where the person leaves."""
        for stage in self._progress.agent.config.stages:
            if self._progress.is_passed_over(stage):
                continue
            await self._complete(stage)
            if unit := self._progress.repair_unit(stage):
                await self._repair(unit)
            if self._progress.pauses_after(stage) and (leaving := await self._pause(stage)):
                return self._outcome(ExitReason.BREAKOUT, leaving.open_question)
        return self._outcome(ExitReason.COMPLETED)

    async def _complete(self, stage: StageConfig, repair: Repair | None = None) -> None:
        """Run a stage, and keep and tell what it gives."""
        place = {
            **_named(stage),
            "id": self._workbench.substeps(stage, repair).parent,
            "iteration": repair.iteration if repair else 0,
        }
        await self._run.emit(Moment.STAGE_STARTED, {**place, "description": stage.description})
        paid = self._workbench.spending
        started, cost, usage = time.monotonic(), paid.cost, paid.usage
        context = self._workbench.context(self._progress, stage, repair)
        output = await self._stages[stage.name](context)
        self._progress = self._progress.with_output(stage, output)
        told = output.model_dump(mode="json", exclude=BULKY)
        await self._require_keys(stage, told)
        took = {
            "cost": paid.cost - cost,
            "input_tokens": paid.usage.input_tokens - usage.input_tokens,
            "output_tokens": paid.usage.output_tokens - usage.output_tokens,
            "duration_ms": round((time.monotonic() - started) * 1000),
        }
        await self._run.emit(Moment.STAGE_COMPLETED, {**place, "output": told, **took})

    async def _require_keys(self, stage: StageConfig, output: dict[str, Any]) -> None:
        missing = self._progress.missing_keys(stage, output)
        if not missing:
            return
        await self._run.emit(Moment.STAGE_BLOCKED, {**_named(stage), "missing": missing})
        raise InsufficientData(
            f"Stage {stage.id} ({stage.name}) gave no {', '.join(missing)}, which the agent "
            f"{self._progress.agent.slug!r} requires of it. What was done before is kept. Ask "
            "again, or change requiredKeys in the agent's config.json.",
            stage=stage.id,
            missing=missing,
        )

    async def _repair(self, unit: RepairUnit) -> None:
        """Run the unit again with what was wrong, until it passes or the depth has had enough.

        The depth's number of iterations counts, not the unit's own.
        """
        for iteration in range(1, self._progress.depth[1].repair_iterations + 1):
            verified, synthesis = self._progress.known.verified, self._progress.known.synthesis
            if verified is None or synthesis is None or verified.all_passed:
                return
            stages = [self._progress.agent.config.stages[stage] for stage in unit.stages]
            told = {"iteration": iteration, "failures": verified.failures}
            await self._run.emit(Moment.REPAIR_STARTED, {**_named(stages[0]), **told})
            self._progress = self._progress.before_repair()
            for stage in stages:
                if not self._progress.is_passed_over(stage):
                    await self._complete(stage, Repair(iteration, verified.failures, synthesis))

    async def _pause(self, stage: StageConfig) -> Leaving | None:
        await show_run(self._workbench.core, self._run.id, self._run.session_id)
        plan = PlanTalk(self._workbench, self._revise, stage, self._progress)
        leaving = await talk(self._run, stage, plan)
        self._progress = plan.progress
        return leaving

    def _outcome(self, reason: ExitReason, open_question: str | None = None) -> ResearchOutcome:
        delivered = self._progress.known.delivered
        return ResearchOutcome(
            exit_reason=reason,
            status=delivered.status if delivered else None,
            markdown=delivered.markdown if delivered else "",
            answer=delivered.answer if delivered else {},
            output_file_path=delivered.output_file_path if delivered else None,
            cost=self._workbench.spending.cost,
            open_question=open_question,
        )


def _named(stage: StageConfig) -> dict[str, Any]:
    return {"stage": stage.id, "name": stage.name}
