"""The end of a session: gaps and katas, skills, memories; then it is completed (story 9).

Every step is tried and none is needed: whatever fails is logged, and the session completes.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

import structlog

from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.protocol.files import ClearDecorations, ClearHighlights, ClearHints
from bottega.coach.protocol.sessions import Completed, Ended, Summary
from bottega.coach.reflection.closing import closing_words
from bottega.coach.reflection.evidence import SessionEvidence
from bottega.coach.reflection.track_record import earlier_sessions, skills_shown
from bottega.coach.repository import learning
from bottega.coach.skills import Skills, radar
from bottega.coach.stages import Stage
from bottega.core import clock
from bottega.core.actions import ActionType
from bottega.core.services import Core
from bottega.core.sessions import SessionKind, SessionStatus
from bottega.core.wire import Wired
from bottega.errors import BottegaError, Conflict
from bottega.memory.service import SemanticMemories

if TYPE_CHECKING:
    from bottega.coach.reflection.keeping import KeptGaps
    from bottega.coach.reflection.sitting import Sitting

T = TypeVar("T")

log = structlog.get_logger()


class WrapUpResult(Wired):
    knowledge_gaps: int = 0
    kata_specs: int = 0
    dreyfus_updates: int = 0
    memories_stored: int = 0
    session_status: Literal["completed"] = "completed"


@dataclass(slots=True)
class Learned:
    """What the steps came to, as far as they got."""

    evidence: SessionEvidence | None = None
    result: WrapUpResult = field(default_factory=WrapUpResult)


class WrapUp:
    def __init__(
        self, core: Core, memories: SemanticMemories, skills: Skills, voice: Voice
    ) -> None:
        self._core = core
        self._memories = memories
        self._skills = skills
        self._voice = voice
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._finishing: set[asyncio.Task[None]] = set()

    async def run(self, desk: Desk, transcript: str = "") -> WrapUpResult:
        """End the session at hand. Of two at once the second finds it over (EC-62)."""
        async with self._turns[desk.user_id]:
            if desk.session_id is None:
                await self._require_completed(desk)
                return WrapUpResult()
            return await self._wrap_up(desk, desk.session_id, transcript)

    async def stop(self) -> None:
        """Return when sessions that are being completed are."""
        await asyncio.gather(*self._finishing, return_exceptions=True)

    async def _require_completed(self, desk: Desk) -> None:
        last = await self._core.sessions.list(
            user_id=desk.user_id, kind=SessionKind.COACHING, project_dir=desk.project, limit=1
        )
        if not last or last[0].status != SessionStatus.COMPLETED:
            desk.require_session()

    async def _wrap_up(self, desk: Desk, session_id: str, transcript: str) -> WrapUpResult:
        learned = Learned()
        try:
            await self._learn(desk, session_id, transcript, learned)
        finally:
            # Also when the server stops in the middle: a session that was ended is over.
            finishing = asyncio.create_task(self._finish(desk, session_id, learned))
            self._finishing.add(finishing)
            finishing.add_done_callback(self._finishing.discard)
            await asyncio.shield(finishing)
        return learned.result

    async def _learn(self, desk: Desk, session_id: str, transcript: str, learned: Learned) -> None:
        result = learned.result
        sitting = await _attempt("evidence", self._read(desk, session_id))
        if sitting is None:
            return
        learned.evidence = sitting.evidence
        kept = await _attempt("knowledge_gaps", self._find_gaps(desk, sitting))
        if kept is not None:
            result.knowledge_gaps, result.kata_specs = kept.new, kept.katas
        result.dreyfus_updates = await _attempt("dreyfus", self._assess(desk, sitting)) or 0
        remembering = self._remember(desk, sitting, transcript, kept)
        result.memories_stored = await _attempt("memories", remembering) or 0

    async def _read(self, desk: Desk, session_id: str) -> "Sitting":
        from bottega.coach.reflection.sitting import read_sitting

        # The edits of the last half minute count too.
        await self._core.buffer_log.summarise(session_id)
        async with self._core.database.read() as session:
            return await read_sitting(session, session_id, desk.user_id)

    async def _find_gaps(self, desk: Desk, sitting: "Sitting") -> "KeptGaps":
        from bottega.coach.katas.catalogue import catalogue
        from bottega.coach.prompts.gap_extraction import GapInput, KnownGap, gap_extraction
        from bottega.coach.reflection.keeping import keep_gaps

        await asyncio.to_thread(catalogue)
        async with self._core.database.read() as session:
            known = await learning.gaps(session, desk.user_id)
            given = {kata.slug for kata, _ in await learning.katas(session, desk.user_id)}
        asked = GapInput(
            actions=sitting.log(),
            phases=[
                {"title": row.title, "status": row.status, "hint_level": row.hint_level}
                for row in sitting.phases
            ],
            known=[KnownGap(gap.topic, gap.frequency) for gap in known],
            evidence=sitting.evidence,
            given=frozenset(filter(None, given)),
        )
        found = await self._core.gateway.run(gap_extraction, asked, session_id=sitting.row.id)
        async with self._core.database.write() as session:
            return await keep_gaps(session, desk.user_id, sitting.row.id, found, sitting.evidence)

    async def _assess(self, desk: Desk, sitting: "Sitting") -> int:
        from bottega.coach.prompts.dreyfus_assessment import (
            AssessmentInput,
            CurrentSkill,
            RecentSession,
            dreyfus_assessment,
        )
        from bottega.coach.reflection.keeping import keep_assessments

        evidence = sitting.evidence
        async with self._core.database.read() as session:
            earlier = await earlier_sessions(session, sitting.row)
            current = await learning.assessments(session, desk.user_id)
        asked = AssessmentInput(
            evidence=skills_shown([evidence, *earlier]),
            current=[
                CurrentSkill(row.skill_area, Stage(row.stage), row.confidence) for row in current
            ],
            recent=RecentSession(
                len(evidence.completed), evidence.hints_used, evidence.independent_completions
            ),
        )
        found = await self._core.gateway.run(dreyfus_assessment, asked, session_id=sitting.row.id)
        async with self._core.database.write() as session:
            return await keep_assessments(session, desk.user_id, found.assessments)

    async def _remember(
        self, desk: Desk, sitting: "Sitting", transcript: str, kept: "KeptGaps | None"
    ) -> int:
        from bottega.coach.prompts.memory_summary import memory_summary
        from bottega.coach.reflection.notes import memory_inputs, summary_input

        asked = summary_input(sitting, transcript, kept.gaps if kept else ())
        found = await self._core.gateway.run(memory_summary, asked, session_id=sitting.row.id)
        added = await self._memories.add_memories(
            memory_inputs(found), sitting.row.id, desk.project, user_id=desk.user_id
        )
        return added.added

    async def _finish(self, desk: Desk, session_id: str, learned: Learned) -> None:
        """Completed, logged and told, whatever came before (FR-124)."""
        try:
            row = await self._core.sessions.end(
                session_id, SessionStatus.COMPLETED, user_id=desk.user_id
            )
        except Conflict as error:
            # Abandoned meanwhile, by a new start: that start has told it.
            log.warning("coach.session_was_over", session=session_id, why=error.message)
            return
        ended_at = row.ended_at or clock.now()
        duration_ms = round((ended_at - row.started_at).total_seconds() * 1000)
        await self._core.actions.log_action(
            session_id,
            ActionType.SESSION_ENDED,
            {"status": row.status, "durationMs": duration_ms},
        )
        self._tell(desk, session_id, duration_ms, learned)
        if learned.result.dreyfus_updates:
            self._voice.say(desk, radar(await self._skills.all(desk.user_id)))

    def _tell(self, desk: Desk, session_id: str, duration_ms: int, learned: Learned) -> None:
        result, evidence = learned.result, learned.evidence
        counts = result.model_dump(exclude={"session_status"})
        summary = Summary(
            session_id=session_id,
            status=result.session_status,
            duration_ms=duration_ms,
            text=closing_words(evidence, result.knowledge_gaps, result.kata_specs),
            phases_completed=len(evidence.completed) if evidence else 0,
            phases_total=evidence.phases_total if evidence else 0,
            **counts,
        )
        self._voice.say(desk, ClearHints(), ClearDecorations(), ClearHighlights())
        self._voice.say(desk, Completed(session_id=session_id, **counts), Ended(summary=summary))


async def _attempt(step: str, work: Awaitable[T]) -> T | None:
    """D49: what the step gives; whatever stops it stops only it."""
    try:
        return await work
    except BottegaError as error:
        log.warning("coach.wrap_up_step_failed", step=step, why=error.message)
    except Exception:
        log.exception("coach.wrap_up_step_failed", step=step)
    return None
