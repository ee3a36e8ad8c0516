"""Time, as everything here writes it, and ids that sort by it.

Times are UTC, ISO 8601 with microseconds, sortable as text. Ids are UUID version 7, monotonic
within a process.
"""

import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)


def iso(moment: datetime | None = None) -> str:
    # Not by strftime, which writes the year 317 with three digits.
    utc = (moment or now()).astimezone(UTC).replace(tzinfo=None)
    return f"{utc.isoformat(timespec='microseconds')}Z"


def parse(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


class JumpDetector:
    """Tells by the steady clock when the wall clock was set, or the machine was asleep."""

    def __init__(self, now: Callable[[], datetime], monotonic: Callable[[], float]) -> None:
        self._now = now
        self._monotonic = monotonic
        self._ahead = self._difference()

    def seconds(self) -> float:
        """How far it jumped since this was last asked; negative if it was set back."""
        before, self._ahead = self._ahead, self._difference()
        return self._ahead - before

    def _difference(self) -> float:
        return self._now().timestamp() - self._monotonic()


_lock = threading.Lock()
_last = 0


def new_id(prefix: str = "") -> str:
    """A fresh id such as `0199…` or, with a prefix, `run_0199…`."""
    global _last
    with _lock:
        # 48 bits of milliseconds and 12 of a counter, so that ids of one process never tie.
        _last = max(_last + 1, time.time_ns() // 1_000_000 << 12)
        stamp = _last
    random = int.from_bytes(os.urandom(8)) & (1 << 62) - 1
    number = (stamp >> 12) << 80 | 7 << 76 | (stamp & 0xFFF) << 64 | 0b10 << 62 | random
    return f"{prefix}{number:032x}"
