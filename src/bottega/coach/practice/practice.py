"""Practice: katas handed in, reviewed and kept, and the one to do next.

A kata's tests are really run before anybody judges it, where this machine can isolate them. The
outcome is a fact for the reviewer and outweighs it: a model cannot pass a solution that its own
tests fail. What goes wrong is said to the person's windows (`review:error`) and raised.
"""

import asyncio
from collections.abc import Sequence

from bottega.coach.asking import ask, success
from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.katas.catalogue import catalogue
from bottega.coach.katas.running import RunReport, run_solution
from bottega.coach.practice.constraints import (
    KataConstraint,
    attempts_under,
    constraints_of,
    mastered,
    newly_unlocked,
    resolve,
)
from bottega.coach.practice.kata_choice import KataChoice
from bottega.coach.practice.kata_views import constraint_views, load_view, summary
from bottega.coach.prompts.practice_review import PracticeReview, SuggestedStep, practice_review
from bottega.coach.protocol.dashboard import KataSummary
from bottega.coach.protocol.learning import (
    CaseOutcome,
    ConstraintOutcome,
    FollowUp,
    KataLoad,
    KataReview,
    Review,
    ReviewError,
)
from bottega.coach.repository import learning
from bottega.coach.reviewing.evidence import Evidence
from bottega.coach.reviewing.kata import review_kata
from bottega.coach.reviewing.solution import parse
from bottega.coach.reviewing.submission import USUAL_LEVEL, Submission
from bottega.coach.skills import Skills
from bottega.coach.tables import KataSpec, KnowledgeGap
from bottega.core.actions import ActionType
from bottega.core.isolation.machine import Isolation
from bottega.core.services import Core
from bottega.errors import BottegaError, InvalidInput, NotFound, TooLarge

#: Far more than a kata takes.
LONGEST_SOLUTION = 100_000
#: Earlier attempts that a reviewer gets to see.
ATTEMPTS_TOLD = 10


class Practice:
    def __init__(
        self, core: Core, voice: Voice, skills: Skills, *, machine: Isolation | None = None
    ) -> None:
        """`machine` is what can be isolated here; it is found out unless given."""
        self._core = core
        self._voice = voice
        self._skills = skills
        self._machine = machine
        self._choice = KataChoice(core, skills)

    async def katas(self, desk: Desk) -> list[KataSummary]:
        """Newest first."""
        async with self._core.database.read() as session:
            return [summary(*kata) for kata in await learning.katas(session, desk.user_id)]

    async def load(self, desk: Desk, kata_id: str | None) -> KataLoad:
        """One kata, or whichever is the best to do next."""
        if kata_id is None:
            return load_view(*await self._choice.next(desk))
        return load_view(*await self._find(desk, kata_id))

    async def review(self, desk: Desk, asked: Review) -> KataReview:
        try:
            review = await self._review(desk, asked)
        except BottegaError as error:
            self._voice.say(desk, ReviewError(kata_id=asked.kata_id, error=error.message))
            raise
        self._voice.say(desk, review)
        return review

    async def _review(self, desk: Desk, asked: Review) -> KataReview:
        session_id, about = desk.session_id, {"kataId": asked.kata_id}
        await self._core.actions.log_action(session_id, ActionType.REVIEW_REQUESTED, about)
        kata, gap = await self._find(desk, asked.kata_id)
        submission = await self._submission(desk, kata, gap, asked)
        task, action = practice_review(submission.stage), ActionType.REVIEW_COMPLETED
        answer = await ask(
            self._core, task, submission, session_id=session_id, action=action, about=about
        )
        judged = await _held_to_facts(answer.output, submission)
        unlocked = await self._keep(kata, submission, judged)
        completed = {**about, "level": judged.level, "passed": judged.passed, **success(answer)}
        await self._core.actions.log_action(session_id, action, completed)
        return _view(kata, submission.evidence, judged, unlocked, offline=answer.offline)

    async def _find(self, desk: Desk, kata_id: str | None) -> tuple[KataSpec, KnowledgeGap]:
        async with self._core.database.read() as session:
            found = await learning.kata(session, kata_id or "", desk.user_id)
        if found is None:
            raise NotFound("Kata not found")
        return found

    async def _submission(
        self, desk: Desk, kata: KataSpec, gap: KnowledgeGap, asked: Review
    ) -> Submission:
        _check(asked.user_code)
        known = constraints_of(kata)
        active = resolve(known, asked.active_constraint_titles)
        earlier = attempts_under(kata.user_attempts, active)[-ATTEMPTS_TOLD:]
        return Submission(
            description=kata.description,
            instructor_notes=kata.instructor_notes,
            scaffolding_code=kata.scaffolding_code,
            evidence=Evidence(
                asked.user_code, tuple(active), await self._run(kata, asked.user_code, active)
            ),
            stage=await self._skills.stage(desk.user_id, gap.topic),
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
            row = await learning.append_attempt(session, kata.id, attempt)
            if judged.passed:
                await learning.address_gap(session, kata.knowledge_gap_id)
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


async def _held_to_facts(review: PracticeReview, submission: Submission) -> PracticeReview:
    """What ran outweighs what was read: the review, corrected where the tests say otherwise."""
    obstacle = submission.evidence.obstacle
    if obstacle is None or not (review.passed or review.correct):
        return review
    facts = await asyncio.to_thread(review_kata, submission)
    if not review.passed and facts.correct:
        return review
    step = SuggestedStep(type=facts.follow_up, constraint=facts.constraint, reason=facts.reason)
    return review.model_copy(
        update={
            "correct": review.correct and facts.correct,
            "passed": False,
            "feedback": f"{obstacle}\n\n{review.feedback}",
            "level": min(review.level, facts.level),
            "follow_up": step,
            "dreyfus_signal": facts.dreyfus_signal,
        }
    )


def _view(
    kata: KataSpec,
    evidence: Evidence,
    judged: PracticeReview,
    unlocked: Sequence[KataConstraint],
    *,
    offline: bool,
) -> KataReview:
    step = judged.follow_up
    return KataReview(
        kata_id=kata.id,
        correct=judged.correct,
        feedback=judged.feedback,
        level=judged.level,
        passed=judged.passed,
        follow_up=step and FollowUp(type=step.type, constraint=step.constraint, reason=step.reason),
        dreyfus_signal=judged.dreyfus_signal,
        unlocked_constraints=constraint_views(unlocked),
        cases=[
            CaseOutcome(name=case.name, passed=case.passed, problem=case.problem)
            for case in evidence.cases
        ],
        constraints=_constraint_outcomes(evidence),
        ran=evidence.ran,
        offline=offline,
    )


def _constraint_outcomes(evidence: Evidence) -> list[ConstraintOutcome]:
    checked = {constraint.title: result for constraint, result in evidence.checked}
    return [
        ConstraintOutcome(
            title=constraint.title,
            held=result.passed if (result := checked.get(constraint.title)) else None,
            problem=result.problem if result else None,
        )
        for constraint in evidence.constraints
    ]
