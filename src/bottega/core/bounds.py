"""Limits that are checked and not told in a tool's schema: a model pays for every word of it, and
no sensible caller comes near them."""

import re
from collections.abc import Sized

from pydantic import AfterValidator


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
