"""Which pattern a failure follows over the runs, and how urgent that makes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

#: Failures in a row after which nobody hopes any more.
PERSISTENT_AFTER = 5
RECURRING_AFTER = 3
#: Older runs say little about the code of today.
RUNS_LOOKED_AT = 20


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    #: Failed, then passed when tried again.
    FLAKED = "flaked"


class Pattern(StrEnum):
    PERSISTENT = "PERSISTENT"
    FLAKY = "FLAKY"
    RECURRING = "RECURRING"
    NEW = "NEW"

    @property
    def priority(self) -> int:
        """From 5, critical, to 2, low."""
        return _PRIORITIES[self]


_PRIORITIES = {Pattern.PERSISTENT: 5, Pattern.RECURRING: 4, Pattern.FLAKY: 3, Pattern.NEW: 2}


@dataclass(frozen=True, slots=True)
class History:
    """What became of one failure's test, run by run."""

    #: Newest last; skipped runs are left out.
    outcomes: tuple[Outcome, ...]
    #: How often this failure was seen, in all its time.
    occurrences: int
    consecutive_failures: int
    first_seen: datetime
    last_seen: datetime

    @classmethod
    def of(
        cls, outcomes: Sequence[Outcome], first_seen: datetime, last_seen: datetime
    ) -> "History":
        """Of a test whose every failure was this one."""
        failed = [outcome is not Outcome.PASSED for outcome in outcomes]
        return cls(tuple(outcomes), sum(failed), _last_in_a_row(outcomes), first_seen, last_seen)

    @property
    def is_inconsistent(self) -> bool:
        """Passed on retry, or changed its mind more than once: one change is a break or a fix."""
        recent = self.outcomes[-RUNS_LOOKED_AT:]
        changes = sum(before is not after for before, after in pairwise(recent))
        return Outcome.FLAKED in recent or changes > 1


def _last_in_a_row(outcomes: Sequence[Outcome]) -> int:
    count = 0
    for outcome in reversed(outcomes):
        if outcome is not Outcome.FAILED:
            break
        count += 1
    return count


def find_pattern(history: History) -> Pattern:
    """In this order: what has failed five times in a row is no longer called flaky."""
    if history.consecutive_failures >= PERSISTENT_AFTER:
        return Pattern.PERSISTENT
    if history.is_inconsistent:
        return Pattern.FLAKY
    if history.occurrences >= RECURRING_AFTER:
        return Pattern.RECURRING
    return Pattern.NEW
