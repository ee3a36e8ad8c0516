"""What the house hears of a report."""

from collections.abc import Iterator
from typing import Any

from bottega.board.intake.proof import Proof
from bottega.board.intake.recorder import Recorded
from bottega.board.repository.failures import KnownFailure
from bottega.board.tables import Project
from bottega.core.events import Event

#: Of one kind, from one report. The first event has the numbers of all.
MOST_TOLD = 100


def tell(project: Project, recorded: Recorded, proof: Proof) -> Iterator[Event]:
    def event(topic: str, **facts: Any) -> Event:
        return Event(topic, {"project_id": project.id, **facts}, project.path)

    report = recorded.report
    new = [seen for seen in recorded.seen if seen.is_new]
    yield event(
        "errors.reported",
        report_id=report.id,
        source=report.source,
        total=report.total,
        passed=report.passed,
        failed=report.failed,
        flaked=report.flaked,
        skipped=report.skipped,
        new_failures=len(new),
        green=len(recorded.green),
    )
    for seen in new[:MOST_TOLD]:
        yield event(
            "errors.seen",
            failure_id=seen.failure.id,
            test_name=seen.failure.test_name,
            classification=seen.failure.classification,
            decision=seen.triage.decision,
            priority=seen.triage.priority,
        )
    for one in proof.confirmed:
        yield event(
            "errors.green",
            **_facts(one.failure),
            change_id=one.change.id,
            status=one.change.status,
        )
    confirmed = {one.failure.id for one in proof.confirmed}
    others = [known for known in recorded.green if known.id not in confirmed]
    for known in others[:MOST_TOLD]:
        yield event("errors.green", **_facts(known), change_id=None)
    for again in proof.reopened:
        yield event(
            "errors.reopened",
            failure_id=again.seen.failure.id,
            test_name=again.seen.failure.test_name,
            change_id=again.change.id,
            notes=again.transition.notes,
        )


def _facts(known: KnownFailure) -> dict[str, str]:
    return {"failure_id": known.id, "test_name": known.test_name}
