"""A question to a person: what is asked, what may be answered, what Enter means."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel

_WORDS = tomllib.loads(Path(__file__).with_name("gate_words.toml").read_text("utf-8"))
#: Decisions that say nothing without a text, and what the text says.
NEEDS_TEXT: dict[str, str] = _WORDS["needs_text"]
#: What a person is told about an option, where its word is not enough.
EXPLAINED: dict[str, str] = _WORDS["explained"]
#: What people say, each with the options that it can mean.
SAID_FOR: dict[str, list[str]] = {
    word: each["means"] for each in _WORDS["said_for"] for word in each["words"]
}


class GateKind(StrEnum):
    FEEDFORWARD = "feedforward"
    CONFIDENCE = "confidence"
    REFLECTION = "reflection"
    ADJUDICATION = "adjudication"
    MEMORY_CAPTURE = "memory_capture"
    #: A likely personal name in what is to be remembered.
    NAME_CHECK = "name_check"
    PERMISSION = "permission"

    @property
    def is_a_persons(self) -> bool:
        """Whether it decides what is accepted, remembered or allowed: an agent that answered would
        approve its own work."""
        return self in _A_PERSONS


_A_PERSONS = frozenset(
    {GateKind.ADJUDICATION, GateKind.MEMORY_CAPTURE, GateKind.NAME_CHECK, GateKind.PERMISSION}
)


class GateItem(BaseModel, frozen=True):
    """One thing to decide about: a section, a proposed memory, a question."""

    id: str
    title: str
    text: str = ""
    #: `teacher` or `class:3B`, where it matters.
    scope: str | None = None
    options: list[str] = []
    default: str | None = None


class Gate(BaseModel, frozen=True):
    kind: GateKind
    #: What is asked, in markdown.
    text: str
    items: list[GateItem] = []
    #: What may be answered to the whole: `confirm`, `modify`, `dismiss`.
    options: list[str]
    #: What Enter means.
    default: str
    #: What a page needs beside the text.
    data: dict[str, Any] = {}


class ItemReply(BaseModel, extra="forbid"):
    id: str
    decision: str
    #: The edited text, the request to revise, the answer to the question.
    text: str | None = None


class GateReply(BaseModel, extra="forbid"):
    """As every door sends it; checked against its gate before the run goes on."""

    decision: str
    text: str | None = None
    items: list[ItemReply] = []
    #: 1 to 5, where it was asked for.
    rating: int | None = None


@dataclass(frozen=True, slots=True)
class GateDecision:
    """What a person decided at a gate, about all of it or about one item."""

    kind: GateKind
    decision: str
    #: The section, the proposal, the question; `None` is the whole.
    item: str | None = None
    text: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
