"""The end of a session: gaps and katas, skills, memories; then it is completed (story 9).

Every step is tried and none is needed: whatever fails is logged, and the session completes.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from bottega.coach.editor.schemas import ClearDecorations, ClearHighlights, ClearHints
from bottega.coach.editor.state import EditorState, Windows
from bottega.coach.enums import Stage
from bottega.coach.practice import repository as kata_records
from bottega.coach.practice.catalogue import catalogue
from bottega.coach.sessions.schemas import Completed, Ended, Summary, WrapUpResult
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.service import Skills, radar
from bottega.coach.wrapup.assessment import (
    AssessmentInput,
    CurrentSkill,
    LatestSession,
    dreyfus_assessment,
    earlier_sessions,
    skills_shown,
)
from bottega.coach.wrapup.evidence import FinishedSession, SessionEvidence, read_finished_session
from bottega.coach.wrapup.gaps import GapInput, KnownGap, gap_extraction
from bottega.coach.wrapup.memories import memory_inputs, memory_summary, summary_input
from bottega.coach.wrapup.records import StoredGaps, store_assessments, store_gaps
from bottega.core import clock
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import SessionKind, SessionStatus
from bottega.errors import BottegaError, Conflict
from bottega.memory.service import SemanticMemories

T = TypeVar("T")

log = structlog.get_logger()


@dataclass(slots=True)
class WrapUpOutcome:
    """What the steps came to, as far as they got."""

    evidence: SessionEvidence | None = None
    result: WrapUpResult = field(default_factory=WrapUpResult)


class WrapUp:
    def __init__(
        self, core: Core, memories: SemanticMemories, skills: Skills, windows: Windows
    ) -> None:
        self._core = core
        self._memories = memories
        self._skills = skills
        self._windows = windows
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._finishing: set[asyncio.Task[None]] = set()

    async def run(self, editor: EditorState, transcript: str = "") -> WrapUpResult:
        """End the session at hand. Of two at once the second finds it over (EC-62)."""
        async with self._turns[editor.user_id]:
            if editor.session_id is None:
                await self._require_completed(editor)
                return WrapUpResult()
            return await self._wrap_up(editor, editor.session_id, transcript)

    async def stop(self) -> None:
        """Return when sessions that are being completed are."""
        await asyncio.gather(*self._finishing, return_exceptions=True)

    async def _require_completed(self, editor: EditorState) -> None:
        last = await self._core.sessions.list(
            user_id=editor.user_id, kind=SessionKind.COACHING, project_dir=editor.project, limit=1
        )
        if not last or last[0].status != SessionStatus.COMPLETED:
            editor.require_session()

    async def _wrap_up(self, editor: EditorState, session_id: str, transcript: str) -> WrapUpResult:
        outcome = WrapUpOutcome()
        try:
            await self._learn(editor, session_id, transcript, outcome)
        finally:
            # Also when the server stops in the middle: a session that was ended is over.
            finishing = asyncio.create_task(self._finish(editor, session_id, outcome))
            self._finishing.add(finishing)
            finishing.add_done_callback(self._finishing.discard)
            await asyncio.shield(finishing)
        return outcome.result

    async def _learn(
        self, editor: EditorState, session_id: str, transcript: str, outcome: WrapUpOutcome
    ) -> None:
        result = outcome.result
        finished = await _attempt("evidence", self._read(editor, session_id))
        if finished is None:
            return
        outcome.evidence = finished.evidence
        kept = await _attempt("knowledge_gaps", self._find_gaps(editor, finished))
        if kept is not None:
            result.knowledge_gaps, result.kata_specs = kept.new, kept.katas
        result.dreyfus_updates = await _attempt("dreyfus", self._assess(editor, finished)) or 0
        remembering = self._remember(editor, finished, transcript, kept)
        result.memories_stored = await _attempt("memories", remembering) or 0

    async def _read(self, editor: EditorState, session_id: str) -> FinishedSession:
        # The edits of the last half minute count too.
        await self._core.buffer_log.summarise(session_id)
        async with self._core.database.read() as session:
            return await read_finished_session(session, session_id, editor.user_id)

    async def _find_gaps(self, editor: EditorState, finished: FinishedSession) -> StoredGaps:
        await asyncio.to_thread(catalogue)
        async with self._core.database.read() as session:
            known = await skill_records.gaps(session, editor.user_id)
            given = {kata.slug for kata, _ in await kata_records.katas(session, editor.user_id)}
        asked = GapInput(
            actions=finished.log(),
            phases=[
                {"title": row.title, "status": row.status, "hint_level": row.hint_level}
                for row in finished.phases
            ],
            known=[KnownGap(gap.topic, gap.frequency) for gap in known],
            evidence=finished.evidence,
            given=frozenset(filter(None, given)),
        )
        found = await self._core.gateway.run(gap_extraction, asked, session_id=finished.row.id)
        async with self._core.database.write() as session:
            return await store_gaps(
                session, editor.user_id, finished.row.id, found, finished.evidence
            )

    async def _assess(self, editor: EditorState, finished: FinishedSession) -> int:
        evidence = finished.evidence
        async with self._core.database.read() as session:
            earlier = await earlier_sessions(session, finished.row)
            current = await skill_records.assessments(session, editor.user_id)
        asked = AssessmentInput(
            evidence=skills_shown([evidence, *earlier]),
            current=[
                CurrentSkill(row.skill_area, Stage(row.stage), row.confidence) for row in current
            ],
            recent=LatestSession(
                len(evidence.completed), evidence.hints_used, evidence.independent_completions
            ),
        )
        found = await self._core.gateway.run(dreyfus_assessment, asked, session_id=finished.row.id)
        async with self._core.database.write() as session:
            return await store_assessments(session, editor.user_id, found.assessments)

    async def _remember(
        self,
        editor: EditorState,
        finished: FinishedSession,
        transcript: str,
        kept: StoredGaps | None,
    ) -> int:
        asked = summary_input(finished, transcript, kept.gaps if kept else ())
        found = await self._core.gateway.run(memory_summary, asked, session_id=finished.row.id)
        added = await self._memories.add_memories(
            memory_inputs(found), finished.row.id, editor.project, user_id=editor.user_id
        )
        return added.added

    async def _finish(self, editor: EditorState, session_id: str, outcome: WrapUpOutcome) -> None:
        """Complete the session, log it and notify the windows, whatever failed before (FR-124)."""
        try:
            row = await self._core.sessions.end(
                session_id, SessionStatus.COMPLETED, user_id=editor.user_id
            )
        except Conflict as error:
            # Abandoned meanwhile, by a new start, which has notified the windows.
            log.warning("coach.session_was_over", session=session_id, why=error.message)
            return
        ended_at = row.ended_at or clock.now()
        duration_ms = round((ended_at - row.started_at).total_seconds() * 1000)
        await self._core.actions.log_action(
            session_id,
            ActionType.SESSION_ENDED,
            {"status": row.status, "durationMs": duration_ms},
        )
        self._tell(editor, session_id, duration_ms, outcome)
        if outcome.result.dreyfus_updates:
            self._windows.send(editor, radar(await self._skills.all(editor.user_id)))

    def _tell(
        self, editor: EditorState, session_id: str, duration_ms: int, outcome: WrapUpOutcome
    ) -> None:
        result, evidence = outcome.result, outcome.evidence
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
        self._windows.send(editor, ClearHints(), ClearDecorations(), ClearHighlights())
        self._windows.send(
            editor, Completed(session_id=session_id, **counts), Ended(summary=summary)
        )


async def _attempt(step: str, work: Awaitable[T]) -> T | None:
    """D49: what the step gives; whatever stops it stops only it."""
    try:
        return await work
    except BottegaError as error:
        log.warning("coach.wrap_up_step_failed", step=step, why=error.message)
    except Exception:
        log.exception("coach.wrap_up_step_failed", step=step)
    return None


def closing_words(evidence: SessionEvidence | None, gaps: int, katas: int) -> str:
    return " ".join(filter(None, (_done(evidence), _learned(gaps, katas))))


def _done(evidence: SessionEvidence | None) -> str:
    if evidence is None or not evidence.active:
        return "A short one today. See you next time."
    time = _counted(round(evidence.minutes), "minute")
    done, alone = len(evidence.completed), evidence.independent_completions
    if not evidence.phases_total:
        return f"Thank you for {time} of work."
    phases = _counted(evidence.phases_total, "phase")
    if not done:
        return f"You worked on a plan of {phases} for {time}; it is there when you come back."
    by_yourself = f", {alone if alone < done else 'all'} of them on your own" if alone else ""
    return f"You finished {done} of {phases} in {time}{by_yourself}."


def _learned(gaps: int, katas: int) -> str:
    if not gaps:
        return ""
    ready = f", and {_counted(katas, 'kata')} to practise with" if katas else ""
    return f"Paige noted {_counted(gaps, 'thing')} worth another look{ready}."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
