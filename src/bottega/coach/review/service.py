""" "Review My Work": the active phase's changes, reviewed.

What breaks for certain outweighs the reviewer: code that cannot even be read has not passed. What
goes wrong is sent to the person's windows (`review:error`) and raised.
"""

import asyncio
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from bottega.coach.editor.state import EditorState, Windows
from bottega.coach.enums import ProgressType, Stage
from bottega.coach.manners import manners
from bottega.coach.model_calls import as_json, ask, success
from bottega.coach.plans import repository as plans
from bottega.coach.plans.phases import current_phase, find_active_phase
from bottega.coach.plans.tables import Phase
from bottega.coach.practice.schemas import ReviewError
from bottega.coach.review.schemas import PhaseReview
from bottega.coach.review.work import (
    ChangedFile,
    PhaseReviewed,
    PhaseWork,
    changes_since,
    findings_in,
    review_work,
)
from bottega.coach.skills.service import Skills
from bottega.core.files.languages import language_of
from bottega.core.llm.tasks import Task, Tier
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.errors import BottegaError

#: Characters of diffs that a model gets, in all and of one file.
DIFFS_TOLD = 60_000
DIFF_TOLD = 20_000


_INSTRUCTIONS = Path(__file__).with_name("phase_review.md").read_text("utf-8")


def prompt(work: PhaseWork) -> str:
    return as_json(
        current_phase=work.phase and asdict(work.phase),
        changes=_told(work.changes),
        findings=[str(finding) for finding in work.findings],
    )


def _told(changes: tuple[ChangedFile, ...]) -> list[dict[str, Any]]:
    """Every file by its name; diffs as far as there is room for them."""
    told, room = [], DIFFS_TOLD
    for change in changes:
        piece = change.diff[: min(DIFF_TOLD, room)]
        room -= len(piece)
        is_cut = len(piece) < len(change.diff)
        told.append({"path": change.path, "diff": piece, "is_cut": is_cut})
    return told


@cache
def phase_review(stage: Stage) -> Task[PhaseWork, PhaseReviewed]:
    instructions = _INSTRUCTIONS.format(stage=stage.words, tone=manners("phase_reviews")[stage])
    return Task("phase_review", Tier.STRONG, instructions, prompt, PhaseReviewed, review_work)


#: The last saves of a session, of which those of the phase count.
SAVES = 1_000


class PhaseReviews:
    def __init__(self, core: Core, windows: Windows, skills: Skills) -> None:
        self._core = core
        self._windows = windows
        self._skills = skills

    async def review(self, editor: EditorState) -> PhaseReview:
        try:
            review = await self._review(editor)
        except BottegaError as error:
            self._windows.send(editor, ReviewError(kata_id=None, error=error.message))
            raise
        self._windows.send(editor, review)
        return review

    async def _review(self, editor: EditorState) -> PhaseReview:
        session_id = editor.session_id
        phase = await find_active_phase(self._core.database, session_id)
        about = {"phase": phase.number if phase else None}
        await self._core.actions.log_action(session_id, ActionType.REVIEW_REQUESTED, about)
        await self._progress(phase, ProgressType.REVIEW_REQUESTED)
        review, made = await self._look(editor, phase, session_id, about)
        completed = {**about, "passed": review.passed, **made}
        await self._core.actions.log_action(session_id, ActionType.REVIEW_COMPLETED, completed)
        if review.passed:
            await self._progress(phase, ProgressType.REVIEW_PASSED)
        return review

    async def _look(
        self,
        editor: EditorState,
        phase: Phase | None,
        session_id: str | None,
        about: dict[str, Any],
    ) -> tuple[PhaseReview, dict[str, Any]]:
        """The review, and what the action log keeps of how it was made."""
        saved = await self._saved_in(phase, session_id)
        began, expected = (phase.started_at, phase.expected_files) if phase else (None, [])
        changes = await changes_since(editor, began, saved, expected)
        if not changes:
            return _nothing(phase), {"success": True, "changed": 0}
        work = await self._work(editor, phase, changes)
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

    async def _work(
        self, editor: EditorState, phase: Phase | None, changes: list[ChangedFile]
    ) -> PhaseWork:
        languages = {language_of(change.path) for change in changes}
        return PhaseWork(
            phase=current_phase(phase),
            changes=tuple(changes),
            findings=tuple(await asyncio.to_thread(findings_in, changes)),
            stage=await self._skills.stage(editor.user_id, *languages),
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


def _with_breaks(suggestions: list[str], work: PhaseWork) -> list[str]:
    """The suggestions, with what breaks first even where the reviewer did not mention it."""
    breaking = [str(finding) for finding in work.findings if finding.breaks]
    return [*(told for told in breaking if told not in suggestions), *suggestions]
