"""Time, as everything here writes it: UTC, ISO 8601 with microseconds, sortable as text."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)


def iso(moment: datetime | None = None) -> str:
    # Not by strftime, which writes the year 317 with three digits.
    utc = (moment or now()).astimezone(UTC).replace(tzinfo=None)
    return f"{utc.isoformat(timespec='microseconds')}Z"


def parse(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
