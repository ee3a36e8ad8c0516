"""Research runs as the doors use them, and what such a run does: a plain loop over the stages of
its agent, whose every call is a durable step.

Code decides and keeps what is known; models only answer what a stage asks them. All of it is run
again from the start after a crash, gets the same results from the steps that are on record, and so
comes by the same way to the same place.
"""

import asyncio
import math
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from pydantic import TypeAdapter

from bottega.conversation.runs import SessionRuns, check_length
from bottega.core.events import Event
from bottega.core.runs import Run, RunContext, RunEvent
from bottega.core.runs.context import describe
from bottega.core.sessions.session import SessionKind
from bottega.core.users import LOCAL_USER
from bottega.errors import (
    BottegaError,
    Conflict,
    InsufficientData,
    InvalidInput,
)
from bottega.research.agents.definition import Agent, RepairUnit, StageConfig, StageName
from bottega.research.agents.folders import agent_folders
from bottega.research.pipeline.calls import Spending
from bottega.research.pipeline.context import (
    Progress,
    Repair,
    RunResources,
    StageFunction,
    StageServices,
)
from bottega.research.pipeline.follow_up import load_prior
from bottega.research.pipeline.pauses import PersonLeft, PlanDiscussion, Revise, hold_pause
from bottega.research.pipeline.schemas import (
    KIND,
    ExitReason,
    PriorResearch,
    ResearchOrder,
    ResearchOutcome,
)
from bottega.research.pipeline.state import (
    PipelineState,
    ResearchEvent,
    close_run,
    read_events,
    read_state,
    show_run,
)
from bottega.research.sessions.service import ResearchSessions

#: Characters.
LONGEST_QUESTION = 20_000
LONGEST_REPLY = 20_000
TOO_LONG = (
    "Nothing was started and nothing is lost. Ask for the gist of it here, and add long texts to a "
    "library."
)
MOST_DOLLARS = 10_000.0
#: Too large for an event: whoever needs them finds them in the outcome.
BULKY = {"paragraphs", "markdown", "answer"}
_AGENT: TypeAdapter[Agent] = TypeAdapter(Agent)


class SwitchOn(Protocol):
    """Switches on the sources that an agent requires, before its run begins."""

    async def __call__(self, slugs: Collection[str], *, user_id: str) -> object: ...


class ResearchRuns(SessionRuns[ResearchOutcome]):
    def __init__(
        self,
        services: StageServices,
        stages: Mapping[StageName, StageFunction],
        *,
        revise: Revise,
        switch_on: SwitchOn | None = None,
        sessions: ResearchSessions | None = None,
    ) -> None:
        core = services.core
        super().__init__(core, KIND, called="research run", result="answer")
        self._services = services
        self._stages = stages
        self._revise = revise
        self._sessions = sessions or ResearchSessions(core)
        self._switch_on = switch_on
        self._closing: set[asyncio.Task[None]] = set()
        core.runs.register(KIND, self._research)
        core.bus.on("run.cancelled", self._hear_of_cancelled, own_only=True)

    async def stop(self) -> None:
        """Finish the files of runs that were cancelled."""
        await asyncio.gather(*self._closing)
        await self._sessions.titles.stop()

    async def agent(self, slug: str) -> Agent:
        return await asyncio.to_thread(lambda: agent_folders(self._core).load(slug))

    async def start(
        self, order: ResearchOrder, *, user_id: str = LOCAL_USER, session_id: str | None = None
    ) -> Run:
        """Begin a run, in a session of its own if none is given. Nothing begins if it is wrong."""
        order = _checked(order)
        await self._services.libraries.libraries.get(order.library, user_id)
        agent = await self.agent(order.agent)
        if order.follow_up_of is not None:
            await self._check_followed(order.follow_up_of, user_id)
        if session_id is not None:
            await self._check_session(session_id, user_id)
        if self._switch_on is not None:
            await self._switch_on(agent.meta.sources, user_id=user_id)
        if session_id is None:
            session_id = await self._open_session(order, user_id)
        run_id = await self._core.runs.start(KIND, order, user_id=user_id, session_id=session_id)
        return await self._core.runs.get(run_id)

    async def history(self, run_id: str) -> Sequence[RunEvent]:
        """All that has happened in it."""
        return await read_events(self._core, run_id)

    async def planned(self, run: Run) -> Sequence[StageConfig]:
        """The stages of its agent as it is now; none if the agent is gone or broken."""
        try:
            return (await self.agent(ResearchOrder.model_validate(run.input).agent)).config.stages
        except BottegaError:
            return ()

    async def state(self, run_id: str, user_id: str | None = None) -> PipelineState:
        await self.get(run_id, user_id)
        return await read_state(self._core, run_id)

    async def reply(
        self, run_id: str, text: str, user_id: str | None = None, *, pause_key: str | None = None
    ) -> Run:
        """Answer a paused run; with the pause's key, that pause and no later one.

        Of two replies at once one is taken. The other is told `Conflict` with the run's status, and
        whoever sent it still has it.
        """
        await self.get(run_id, user_id)
        if not text.strip():
            raise InvalidInput("The reply is empty. Say 1 to go on, or what should be different.")
        check_length("reply", text, LONGEST_REPLY, TOO_LONG)
        return await self._core.runs.reply(run_id, text, user_id=user_id, pause_key=pause_key)

    async def cancel(self, run_id: str, user_id: str | None = None) -> Run:
        """Stop it for good; what it had found is summarised and kept."""
        run = await super().cancel(run_id, user_id)
        await asyncio.gather(*self._closing)
        return run

    async def _research(self, run: RunContext, order: ResearchOrder) -> ResearchOutcome:
        """The run's body."""
        try:
            outcome = await self._conduct(run, order)
        except Exception as error:
            # Whatever went wrong: what was found until then is left behind before it is told.
            await close_run(self._core, run.id, run.session_id, ExitReason.ERROR, describe(error))
            raise
        await close_run(self._core, run.id, run.session_id, outcome.exit_reason)
        return outcome

    async def _conduct(self, run: RunContext, order: ResearchOrder) -> ResearchOutcome:
        agent = _AGENT.validate_python(await run.step("agent", self._snapshot, order.agent))
        library = await self._services.libraries.libraries.get(order.library, run.user_id)
        config = agent.config.orchestrator
        budget = config.budget_usd if order.budget_usd is None else order.budget_usd
        prior = await self._prior(run, order, agent)
        resources = RunResources(self._services, run, library, prior, budget, Spending(budget))
        progress = Progress(order, agent)
        return await StageLoop(resources, self._stages, self._revise, progress).conduct()

    async def _snapshot(self, slug: str) -> dict[str, Any]:
        """The agent as its files are now: a run keeps to that, whatever becomes of them while it
        waits."""
        snapshot: dict[str, Any] = _AGENT.dump_python(
            await self.agent(slug), mode="json", by_alias=True
        )
        return snapshot

    async def _prior(self, run: RunContext, order: ResearchOrder, agent: Agent) -> PriorResearch:
        settings = agent.config.follow_up
        if order.follow_up_of is None or not settings.enabled:
            return PriorResearch()
        return await run.step(
            "prior", load_prior, self._core, order.follow_up_of, run.user_id, settings
        )

    async def _open_session(self, order: ResearchOrder, user_id: str) -> str:
        session = await self._sessions.create(
            user_id=user_id, library=order.library, agent=order.agent
        )
        self._sessions.titles.begin(session.id, order.question)
        return session.id

    async def _check_session(self, session_id: str, user_id: str) -> None:
        session = await self._core.sessions.get(session_id, user_id=user_id)
        if session.kind != SessionKind.RESEARCH:
            raise InvalidInput(
                f"The session {session_id!r} is of the kind {session.kind}. Research needs one of "
                "its own kind: leave it out, and one is opened."
            )
        await self.check_free(session_id)

    async def _check_followed(self, run_id: str, user_id: str) -> None:
        run = await self.get(run_id, user_id)
        outcome = ResearchOutcome.model_validate(run.output) if run.output else None
        if outcome is None or outcome.exit_reason is not ExitReason.COMPLETED:
            raise Conflict(
                f"The run {run_id!r} is {run.status} and has no answer to follow up. Follow up one "
                "that was completed, or ask without follow_up_of.",
                status=run.status,
            )

    def _hear_of_cancelled(self, event: Event) -> None:
        if event.payload["kind"] == KIND:
            task = asyncio.create_task(
                close_run(
                    self._core, event.payload["run_id"], event.session_id, ExitReason.CANCELLED
                )
            )
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)


class StageLoop:
    def __init__(
        self,
        resources: RunResources,
        stages: Mapping[StageName, StageFunction],
        revise: Revise,
        progress: Progress,
    ) -> None:
        self._resources = resources
        self._run = resources.run
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
            **stage.told,
            "id": self._resources.substeps(stage, repair).parent,
            "iteration": repair.iteration if repair else 0,
        }
        await self._run.emit(
            ResearchEvent.STAGE_STARTED, {**place, "description": stage.description}
        )
        paid = self._resources.spending
        started, cost, usage = time.monotonic(), paid.spent, paid.usage
        context = self._resources.context(self._progress, stage, repair)
        output = await self._stages[stage.name](context)
        self._progress = self._progress.with_output(stage, output)
        told = output.model_dump(mode="json", exclude=BULKY)
        await self._require_keys(stage, told)
        took = {
            "cost": paid.spent - cost,
            "input_tokens": paid.usage.input_tokens - usage.input_tokens,
            "output_tokens": paid.usage.output_tokens - usage.output_tokens,
            "duration_ms": round((time.monotonic() - started) * 1000),
        }
        await self._run.emit(ResearchEvent.STAGE_COMPLETED, {**place, "output": told, **took})

    async def _require_keys(self, stage: StageConfig, output: dict[str, Any]) -> None:
        missing = self._progress.missing_keys(stage, output)
        if not missing:
            return
        await self._run.emit(ResearchEvent.STAGE_BLOCKED, {**stage.told, "missing": missing})
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
            await self._run.emit(ResearchEvent.REPAIR_STARTED, {**stages[0].told, **told})
            self._progress = self._progress.before_repair()
            for stage in stages:
                if not self._progress.is_passed_over(stage):
                    await self._complete(stage, Repair(iteration, verified.failures, synthesis))

    async def _pause(self, stage: StageConfig) -> PersonLeft | None:
        await show_run(self._resources.services.core, self._run.id, self._run.session_id)
        plan = PlanDiscussion(self._resources, self._revise, stage, self._progress)
        leaving = await hold_pause(self._run, stage, plan)
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
            cost=self._resources.spending.spent,
            open_question=open_question,
        )


def _checked(order: ResearchOrder) -> ResearchOrder:
    question = order.question.strip()
    if not question:
        raise InvalidInput("The question is empty. Ask something that the library can answer.")
    check_length("question", question, LONGEST_QUESTION, TOO_LONG)
    budget = order.budget_usd
    if budget is not None and not (math.isfinite(budget) and 0 <= budget <= MOST_DOLLARS):
        raise InvalidInput(f"A budget of {budget} dollars cannot be kept: give 0 to 10000.")
    return order.model_copy(update={"question": question})
