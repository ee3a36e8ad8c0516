"""What the rules make of a failure, from the runs of its test.

Blocking, for a thread: an error's words are looked through for each of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bottega.board import enums
from bottega.board.failures.facts import FailureFacts
from bottega.board.failures.patterns import History, Outcome, Pattern, find_pattern
from bottega.board.failures.report import SEPARATOR, Runner, Source
from bottega.board.failures.triage import Triage, triage
from bottega.board.openspec.reading import Reader
from bottega.board.openspec.requirements import fold
from bottega.board.repository.failures import RUNS_REMEMBERED
from bottega.board.tables import TestFailure
from bottega.errors import BottegaError


@dataclass(frozen=True, slots=True)
class Judgement:
    pattern: Pattern
    triage: Triage


@dataclass(frozen=True, slots=True)
class Promises:
    """What a project's main specs say."""

    #: Names of capabilities and requirements.
    features: Sequence[str] = ()
    #: `(capability, requirement)`, folded as OpenSpec compares them.
    requirements: frozenset[tuple[str, str]] = frozenset()


def read_promises(project: Path) -> Promises:
    try:
        specs = Reader(project).specs()
    except (BottegaError, OSError):
        # Rules judge without them, if less well.
        return Promises()
    named = [(spec.id, one.name) for spec in specs for one in spec.requirements]
    features = [*(spec.id for spec in specs), *(name for _, name in named)]
    return Promises(features, frozenset((area, fold(name)) for area, name in named))


def judge(facts: FailureFacts, history: History, promises: Promises) -> Judgement:
    return Judgement(find_pattern(history), triage(facts, history, promises.features))


def history_of(failure: TestFailure, outcomes: Sequence[enums.Outcome]) -> History:
    """`outcomes` of its test, newest last and none of them skipped."""
    simple = [_OUTCOMES[outcome] for outcome in outcomes]
    history = History.of(simple, failure.first_seen_at, failure.last_seen_at)
    in_a_row = history.consecutive_failures
    if in_a_row >= RUNS_REMEMBERED:
        # The count goes on where the memory of single runs ends.
        in_a_row = max(in_a_row, failure.consecutive_failures)
    return replace(history, occurrences=failure.occurrence_count, consecutive_failures=in_a_row)


_OUTCOMES = {
    enums.Outcome.PASSED: Outcome.PASSED,
    enums.Outcome.FLAKED: Outcome.FLAKED,
    enums.Outcome.FAILED: Outcome.FAILED,
    enums.Outcome.TIMED_OUT: Outcome.FAILED,
}


def facts_of(failure: TestFailure, source: str | None) -> FailureFacts:
    """From its row, when there is no report at hand. `source` is that of its last report."""
    name = failure.test_id
    if failure.file:
        name = name.removeprefix(failure.file + SEPARATOR)
    before, _, after = name.rpartition(failure.test_name)
    return FailureFacts(
        fingerprint=failure.fingerprint,
        test_id=failure.test_id,
        title=failure.test_name,
        runner=_runner(failure.file, source),
        message=failure.error_message,
        stack=failure.stack_trace or None,
        suite=before.removesuffix(SEPARATOR),
        file=failure.file,
        line=failure.line,
        project=after.removeprefix(" [").removesuffix("]") or None,
    )


def _runner(file: str | None, source: str | None) -> Runner:
    if source == Source.PLAYWRIGHT:
        return Runner.PLAYWRIGHT
    return Runner.PYTEST if file and file.endswith(".py") else Runner.UNKNOWN
