"""What is there in the end, compared with what was acknowledged: nothing lost, doubled, swapped."""

import itertools
import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from bench.chaos.load import Acknowledged, Follower

FOLLOWED = "SELECT seq, id FROM events WHERE topic = 'memory.added' OR topic LIKE 'run.%'"
MARKER = re.compile(r"chaos_\d{6}")


@dataclass
class Findings:
    """Every list is empty when all is well."""

    lost_writes: list[str] = field(default_factory=list)
    doubled_writes: list[str] = field(default_factory=list)
    lost_events: list[str] = field(default_factory=list)
    doubled_events: list[str] = field(default_factory=list)
    unfinished_runs: list[str] = field(default_factory=list)
    broken_runs: list[str] = field(default_factory=list)
    #: Followers that missed, repeated or swapped an event.
    broken_streams: list[str] = field(default_factory=list)
    nameless_errors: list[str] = field(default_factory=list)
    #: Taken from an agent that gave signs of life, or given to two.
    lost_leases: list[str] = field(default_factory=list)
    doubled_leases: list[str] = field(default_factory=list)
    locked_out: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not any(vars(self).values())


class Rows:
    """Reads a database that nobody uses any more."""

    def __init__(self, sqlite_file: Path | None, url: str) -> None:
        self._file = sqlite_file
        self._url = url

    def select(self, statement: str) -> list[tuple[Any, ...]]:
        if self._file is not None:
            with closing(sqlite3.connect(self._file)) as connection:
                return connection.execute(statement).fetchall()
        with psycopg.connect(self._url) as connection_:
            return connection_.execute(statement).fetchall()


def check(rows: Rows, told: Acknowledged, followers: Sequence[Follower], last: int) -> Findings:
    """`last` is the number of the event that every follower must have reached."""
    found = Findings(nameless_errors=told.nameless)
    _check_writes(rows, told, found)
    _check_events(rows, told, found)
    _check_runs(rows, told, found)
    log = sorted(rows.select(FOLLOWED))
    for number, follower in enumerate(followers):
        reached = max(last, follower.heard[-1][0] if follower.heard else 0)
        expected = [event for event in log if event[0] <= reached]
        if follower.heard != expected:
            difference = _difference(follower.heard, expected)
            found.broken_streams.append(f"follower {number}: {difference}")
    return found


def _check_writes(rows: Rows, told: Acknowledged, found: Findings) -> None:
    places = {(write.table, write.column) for write in told.writes.values()}
    stored = {
        place: Counter(
            marker
            for (value,) in rows.select(f"SELECT {place[1]} FROM {place[0]}")
            for marker in MARKER.findall(str(value))
        )
        for place in places
    }
    for marker, write in told.writes.items():
        if not stored[write.table, write.column][marker]:
            found.lost_writes.append(f"{write.room} {marker}")
    for place, counts in stored.items():
        found.doubled_writes += [f"{place} {each}" for each, count in counts.items() if count > 1]


def _check_events(rows: Rows, told: Acknowledged, found: Findings) -> None:
    logged = Counter(
        memory
        for (payload,) in rows.select("SELECT payload FROM events WHERE topic = 'memory.added'")
        for memory in re.findall(r"mem_\w+", str(payload))
    )
    found.lost_events += [memory for memory in told.memories if not logged[memory]]
    found.doubled_events += [memory for memory, count in logged.items() if count > 1]


def _check_runs(rows: Rows, told: Acknowledged, found: Findings) -> None:
    ended = {run: rest for run, *rest in rows.select("SELECT id, status, error FROM runs")}
    found.unfinished_runs += [
        f"{run}: {ended.get(run, ['lost'])}"
        for run in told.runs
        if ended.get(run, [""])[0] != "completed"
    ]
    positions: dict[str, list[int]] = {}
    ends: Counter[str] = Counter()
    for run_id, position, type_ in rows.select("SELECT run_id, position, type FROM run_events"):
        positions.setdefault(run_id, []).append(position)
        ends[run_id] += type_ in ("completed", "failed", "cancelled")
    for run_id, places in positions.items():
        if sorted(places) != list(range(1, len(places) + 1)) or ends[run_id] > 1:
            found.broken_runs.append(run_id)


def _difference(heard: list[tuple[int, str]], log: list[tuple[Any, ...]]) -> str:
    known = {event for _, event in heard}
    missed = [seq for seq, event in log if event not in known]
    numbers = [number for number, _ in heard]
    repeated = len(numbers) - len(set(numbers))
    swapped = sum(a > b for a, b in itertools.pairwise(numbers))
    logged = {event for _, event in log}
    unknown = [number for number, event in heard if event not in logged]
    return (
        f"missed {missed[:5]}, {repeated} repeated, {swapped} out of order, {unknown[:5]} that the "
        "log does not have"
    )
