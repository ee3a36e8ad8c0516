"""From a plan to phases on the screen: recall, sift, coach, store, tell, point (story 9).

Memories are a help and may fail; the coach is the heart of it and may not. Nothing is stored
before the coach has answered, and then all of it at once.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.enums import PhaseStatus
from bottega.coach.planning.checking import checked_phases
from bottega.coach.planning.concepts import language_name
from bottega.coach.protocol.sessions import PlannedPhase, PlanReady
from bottega.coach.repository import plans
from bottega.coach.repository.plans import PlanWithPhases
from bottega.coach.sessions.facts import issue_of
from bottega.coach.sessions.hints import Hints
from bottega.coach.skills import Skills
from bottega.core.actions import ActionType
from bottega.core.services import Core
from bottega.core.sessions import LIVE, lock
from bottega.errors import BottegaError, Conflict, InvalidInput
from bottega.memory.service import SemanticMemories

if TYPE_CHECKING:
    from bottega.coach.planning.guidance import Guidance
    from bottega.coach.prompts.memory_filter import RelevantMemory

#: FR-109.
MEMORIES = 10

log = structlog.get_logger()


class Pipeline:
    def __init__(
        self,
        core: Core,
        memories: SemanticMemories,
        skills: Skills,
        voice: Voice,
        hints: Hints,
    ) -> None:
        self._core = core
        self._memories = memories
        self._skills = skills
        self._voice = voice
        self._hints = hints

    async def run(
        self,
        desk: Desk,
        plan_text: str,
        issue_summary: str | None = None,
        issue_number: int | None = None,
    ) -> PlanReady:
        """A new plan for the session at hand; an earlier one stays, but is no longer current."""
        session_id = desk.require_session()
        if not plan_text.strip():
            raise InvalidInput("The plan is empty: say in `planText` what is to be done.")
        summary = (issue_summary or "").strip() or await self._issue(desk, session_id)
        memories = await self._recall(desk, session_id, summary, plan_text)
        guidance = await self._coach(desk, session_id, summary, plan_text, memories)
        plan = await self._store(desk, session_id, plan_text, guidance)
        if issue_number is not None:
            await self._core.sessions.update(
                session_id, user_id=desk.user_id, issue_number=issue_number
            )
        await self._log(session_id, plan)
        ready = _ready(plan)
        self._voice.say(desk, ready)
        self._hints.clear(desk)
        await self._hints.show(desk)
        return ready

    async def _issue(self, desk: Desk, session_id: str) -> str:
        issue = issue_of(await self._core.sessions.get(session_id, user_id=desk.user_id))
        return f"{issue.title}\n\n{issue.summary}".strip()

    async def _recall(
        self, desk: Desk, session_id: str, summary: str, plan_text: str
    ) -> "Sequence[RelevantMemory]":
        """What earlier sittings have to say, in any project; nothing if that cannot be told."""
        from bottega.coach.prompts.memory_filter import FilterInput, memory_filter

        found = await self._memories.query_memories(
            summary, n_results=MEMORIES, user_id=desk.user_id
        )
        if not found:
            return ()
        try:
            asked = FilterInput(summary, plan_text, found)
            sifted = await self._core.gateway.run(memory_filter, asked, session_id=session_id)
        except BottegaError as error:
            log.warning("coach.memories_not_sifted", candidates=len(found), why=error.message)
            return ()
        return sifted.relevant_memories

    async def _coach(
        self,
        desk: Desk,
        session_id: str,
        summary: str,
        plan_text: str,
        memories: "Sequence[RelevantMemory]",
    ) -> "Guidance":
        from bottega.coach.planning.terrain import survey
        from bottega.coach.prompts.coach_phases import PlanInput, coach_phases

        terrain = await survey(desk.files, plan_text)
        languages = {language_name(place.path) or "" for place in terrain.definitions}
        stage = await self._skills.stage(desk.user_id, summary, *languages)
        asked = PlanInput(plan_text, stage, memories, terrain)
        guidance = await self._core.gateway.run(coach_phases(stage), asked, session_id=session_id)
        if memories:
            return guidance
        # Without a memory there is nothing to connect to, whatever a model says (EC-56).
        return guidance.model_copy(update={"memory_connection": None})

    async def _store(
        self, desk: Desk, session_id: str, plan_text: str, guidance: "Guidance"
    ) -> PlanWithPhases:
        """Plan, phases and hints in one transaction; the first phase begins."""
        phases = checked_phases(guidance, desk.files.sandbox.relative)
        async with self._core.database.write() as session:
            row = await lock(session, session_id, desk.user_id)
            if row.status not in LIVE:
                raise Conflict(
                    "The session ended while its plan was being made, so nothing was stored. "
                    "Start a session and submit the plan again."
                )
            before = await plans.active_phase(session, session_id)
            if before is not None:
                await plans.set_status(session, before, PhaseStatus.PENDING)
            made = await plans.create(
                session,
                session_id,
                plan_text,
                phases,
                memory_connection=guidance.memory_connection,
                estimated_difficulty=guidance.estimated_difficulty,
            )
            if made.phases:
                await plans.set_status(session, made.phases[0], PhaseStatus.ACTIVE)
        return made

    async def _log(self, session_id: str, plan: PlanWithPhases) -> None:
        log_action = self._core.actions.log_action
        await log_action(session_id, ActionType.COACHING_MESSAGE, {"messageType": "plan_ready"})
        if (first := plan.active) is not None:
            started = {"phaseId": first.id, "phaseNumber": first.number, "title": first.title}
            await log_action(session_id, ActionType.PHASE_STARTED, started)


def _ready(plan: PlanWithPhases) -> PlanReady:
    return PlanReady(
        plan_id=plan.plan.id,
        phases=[PlannedPhase.model_validate(row, from_attributes=True) for row in plan.phases],
        memory_connection=plan.plan.memory_connection,
        estimated_difficulty=plan.plan.estimated_difficulty,
    )
