"""A report goes into the database, in the caller's one transaction: all of it, or nothing.

Every result is a run of its test. Every error is a failure, known again by its fingerprint, and
judged by the runs of its test up to this one.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.failures import repository
from bottega.board.failures.facts import FailureFacts
from bottega.board.failures.reports.parser import parse_report
from bottega.board.failures.reports.report import (
    SEPARATOR,
    BoardOutcome,
    ParsedReport,
    ReportedError,
    ReportSource,
    Runner,
    TestResult,
)
from bottega.board.failures.repository import RUNS_REMEMBERED, KnownFailure
from bottega.board.failures.tables import ErrorTriage, Report, TestFailure
from bottega.board.failures.triage import (
    FailureClass,
    FailureHistory,
    TriageVerdict,
    triage,
)
from bottega.board.openspec.reader import OpenSpecReader
from bottega.board.openspec.specs import fold
from bottega.core import clock
from bottega.errors import BottegaError


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


@dataclass(frozen=True, slots=True)
class ReadReport:
    parsed: ParsedReport
    #: What went wrong, by the id of the test.
    facts: Mapping[str, FailureFacts]
    #: Ids of tests.
    passed: frozenset[str]


def read_report(body: bytes, content_type: str | None) -> ReadReport:
    """Blocking, up to seconds."""
    parsed = parse_report(body, content_type)
    found = (FailureFacts.of(_explained(result), parsed.runner) for result in parsed.results)
    passed = frozenset(one.test_id for one in parsed.results if one.status is BoardOutcome.PASSED)
    failed = {facts.test_id: facts for facts in found if facts is not None}
    return ReadReport(parsed, failed, passed)


def _explained(result: TestResult) -> TestResult:
    if result.error is not None or not (
        result.status.is_failure or result.status is BoardOutcome.FLAKED
    ):
        return result
    return replace(result, error=ReportedError("The test failed, and its runner did not say why."))


@dataclass(frozen=True, slots=True)
class SeenFailure:
    """A failure that this report has shown."""

    facts: FailureFacts
    failure: TestFailure
    triage: ErrorTriage
    history: FailureHistory
    is_new: bool
    #: What it was taken for until now.
    class_before: str

    @property
    def pattern(self) -> FailureClass:
        return FailureClass(self.failure.classification)


@dataclass(slots=True)
class RecordedReport:
    report: Report
    seen: list[SeenFailure] = field(default_factory=list)
    #: Failures whose test passes again.
    green: list[KnownFailure] = field(default_factory=list)


async def record(
    session: AsyncSession, project_id: str, read: ReadReport, main_specs: MainSpecs
) -> RecordedReport:
    report = _report(project_id, read.parsed)
    session.add(report)
    await session.flush()
    await repository.add_runs(session, _runs(report, read))
    recorded = RecordedReport(report)
    for some in repository.chunks(list(read.facts.values())):
        recorded.seen += await _take(session, report, some, main_specs)
    failing = await repository.failing(session, project_id)
    recorded.green = [known for known in failing if known.test_id in read.passed]
    green_ids = [known.id for known in recorded.green]
    await repository.turn_green(session, green_ids, report.created_at)
    return recorded


def _report(project_id: str, parsed: ParsedReport) -> Report:
    counts = Counter(result.status for result in parsed.results)
    return Report(
        project_id=project_id,
        source=parsed.source,
        started_at=parsed.started_at,
        duration_ms=parsed.duration_ms,
        total=len(parsed.results),
        passed=counts[BoardOutcome.PASSED],
        failed=counts[BoardOutcome.FAILED] + counts[BoardOutcome.TIMED_OUT],
        flaked=counts[BoardOutcome.FLAKED],
        skipped=counts[BoardOutcome.SKIPPED],
        created_at=clock.now(),
    )


def _runs(report: Report, read: ReadReport) -> Iterator[dict[str, Any]]:
    for result in read.parsed.results:
        facts = read.facts.get(result.test_id)
        yield {
            "report_id": report.id,
            "project_id": report.project_id,
            "test_id": result.test_id,
            "outcome": result.status.value,
            "duration_ms": result.duration_ms,
            "fingerprint": facts.fingerprint if facts else None,
        }


async def _take(
    session: AsyncSession, report: Report, some: Sequence[FailureFacts], main_specs: MainSpecs
) -> list[SeenFailure]:
    project_id = report.project_id
    known = await repository.by_fingerprint(session, project_id, [one.fingerprint for one in some])
    before = {row.id: row.classification for row in known.values()}
    rows = [_met(known.get(facts.fingerprint), facts, report) for facts in some]
    session.add_all(rows)
    await session.flush()
    outcomes = await repository.last_outcomes(session, project_id, [row.test_id for row in rows])
    triages = await repository.triages(session, list(before))
    histories = [history_of(row, outcomes[row.test_id]) for row in rows]
    judged = await asyncio.to_thread(
        lambda: [triage(*pair, main_specs.features) for pair in zip(some, histories, strict=True)]
    )
    seen: list[SeenFailure] = []
    for facts, row, history, verdict in zip(some, rows, histories, judged, strict=True):
        decided = triages.get(row.id) or ErrorTriage(test_failure_id=row.id)
        session.add(decided)
        row.consecutive_failures = history.consecutive_failures
        apply_verdict(row, decided, verdict, report.created_at)
        class_before = before.get(row.id, FailureClass.NEW)
        seen.append(SeenFailure(facts, row, decided, history, row.id not in before, class_before))
    await session.flush()
    return seen


def _met(row: TestFailure | None, facts: FailureFacts, report: Report) -> TestFailure:
    """The failure's row, new or known, updated from this report."""
    now = report.created_at
    if row is None:
        row = TestFailure(
            project_id=report.project_id,
            fingerprint=facts.fingerprint,
            classification=FailureClass.NEW,
            occurrence_count=0,
            consecutive_failures=0,
            first_seen_at=now,
        )
    row.test_id, row.test_name = facts.test_id, facts.title
    row.file, row.line = facts.file, facts.line
    row.error_message, row.stack_trace = facts.message, facts.stack or ""
    row.occurrence_count += 1
    row.consecutive_failures += 1
    row.is_failing, row.passed_at = True, None
    row.last_seen_at, row.last_report_id = now, report.id
    return row


def apply_verdict(
    row: TestFailure, triage: ErrorTriage, said: TriageVerdict, now: datetime
) -> None:
    """Store the rules' verdict where no person has decided."""
    if not row.classified_by_person:
        row.classification = said.pattern
    if triage.person_decision is not None:
        return
    triage.decision = triage.rule_decision = said.decision
    triage.rationale, triage.confidence = said.rationale, said.confidence
    triage.priority = FailureClass(row.classification).priority
    triage.updated_at = now
