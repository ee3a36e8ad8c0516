"""How each stage is best met, in the words of `manners.toml`."""

import tomllib
from functools import cache
from pathlib import Path

from bottega.coach.enums import Stage


@cache
def manners(occasion: str) -> dict[Stage, str]:
    """The sentences for an explanation, a review, a lesson, a reading list or a recommendation."""
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {Stage(stage): words for stage, words in read[occasion].items()}
