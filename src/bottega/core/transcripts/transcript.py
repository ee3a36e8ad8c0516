"""A session of another agent, whichever wrote it down."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bottega.core import clock
from bottega.core.text.words import strings

LONGEST_TITLE = 80
#: Characters that the search reads; PostgreSQL takes no more than a megabyte of words.
LONGEST_TEXT = 100_000


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    #: The agent's own, so that it is taken in once.
    id: str
    #: user, assistant, tool or system
    role: str
    content: dict[str, Any]
    text: str
    at: datetime


@dataclass(slots=True)
class Transcript:
    id: str
    #: claude-code or codex
    source: str
    project_dir: str
    title: str | None = None
    #: What else the agent wrote of it: its version, the branch, the session it belongs to.
    facts: dict[str, Any] = field(default_factory=dict)
    said: list[TranscriptMessage] = field(default_factory=list)

    def entitle(self) -> None:
        """After what a person asked first, if the agent gave it no title."""
        if self.title is None:
            asked = (said.text for said in self.said if said.role == "user")
            first = next((line for text in asked for line in text.splitlines() if line.strip()), "")
            self.title = first.strip()[:LONGEST_TITLE] or None


def moment(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else clock.parse(value)


def words(value: Any) -> str:
    """The text in a JSON value, at any depth, in its order."""
    return "\n".join(strings(value))[:LONGEST_TEXT]
