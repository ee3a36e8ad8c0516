"""What a report proves about finished work: its test is green, or it failed again.

Only a run that began after the work was done can tell.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes.lifecycle import move, note
from bottega.board.enums import Actor, ChangeStatus
from bottega.board.failures.plain_text import cut
from bottega.board.failures.quoting import code
from bottega.board.failures.report import Source
from bottega.board.intake.recorder import Recorded, Seen
from bottega.board.repository import changes
from bottega.board.repository import failures as repository
from bottega.board.repository.failures import KnownFailure
from bottega.board.tables import Change, ChangeTransition, Report
from bottega.core import clock

GREEN = "Its test is green"


@dataclass(frozen=True, slots=True)
class Confirmed:
    change: Change
    failure: KnownFailure


@dataclass(frozen=True, slots=True)
class Reopened:
    change: Change
    transition: ChangeTransition
    seen: Seen

    @property
    def task(self) -> str:
        """For the one who takes it up again."""
        first = next(iter(self.seen.facts.message.splitlines()), "")
        when = clock.iso(self.seen.failure.last_seen_at)[:16].replace("T", " ")
        return (
            f"The test failed again on {when} UTC: {code(first, 200)} "
            "Find out what the fix left open, and see the test pass"
        )


@dataclass(slots=True)
class Proof:
    confirmed: list[Confirmed] = field(default_factory=list)
    reopened: list[Reopened] = field(default_factory=list)


async def prove(
    session: AsyncSession, project_id: str, recorded: Recorded, passed: Collection[str]
) -> Proof:
    """In the caller's transaction."""
    proof = Proof()
    failed = {one.failure.fingerprint: one for one in recorded.seen}
    for change, failure in await repository.awaiting_proof(session, project_id):
        if not _began_after(recorded.report, change.completed_at):
            continue
        if (seen := failed.get(failure.fingerprint)) is not None:
            proof.reopened.append(await _reopen(session, change, seen, recorded.report))
        elif failure.test_id in passed and not await _is_told(session, change):
            await note(session, change, Actor.SYSTEM, f"{GREEN} in report {recorded.report.id}.")
            proof.confirmed.append(Confirmed(change, failure))
    return proof


def _began_after(report: Report, done: datetime | None) -> bool:
    # JUnit names no time zone, so its own word on when it began may be hours off.
    said = report.started_at if report.source == Source.PLAYWRIGHT else None
    return done is None or (said or report.created_at) >= done


async def _reopen(session: AsyncSession, change: Change, seen: Seen, report: Report) -> Reopened:
    times = seen.failure.occurrence_count
    evidence = (
        f"Reopened: {seen.failure.test_name!r} failed again in report {report.id} "
        f"(seen {times} times).\n\n{cut(seen.facts.message, 1_000)}"
    )
    transition = await move(session, change, ChangeStatus.APPROVED, Actor.SYSTEM, notes=evidence)
    await repository.forget_applied(session, change)
    return Reopened(change, transition, seen)


async def _is_told(session: AsyncSession, change: Change) -> bool:
    """Whether that was noted since the change came to where it is."""
    steps: Sequence[ChangeTransition] = await changes.transitions(
        session, change.project_id, change.id
    )
    for step in reversed(steps):
        if step.from_state != step.to_state:
            return False
        if (step.notes or "").startswith(GREEN):
            return True
    return False
