"""The review of a kata without a model: by running it, and where that is not possible by reading.

A solution passes if it was run, all of the kata's tests pass, and every constraint that was taken
on and has a check holds. What was only read never passes.

The level (1 to 10) goes by what was shown:

- not run: 1.
- tests fail: the share of tests that pass of the kata's own level, and at least one below it.
- passes: the kata's own level; constraints that were kept raise it to the level that the next
  harder constraint asks for (one above the hardest, if there is none). One more if no function is
  long or deeply nested, one less if one is.

What is said of it keeps to the tone of the learner's stage, and what works comes first. A failing
test is shown by its name and what was seen, never by its code; the solution and the instructor's
notes are never shown at all.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from bottega.coach.enums import Stage
from bottega.coach.manners import manners
from bottega.coach.model_calls import as_json
from bottega.coach.practice.katas import next_challenge
from bottega.coach.practice.runner import CaseResult
from bottega.coach.practice.schemas import DreyfusSignal, FollowUpType
from bottega.coach.practice.solution import (
    RunEvidence,
    SolutionFacts,
    Submission,
    as_sentence,
    read_solution,
)
from bottega.core.isolation.process import StopReason
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
        feedback=feedback_on(submission, reading),
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
        return SuggestedStep(type="retry_hint", reason=next_hint(submission, reading))
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


HOW_RUN = "(Told by running your code, without a model.)"
HOW_READ = "(Told by reading your code, without a model.)"


def feedback_on(submission: Submission, reading: SolutionFacts) -> str:
    evidence = submission.evidence
    if evidence.is_empty:
        return "There is no code in this submission yet. The starting code names what to write."
    if not evidence.ran:
        return _by_reading(submission, reading)
    if evidence.run and evidence.run.message and evidence.failed:
        parts = _interrupted(submission)
    elif evidence.failed:
        parts = _failing(submission)
    else:
        parts = _solved(submission, reading)
    return "\n\n".join([*parts, HOW_RUN])


def next_hint(submission: Submission, reading: SolutionFacts) -> str:
    """One thing to try next."""
    evidence = submission.evidence
    if evidence.is_empty:
        return "Write the first line that you are sure of, and hand that in."
    if not evidence.ran:
        if reading.problem or reading.missing or reading.unfinished:
            return "Finish what is named in the review, then hand it in again."
        return "Try the task's own example by hand, line by line."
    if evidence.run and evidence.run.message and evidence.failed:
        return _way_out(evidence.run.stopped)
    if evidence.failed:
        return f"Play “{evidence.failed[0].name}” through by hand, line by line."
    return f"Read “{evidence.broken[0][0].title}” again: {evidence.broken[0][0].description}"


def _is_gentle(stage: Stage) -> bool:
    return stage.rank <= Stage.ADVANCED_BEGINNER.rank


def _is_terse(stage: Stage) -> bool:
    return stage.rank >= Stage.PROFICIENT.rank


def _interrupted(submission: Submission) -> list[str]:
    run = submission.evidence.run
    assert run is not None
    what = as_sentence(f"Your code did not get to its end: {run.message}")
    if _is_terse(submission.stage):
        return [what]
    if _is_gentle(submission.stage):
        what = f"That happens to everyone. {what}"
    return [what, _way_out(run.stopped)]


def _way_out(stopped: StopReason | None) -> str:
    match stopped:
        case StopReason.CPU | StopReason.TIMEOUT:
            return "Look at each loop: what changes in every round, and when does it end?"
        case StopReason.MEMORY:
            return "Look for something that grows in every round and is never let go."
        case StopReason.OUTPUT:
            return "Return the result; there is no need to print on the way."
        case StopReason.FORBIDDEN:
            return "A kata needs no files, no network and no other programs: only computing."
        case StopReason.CRASH:
            return "Look at where a function calls itself: which call is the last one?"
        case _:
            return "Start with the line that is named there, and the one above it."


def _failing(submission: Submission) -> list[str]:
    evidence, stage = submission.evidence, submission.stage
    first, *others = evidence.failed
    seen = as_sentence(f"“{first.name}”: {first.problem}")
    if _is_terse(stage):
        return [f"{evidence.score} tests pass. {seen}", *_also(others)]
    if not _is_gentle(stage):
        edge = "Which input of that case does your code not expect?"
        return [
            f"{evidence.score} tests pass. The first that fails is {seen} {edge}",
            *_also(others),
        ]
    works = [f"“{case.name}”" for case in evidence.cases if case.passed]
    praise = (
        f"{evidence.score} tests pass already: {', '.join(works)}."
        if works
        else "No test passes yet, and that is where every solution starts."
    )
    next_step = (
        f"Look at one test now, {seen} Take its name as a question, play the case through on "
        "paper, and find the first line where your code does something else than you."
    )
    return [praise, next_step]


def _also(others: Sequence[CaseResult]) -> list[str]:
    names = ", ".join(f"“{case.name}”" for case in others)
    return [f"Also failing: {names}."] if names else []


def _solved(submission: Submission, reading: SolutionFacts) -> list[str]:
    evidence, stage = submission.evidence, submission.stage
    count = len(evidence.cases)
    passed = "The test passes." if count == 1 else f"All {count} tests pass."
    parts = [f"{passed} Well done!" if _is_gentle(stage) and not evidence.broken else passed]
    parts += [
        as_sentence(f"“{constraint.title}” does not hold yet: {result.problem}")
        for constraint, result in evidence.broken
    ]
    parts += [f"“{constraint.title}” holds too." for constraint in evidence.kept]
    parts += [
        f"Whether “{constraint.title}” holds takes a reader; it was not judged."
        for constraint in evidence.unjudged
    ]
    if reading.tangled:
        names = ", ".join(reading.tangled)
        parts.append(f"{names} does a lot at once: which step of it deserves a name of its own?")
    elif not _is_terse(stage):
        parts.append("Its functions are short and shallow, which makes them easy to follow.")
    return parts


def _by_reading(submission: Submission, reading: SolutionFacts) -> str:
    run = submission.evidence.run
    why = run.message if run and run.message else "This kata has no tests that can be run here."
    parts = [why]
    if reading.problem:
        parts.append(f"Read as Python it stops at: {reading.problem}.")
    if reading.missing:
        names = ", ".join(f"`{name}`" for name in reading.missing)
        parts.append(f"The starting code defines {names}, and your solution does not.")
    if reading.unfinished:
        parts.append(f"Still unfinished: {', '.join(reading.unfinished)}.")
    if len(parts) == 1:
        parts.append("It is complete as far as reading goes.")
    parts.append("So it was read and not run, and what was not run is not passed.")
    return "\n\n".join([*parts, HOW_READ])
