"""Practice: katas handed in, reviewed and kept, and the one to do next.

A kata's tests are really run before anybody judges it, where this machine can isolate them. The
outcome is a fact for the reviewer and outweighs it: a model cannot pass a solution that its own
tests fail. What goes wrong is sent to the person's windows (`review:error`) and raised.

Which kata is the best to do next. There is always one, once there was a coaching session.

1. an unfinished kata of an open gap, the gap that matters most first;
2. without one, a new kata from the catalogue for the most pressing open gap;
3. without an open gap, any kata that is still unfinished;
4. and when all is done, a new warm-up from the catalogue.

A kata belongs to a gap, and a gap to the session that showed it. A warm-up answers no gap: its
entry, called "Warm-up", is made as addressed and so never counts as something to learn.
"""

import asyncio
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.editor.state import EditorState, Windows
from bottega.coach.enums import Severity, Stage
from bottega.coach.model_calls import ask, success
from bottega.coach.practice import repository as kata_records
from bottega.coach.practice.catalogue import USUAL_LEVEL, KataConstraint, best_for, catalogue
from bottega.coach.practice.katas import (
    attempts_under,
    constraint_views,
    constraints_of,
    load_view,
    mastered,
    newly_unlocked,
    resolve,
    summary,
)
from bottega.coach.practice.review import (
    PracticeReview,
    practice_review,
    review_kata,
)
from bottega.coach.practice.runner import RunReport, run_solution
from bottega.coach.practice.schemas import (
    CaseOutcome,
    ConstraintOutcome,
    KataLoad,
    KataReview,
    KataSummary,
    Review,
    ReviewError,
)
from bottega.coach.practice.solution import RunEvidence, Submission, parse
from bottega.coach.practice.tables import KataSpec
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.service import Skills
from bottega.coach.skills.tables import KnowledgeGap
from bottega.core.isolation.machine import Isolation
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import SessionKind
from bottega.errors import BottegaError, InsufficientData, InvalidInput, NotFound, TooLarge

WARM_UP = "Warm-up"

#: The level of kata that a learner is offered first.
_FITTING_LEVEL = {
    Stage.NOVICE: 2,
    Stage.ADVANCED_BEGINNER: 3,
    Stage.COMPETENT: 5,
    Stage.PROFICIENT: 6,
    Stage.EXPERT: 8,
}

Kata = tuple[KataSpec, KnowledgeGap]


class KataChoice:
    def __init__(self, core: Core, skills: Skills) -> None:
        self._core = core
        self._skills = skills
        # Two windows that ask at once get the same new kata.
        self._choosing = asyncio.Lock()

    async def next(self, editor: EditorState) -> Kata:
        async with self._choosing:
            async with self._core.database.read() as session:
                katas = await kata_records.katas(session, editor.user_id)
                gaps = await skill_records.gaps(session, editor.user_id, addressed=False)
            unfinished = [kata for kata in katas if not kata_records.is_solved(kata[0])]
            for gap in gaps:
                for kata in unfinished:
                    if kata[1].id == gap.id:
                        return kata
            if not gaps and unfinished:
                return unfinished[0]
            warm_up = next((gap for _, gap in katas if gap.topic == WARM_UP), None)
            return await self._make(editor, gaps[0] if gaps else warm_up, katas)

    async def _make(
        self, editor: EditorState, gap: KnowledgeGap | None, known: Sequence[Kata]
    ) -> Kata:
        topic = gap.topic if gap else WARM_UP
        stage = await self._skills.stage(editor.user_id, topic)
        [chosen] = await asyncio.to_thread(
            best_for,
            topic,
            gap.related_concepts if gap else (),
            avoid={kata.slug for kata, _ in known if kata.slug},
            level=_FITTING_LEVEL[stage],
        )
        session_id = None if gap else await self._some_session(editor)
        async with self._core.database.write() as session:
            if session_id is not None:
                gap = await _warm_up(session, editor.user_id, session_id)
            assert gap is not None
            return await kata_records.add_kata(session, gap.id, **chosen.spec_fields()), gap

    async def _some_session(self, editor: EditorState) -> str:
        if editor.session_id is not None:
            return editor.session_id
        newest = await self._core.sessions.list(
            user_id=editor.user_id, kind=SessionKind.COACHING, limit=1
        )
        if not newest:
            raise InsufficientData(
                "Practice grows out of coaching sessions, and there was none yet. Start one in "
                "the web app, or with `session:start`, and ask again."
            )
        return newest[0].id


async def _warm_up(session: AsyncSession, user_id: str, session_id: str) -> KnowledgeGap:
    gap, _ = await skill_records.record_gap(
        session, user_id, session_id, WARM_UP, Severity.LOW, "Asked for by the learner."
    )
    gap.addressed = True
    return gap


#: Far more than a kata takes.
LONGEST_SOLUTION = 100_000
#: Earlier attempts that a reviewer gets to see.
ATTEMPTS_TOLD = 10


class Practice:
    def __init__(
        self, core: Core, windows: Windows, skills: Skills, *, machine: Isolation | None = None
    ) -> None:
        """`machine` is what can be isolated here; it is found out unless given."""
        self._core = core
        self._windows = windows
        self._skills = skills
        self._machine = machine
        self._choice = KataChoice(core, skills)

    async def katas(self, editor: EditorState) -> list[KataSummary]:
        """Newest first."""
        async with self._core.database.read() as session:
            return [summary(*kata) for kata in await kata_records.katas(session, editor.user_id)]

    async def load(self, editor: EditorState, kata_id: str | None) -> KataLoad:
        """One kata, or whichever is the best to do next."""
        if kata_id is None:
            return load_view(*await self._choice.next(editor))
        return load_view(*await self._find(editor, kata_id))

    async def review(self, editor: EditorState, asked: Review) -> KataReview:
        try:
            review = await self._review(editor, asked)
        except BottegaError as error:
            self._windows.send(editor, ReviewError(kata_id=asked.kata_id, error=error.message))
            raise
        self._windows.send(editor, review)
        return review

    async def _review(self, editor: EditorState, asked: Review) -> KataReview:
        session_id, about = editor.session_id, {"kataId": asked.kata_id}
        await self._core.actions.log_action(session_id, ActionType.REVIEW_REQUESTED, about)
        kata, gap = await self._find(editor, asked.kata_id)
        submission = await self._submission(editor, kata, gap, asked)
        task, action = practice_review(submission.stage), ActionType.REVIEW_COMPLETED
        answer = await ask(
            self._core, task, submission, session_id=session_id, action=action, about=about
        )
        judged = await _corrected_by_facts(answer.output, submission)
        unlocked = await self._keep(kata, submission, judged)
        completed = {**about, "level": judged.level, "passed": judged.passed, **success(answer)}
        await self._core.actions.log_action(session_id, action, completed)
        evidence = submission.evidence
        return KataReview(
            kata_id=kata.id,
            **judged.model_dump(),
            unlocked_constraints=constraint_views(unlocked),
            cases=[CaseOutcome.model_validate(one, from_attributes=True) for one in evidence.cases],
            constraints=_constraint_outcomes(evidence),
            ran=evidence.ran,
            offline=answer.offline,
        )

    async def _find(
        self, editor: EditorState, kata_id: str | None
    ) -> tuple[KataSpec, KnowledgeGap]:
        async with self._core.database.read() as session:
            found = await kata_records.kata(session, kata_id or "", editor.user_id)
        if found is None:
            raise NotFound("Kata not found")
        return found

    async def _submission(
        self, editor: EditorState, kata: KataSpec, gap: KnowledgeGap, asked: Review
    ) -> Submission:
        _check(asked.user_code)
        known = constraints_of(kata)
        active = resolve(known, asked.active_constraint_titles)
        earlier = attempts_under(kata.user_attempts, active)[-ATTEMPTS_TOLD:]
        return Submission(
            description=kata.description,
            instructor_notes=kata.instructor_notes,
            scaffolding_code=kata.scaffolding_code,
            evidence=RunEvidence(
                asked.user_code, tuple(active), await self._run(kata, asked.user_code, active)
            ),
            stage=await self._skills.stage(editor.user_id, gap.topic),
            constraints=tuple(known),
            previous_attempts=tuple(
                {key: attempt.get(key) for key in ("code", "review", "level", "passed")}
                for attempt in earlier
            ),
            mastered=mastered(kata.user_attempts),
            plain_level=await asyncio.to_thread(_plain_level, kata.slug),
        )

    async def _run(
        self, kata: KataSpec, code: str, active: Sequence[KataConstraint]
    ) -> RunReport | None:
        """None for a kata that has nothing to run: no tests, or none in Python."""
        cases = [case for case in kata.test_cases if parse(case)]
        if not cases or parse(kata.scaffolding_code) is None:
            return None
        checks = [constraint.check for constraint in active if constraint.check]
        return await run_solution(code, cases, checks, machine=self._machine)

    async def _keep(
        self, kata: KataSpec, submission: Submission, judged: PracticeReview
    ) -> list[KataConstraint]:
        """FR-157; gives the constraints that this attempt unlocks."""
        active = submission.evidence.constraints
        attempt = {
            "code": submission.evidence.code,
            # An exception of the learner's may say anything; no database stores a NUL.
            "review": judged.feedback.replace("\0", ""),
            "level": judged.level,
            "passed": judged.passed,
            "constraints": [constraint.title for constraint in active],
        }
        async with self._core.database.write() as session:
            row = await kata_records.append_attempt(session, kata.id, attempt)
            if judged.passed:
                await skill_records.address_gap(session, kata.knowledge_gap_id)
        # Another attempt may have been kept while this one was reviewed.
        levels = [each.get("level") or 0 for each in row.user_attempts[:-1]]
        return newly_unlocked(submission.constraints, max(levels, default=0), judged.level)


def _check(code: str) -> None:
    if len(code) > LONGEST_SOLUTION:
        raise TooLarge(
            f"The solution has {len(code):,} characters; up to {LONGEST_SOLUTION:,} are reviewed. "
            "Hand in the kata's own code only."
        )
    if "\0" in code:
        raise InvalidInput("The solution contains a NUL character, which is in no source code.")


def _plain_level(slug: str | None) -> int:
    return next((kata.level for kata in catalogue() if kata.slug == slug), USUAL_LEVEL)


async def _corrected_by_facts(review: PracticeReview, submission: Submission) -> PracticeReview:
    """What ran outweighs what was read: the review, corrected where the tests say otherwise."""
    obstacle = submission.evidence.obstacle
    if obstacle is None or not (review.passed or review.correct):
        return review
    facts = await asyncio.to_thread(review_kata, submission)
    if not review.passed and facts.correct:
        return review
    return review.model_copy(
        update={
            "correct": review.correct and facts.correct,
            "passed": False,
            "feedback": f"{obstacle}\n\n{review.feedback}",
            "level": min(review.level, facts.level),
            "follow_up": facts.follow_up,
            "dreyfus_signal": facts.dreyfus_signal,
        }
    )


def _constraint_outcomes(evidence: RunEvidence) -> list[ConstraintOutcome]:
    checked = {constraint.title: result for constraint, result in evidence.checked}
    return [
        ConstraintOutcome(
            title=constraint.title,
            held=result.passed if (result := checked.get(constraint.title)) else None,
            problem=result.problem if result else None,
        )
        for constraint in evidence.constraints
    ]
