"""The review of a kata without a model: by running it, and where that is not possible by reading.

A solution passes if it was run, all of the kata's tests pass, and every constraint that was taken
on and has a check holds. What was only read never passes.

The level (1 to 10) goes by what was shown:

- not run: 1.
- tests fail: the share of tests that pass of the kata's own level, and at least one below it.
- passes: the kata's own level; constraints that were kept raise it to the level that the next
  harder constraint asks for (one above the hardest, if there is none). One more if no function is
  long or deeply nested, one less if one is.
"""

from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from bottega.coach.enums import Stage
from bottega.coach.manners import manners
from bottega.coach.model_calls import as_json
from bottega.coach.practice import feedback
from bottega.coach.practice.katas import next_challenge
from bottega.coach.practice.schemas import DreyfusSignal, FollowUpType
from bottega.coach.practice.solution import RunEvidence, SolutionFacts, Submission, read_solution
from bottega.core.llm.tasks import Task, Tier

LOWEST, HIGHEST = 1, 10
#: So many failures in a row, without a higher level, are a struggle.
STRUGGLE = 3


_INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8")


class SuggestedStep(BaseModel):
    type: FollowUpType
    constraint: str | None = Field(None, description="The new constraint, if it is an escalation")
    reason: str | None = Field(None, description="Why this is the next step")


class PracticeReview(BaseModel):
    """A review of one solution."""

    correct: bool = Field(description="Whether the solution does what the task asks")
    feedback: str = Field(description="What the learner should hear, as markdown")
    level: int = Field(ge=1, le=10, description="The skill that this solution shows")
    passed: bool = Field(description="Whether it is correct and keeps the active constraints")
    follow_up: SuggestedStep | None = Field(description="The next step, or null")
    dreyfus_signal: DreyfusSignal = Field(description="Where the learner's skill is heading")


def review_kata(submission: Submission) -> PracticeReview:
    evidence = submission.evidence
    reading = read_solution(evidence.code, submission.scaffolding_code)
    passed = evidence.solves and not evidence.broken
    level = level_shown(submission, reading)
    return PracticeReview(
        correct=evidence.solves,
        passed=passed,
        feedback=feedback.write(submission, reading),
        level=level,
        follow_up=_follow_up(submission, reading, passed),
        dreyfus_signal=_signal(submission, passed, level),
    )


def level_shown(submission: Submission, reading: SolutionFacts) -> int:
    evidence, plain = submission.evidence, submission.plain_level
    if not evidence.ran or evidence.is_empty:
        return LOWEST
    if evidence.failed:
        share = 1 - len(evidence.failed) / len(evidence.cases)
        return max(LOWEST, min(plain - 1, round(share * plain)))
    level = max(plain, _level_of_constraints(submission))
    level += -1 if reading.tangled else 1
    return max(LOWEST, min(HIGHEST, level))


def _level_of_constraints(submission: Submission) -> int:
    kept = submission.evidence.kept
    if not kept or submission.evidence.broken:
        return LOWEST
    hardest = max(constraint.min_level for constraint in kept)
    harder = [each.min_level for each in submission.constraints if each.min_level > hardest]
    return min(harder, default=hardest + 1)


def _follow_up(submission: Submission, reading: SolutionFacts, passed: bool) -> SuggestedStep:
    if not passed:
        return SuggestedStep(type="retry_hint", reason=feedback.hint(submission, reading))
    done = submission.mastered | {each.title for each in submission.evidence.constraints}
    challenge = next_challenge(submission.constraints, done)
    if challenge is None:
        all_done = "You have solved it under every constraint that it has."
        return SuggestedStep(type="completed", reason=all_done)
    return SuggestedStep(
        type="constraint_escalation",
        constraint=f"{challenge.title}: {challenge.description}",
        reason="Solved. The same task again, a little harder.",
    )


def _signal(submission: Submission, passed: bool, level: int) -> DreyfusSignal:
    earlier = submission.previous_attempts
    best = max((attempt.get("level") or 0 for attempt in earlier), default=0)
    if passed:
        return "advancing" if level > best else "stable"
    recent = earlier[-(STRUGGLE - 1) :]
    failing = len(recent) == STRUGGLE - 1 and not any(each.get("passed") for each in recent)
    return "struggling" if failing and level <= best else "stable"


def prompt(submission: Submission) -> str:
    evidence = submission.evidence
    return as_json(
        kata_description=submission.description,
        instructor_notes=submission.instructor_notes,
        active_constraints=[
            {"title": constraint.title, "description": constraint.description}
            for constraint in evidence.constraints
        ],
        user_code=evidence.code,
        previous_attempts=list(submission.previous_attempts),
        test_run=_told(evidence),
    )


def _told(evidence: RunEvidence) -> dict[str, Any] | None:
    run = evidence.run
    if run is None:
        return None
    return {
        "ran": run.ran,
        "message": run.message,
        "tests": [
            {"name": case.name, "passed": case.passed, "problem": case.problem}
            for case in run.results
        ],
        "constraint_checks": [
            {"constraint": constraint.title, "holds": result.passed, "problem": result.problem}
            for constraint, result in evidence.checked
        ],
    }


@cache
def practice_review(stage: Stage) -> Task[Submission, PracticeReview]:
    instructions = _INSTRUCTIONS.format(stage=stage.words, tone=manners("kata_reviews")[stage])
    return Task("practice_review", Tier.STRONG, instructions, prompt, PracticeReview, review_kata)
