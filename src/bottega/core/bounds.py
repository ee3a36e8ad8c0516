"""Limits that are checked and not told in a tool's schema: a model pays for every word of it, and
no sensible caller comes near them."""

import re
from collections.abc import Sized
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field


def bounded(least: int, most: int) -> AfterValidator:
    def check(value: Sized) -> Sized:
        if not least <= len(value) <= most:
            raise ValueError(f"it has a length of {len(value)}; {least} to {most} are taken")
        return value

    return AfterValidator(check)


def between(least: float, most: float) -> AfterValidator:
    def check(value: float) -> float:
        if not least <= value <= most:
            raise ValueError(f"{least} to {most} are taken")
        return value

    return AfterValidator(check)


def shaped(pattern: str, like: str) -> AfterValidator:
    shape = re.compile(pattern)

    def check(value: str) -> str:
        if not shape.fullmatch(value):
            raise ValueError(f"it should look like {like}")
        return value

    return AfterValidator(check)


def in_utc(moment: datetime) -> datetime:
    """Without an offset it is UTC already."""
    # Some offsets push the first and last days of the calendar over its edge.
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        raise ValueError("it is outside the calendar; use a year from 2 to 9998") from None


#: A time that somebody gives us.
Instant = Annotated[datetime, AfterValidator(in_utc)]
#: What an integer column holds.
Count = Annotated[int, Field(ge=0, lt=2**31)]
