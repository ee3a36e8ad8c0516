"""Feedback on a kata's solution without a model, in the tone of the learner's stage.

What works comes first. A failing test is shown by its name and what was seen, never by its code;
the solution and the instructor's notes are never shown at all.
"""

from collections.abc import Sequence

from bottega.coach.enums import Stage
from bottega.coach.practice.runner import CaseResult
from bottega.coach.practice.solution import SolutionFacts, Submission, as_sentence
from bottega.core.isolation.process import StopReason

HOW_RUN = "(Told by running your code, without a model.)"
HOW_READ = "(Told by reading your code, without a model.)"


def write(submission: Submission, reading: SolutionFacts) -> str:
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


def hint(submission: Submission, reading: SolutionFacts) -> str:
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
