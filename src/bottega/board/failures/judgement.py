"""What the rules make of a failure, from the runs of its test.

Blocking, for a thread: an error's words are looked through for each of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bottega.board.failures.facts import FailureFacts
from bottega.board.failures.patterns import FailureClass, FailureHistory, find_pattern
from bottega.board.failures.reports.report import SEPARATOR, BoardOutcome, ReportSource, Runner
from bottega.board.failures.repository import RUNS_REMEMBERED
from bottega.board.failures.tables import TestFailure
from bottega.board.failures.triage import TriageVerdict, triage
from bottega.board.openspec.reader import OpenSpecReader
from bottega.board.openspec.specs import fold
from bottega.errors import BottegaError


@dataclass(frozen=True, slots=True)
class FailureJudgement:
    pattern: FailureClass
    triage: TriageVerdict


@dataclass(frozen=True, slots=True)
class MainSpecs:
    """What a project's main specs say."""

    #: Names of capabilities and requirements.
    features: Sequence[str] = ()
    #: `(capability, requirement)`, folded as OpenSpec compares them.
    requirements: frozenset[tuple[str, str]] = frozenset()


def read_main_specs(project: Path) -> MainSpecs:
    try:
        specs = OpenSpecReader(project).specs()
    except (BottegaError, OSError):
        # Rules judge without them, if less well.
        return MainSpecs()
    named = [(spec.id, one.name) for spec in specs for one in spec.requirements]
    features = [*(spec.id for spec in specs), *(name for _, name in named)]
    return MainSpecs(features, frozenset((area, fold(name)) for area, name in named))


def judge(facts: FailureFacts, history: FailureHistory, main_specs: MainSpecs) -> FailureJudgement:
    return FailureJudgement(find_pattern(history), triage(facts, history, main_specs.features))


def history_of(failure: TestFailure, outcomes: Sequence[BoardOutcome]) -> FailureHistory:
    """`outcomes` of its test, newest last and none of them skipped."""
    # A run that timed out failed; to a history the difference is none.
    simple = [BoardOutcome.FAILED if one is BoardOutcome.TIMED_OUT else one for one in outcomes]
    history = FailureHistory.of(simple, failure.first_seen_at, failure.last_seen_at)
    in_a_row = history.consecutive_failures
    if in_a_row >= RUNS_REMEMBERED:
        # The count goes on where the memory of single runs ends.
        in_a_row = max(in_a_row, failure.consecutive_failures)
    return replace(history, occurrences=failure.occurrence_count, consecutive_failures=in_a_row)


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
    if source == ReportSource.PLAYWRIGHT:
        return Runner.PLAYWRIGHT
    return Runner.PYTEST if file and file.endswith(".py") else Runner.UNKNOWN
