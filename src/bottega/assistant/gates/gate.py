"""A question to a person: what is asked, what may be answered, what Enter means."""

from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict


class GateKind(StrEnum):
    FEEDFORWARD = "feedforward"
    CONFIDENCE = "confidence"
    REFLECTION = "reflection"
    ADJUDICATION = "adjudication"
    MEMORY_CAPTURE = "memory_capture"
    #: A likely personal name in what is to be remembered.
    NAME_CHECK = "name_check"
    PERMISSION = "permission"


class GateItem(BaseModel):
    """One thing to decide about: a section, a proposed memory, a question."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    text: str = ""
    #: `teacher` or `class:3B`, where it matters.
    scope: str | None = None
    options: list[str] = []
    default: str | None = None


class Gate(BaseModel):
    model_config = ConfigDict(frozen=True)

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


class ItemReply(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str
    decision: str
    #: The edited text, the request to revise, the answer to the question.
    text: str | None = None


class GateReply(BaseModel):
    """As every door sends it; checked against its gate before the run goes on."""

    model_config = ConfigDict(extra="forbid")

    decision: str
    text: str | None = None
    items: list[ItemReply] = []
    #: 1 to 5, where it was asked for.
    rating: int | None = None


class Person(Protocol):
    """Whoever the run belongs to, however far away."""

    async def ask(self, gate: Gate) -> GateReply:
        """Wait for the answer, through restarts. Only between steps, never inside one."""
        ...
