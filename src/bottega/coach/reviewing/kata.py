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

from dataclasses import dataclass

from bottega.coach.practice.constraints import next_challenge
from bottega.coach.protocol.learning import DreyfusSignal, FollowUpType
from bottega.coach.reviewing import feedback
from bottega.coach.reviewing.solution import Reading, read_solution
from bottega.coach.reviewing.submission import Submission

LOWEST, HIGHEST = 1, 10
#: So many failures in a row, without a higher level, are a struggle.
STRUGGLE = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    correct: bool
    passed: bool
    feedback: str
    level: int
    follow_up: FollowUpType
    constraint: str | None
    reason: str
    dreyfus_signal: DreyfusSignal


def review_kata(submission: Submission) -> Verdict:
    evidence = submission.evidence
    reading = read_solution(evidence.code, submission.scaffolding_code)
    passed = evidence.solves and not evidence.broken
    level = level_shown(submission, reading)
    kind, constraint, reason = _follow_up(submission, reading, passed)
    return Verdict(
        correct=evidence.solves,
        passed=passed,
        feedback=feedback.write(submission, reading),
        level=level,
        follow_up=kind,
        constraint=constraint,
        reason=reason,
        dreyfus_signal=_signal(submission, passed, level),
    )


def level_shown(submission: Submission, reading: Reading) -> int:
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


def _follow_up(
    submission: Submission, reading: Reading, passed: bool
) -> tuple[FollowUpType, str | None, str]:
    if not passed:
        return "retry_hint", None, feedback.hint(submission, reading)
    done = submission.mastered | {each.title for each in submission.evidence.constraints}
    challenge = next_challenge(submission.constraints, done)
    if challenge is None:
        return "completed", None, "You have solved it under every constraint that it has."
    text = f"{challenge.title}: {challenge.description}"
    return "constraint_escalation", text, "Solved. The same task again, a little harder."


def _signal(submission: Submission, passed: bool, level: int) -> DreyfusSignal:
    earlier = submission.previous_attempts
    best = max((attempt.get("level") or 0 for attempt in earlier), default=0)
    if passed:
        return "advancing" if level > best else "stable"
    recent = earlier[-(STRUGGLE - 1) :]
    failing = len(recent) == STRUGGLE - 1 and not any(each.get("passed") for each in recent)
    return "struggling" if failing and level <= best else "stable"
