""" "Review My Work": the active phase's changes, reviewed.

What breaks for certain outweighs the reviewer: code that cannot even be read has not passed. What
goes wrong is said to the person's windows (`review:error`) and raised.
"""

import asyncio
from typing import Any

from bottega.coach.asking import ask, success
from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.enums import ProgressType
from bottega.coach.prompts.phase_review import phase_review
from bottega.coach.protocol.learning import PhaseReview, ReviewError
from bottega.coach.repository import plans
from bottega.coach.reviewing.changes import ChangedFile, changes_since
from bottega.coach.reviewing.findings import findings_in
from bottega.coach.reviewing.work import Work
from bottega.coach.sessions.current_phase import active_phase, current
from bottega.coach.skills import Skills
from bottega.coach.tables import Phase
from bottega.core.actions import ActionType
from bottega.core.files.languages import language_of
from bottega.core.services import Core
from bottega.errors import BottegaError

#: The last saves of a session, of which those of the phase count.
SAVES = 1_000


class PhaseReviews:
    def __init__(self, core: Core, voice: Voice, skills: Skills) -> None:
        self._core = core
        self._voice = voice
        self._skills = skills

    async def review(self, desk: Desk) -> PhaseReview:
        try:
            review = await self._review(desk)
        except BottegaError as error:
            self._voice.say(desk, ReviewError(kata_id=None, error=error.message))
            raise
        self._voice.say(desk, review)
        return review

    async def _review(self, desk: Desk) -> PhaseReview:
        session_id = desk.session_id
        phase = await active_phase(self._core.database, session_id)
        about = {"phase": phase.number if phase else None}
        await self._core.actions.log_action(session_id, ActionType.REVIEW_REQUESTED, about)
        await self._progress(phase, ProgressType.REVIEW_REQUESTED)
        review, made = await self._look(desk, phase, session_id, about)
        completed = {**about, "passed": review.passed, **made}
        await self._core.actions.log_action(session_id, ActionType.REVIEW_COMPLETED, completed)
        if review.passed:
            await self._progress(phase, ProgressType.REVIEW_PASSED)
        return review

    async def _look(
        self, desk: Desk, phase: Phase | None, session_id: str | None, about: dict[str, Any]
    ) -> tuple[PhaseReview, dict[str, Any]]:
        """The review, and what the action log keeps of how it was made."""
        saved = await self._saved_in(phase, session_id)
        began, expected = (phase.started_at, phase.expected_files) if phase else (None, [])
        changes = await changes_since(desk, began, saved, expected)
        if not changes:
            return _nothing(phase), {"success": True, "changed": 0}
        work = await self._work(desk, phase, changes)
        answer = await ask(
            self._core,
            phase_review(work.stage),
            work,
            session_id=session_id,
            action=ActionType.REVIEW_COMPLETED,
            about=about,
        )
        told = answer.output
        review = PhaseReview(
            phase=phase.number if phase else None,
            review=told.review,
            suggestions=_with_breaks(told.suggestions, work),
            passed=told.passed and phase is not None and not work.breaks,
            offline=answer.offline,
        )
        return review, {**success(answer), "changed": len(changes)}

    async def _work(self, desk: Desk, phase: Phase | None, changes: list[ChangedFile]) -> Work:
        languages = {language_of(change.path) for change in changes}
        return Work(
            phase=current(phase),
            changes=tuple(changes),
            findings=tuple(await asyncio.to_thread(findings_in, changes)),
            stage=await self._skills.stage(desk.user_id, *languages),
        )

    async def _saved_in(self, phase: Phase | None, session_id: str | None) -> list[str]:
        if phase is None or session_id is None or phase.started_at is None:
            return []
        saves = await self._core.actions.recent(session_id, SAVES, ActionType.FILE_SAVE)
        return [
            save.data["path"] for save in saves if save.data and save.created_at >= phase.started_at
        ]

    async def _progress(self, phase: Phase | None, event: ProgressType) -> None:
        if phase is not None:
            async with self._core.database.write() as session:
                await plans.add_progress(session, phase.id, event)


def _nothing(phase: Phase | None) -> PhaseReview:
    told = (
        "You are in no phase, and nothing has changed since the last commit."
        if phase is None
        else f"Nothing has changed since phase {phase.number}, “{phase.title}”, began."
    )
    first = phase.expected_files[:1] if phase else []
    return PhaseReview(
        phase=phase.number if phase else None,
        review=f"{told} There is nothing to review yet.",
        suggestions=[f"{path}: a good place to start." for path in first],
        passed=False,
    )


def _with_breaks(suggestions: list[str], work: Work) -> list[str]:
    """What breaks is told even where the reviewer did not mention it."""
    breaking = [str(finding) for finding in work.findings if finding.breaks]
    return [*(told for told in breaking if told not in suggestions), *suggestions]
