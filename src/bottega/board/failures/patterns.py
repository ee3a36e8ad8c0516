"""Which pattern a failure follows over the runs, and how urgent that makes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

from bottega.board.failures.reports.report import BoardOutcome

#: Failures in a row after which nobody hopes any more.
PERSISTENT_AFTER = 5
RECURRING_AFTER = 3
#: Older runs say little about the code of today.
RUNS_LOOKED_AT = 20


class FailureClass(StrEnum):
    PERSISTENT = "PERSISTENT"
    FLAKY = "FLAKY"
    RECURRING = "RECURRING"
    NEW = "NEW"

    @property
    def priority(self) -> int:
        """From 5, critical, to 2, low."""
        return _PRIORITIES[self]


_PRIORITIES = {
    FailureClass.PERSISTENT: 5,
    FailureClass.RECURRING: 4,
    FailureClass.FLAKY: 3,
    FailureClass.NEW: 2,
}


@dataclass(frozen=True, slots=True)
class FailureHistory:
    """What became of one failure's test, run by run."""

    #: Newest last; skipped runs are left out.
    outcomes: tuple[BoardOutcome, ...]
    #: How often this failure was seen, in all its time.
    occurrences: int
    consecutive_failures: int
    first_seen: datetime
    last_seen: datetime

    @classmethod
    def of(
        cls, outcomes: Sequence[BoardOutcome], first_seen: datetime, last_seen: datetime
    ) -> "FailureHistory":
        """Of a test whose every failure was this one."""
        failed = [outcome is not BoardOutcome.PASSED for outcome in outcomes]
        return cls(tuple(outcomes), sum(failed), _last_in_a_row(outcomes), first_seen, last_seen)

    @property
    def is_inconsistent(self) -> bool:
        """Passed on retry, or changed its mind more than once: one change is a break or a fix."""
        recent = self.outcomes[-RUNS_LOOKED_AT:]
        changes = sum(before is not after for before, after in pairwise(recent))
        return BoardOutcome.FLAKED in recent or changes > 1


def _last_in_a_row(outcomes: Sequence[BoardOutcome]) -> int:
    count = 0
    for outcome in reversed(outcomes):
        if outcome is not BoardOutcome.FAILED:
            break
        count += 1
    return count


def find_pattern(history: FailureHistory) -> FailureClass:
    """In this order: what has failed five times in a row is no longer called flaky."""
    if history.consecutive_failures >= PERSISTENT_AFTER:
        return FailureClass.PERSISTENT
    if history.is_inconsistent:
        return FailureClass.FLAKY
    if history.occurrences >= RECURRING_AFTER:
        return FailureClass.RECURRING
    return FailureClass.NEW
