"""Questions to the example standards: with an answer and without, half to fit, half to judge."""

import json
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).parent / "data" / "questions.jsonl"


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    answerable: bool
    #: inside (in the library's words), reworded (in others), near (its domain) or far from it.
    domain: str
    #: The paragraphs with the answer.
    refs: list[str]
    #: fit or held_out
    split: str


def questions() -> list[Asked]:
    return [Asked(**json.loads(line)) for line in FILE.read_text("utf-8").splitlines()]
