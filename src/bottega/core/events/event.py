"""What happened, and who wants to hear of it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bottega.core import clock
from bottega.core.ids import new_id

#: Tells a subscriber that was too slow how many events it lost (`payload["missed"]`).
MISSED = "events.missed"


@dataclass(frozen=True, slots=True)
class Event:
    #: Dotted words, the thing before what happened to it: `session.started`, `mcp.tool_called`.
    topic: str
    payload: dict[str, Any] = field(default_factory=dict)
    project: str | None = None
    #: Whose it is; an event of nobody's is for everybody.
    user_id: str | None = None
    session_id: str | None = None
    #: Written to the log, and so heard in other processes and found later.
    durable: bool = True
    id: str = field(default_factory=new_id)
    created_at: datetime = field(default_factory=clock.now)
    #: The bus that published it.
    origin: str = ""


@dataclass(frozen=True, slots=True)
class CommittedEvent:
    #: Its place in the log.
    seq: int
    event: Event


@dataclass(frozen=True, slots=True)
class Interest:
    """Which events someone wants: some topics, of one project, meant for one user.

    A topic is exact (`session.started`), a branch (`session.*`) or everything (`*`, or no topic
    given). Events that belong to no project or to no user pass for every one.
    """

    topics: tuple[str, ...] = ()
    project: str | None = None
    user_id: str | None = None

    @property
    def everything(self) -> bool:
        return not self.topics or "*" in self.topics

    def covers(self, event: Event) -> bool:
        return (
            (self.project is None or event.project in (None, self.project))
            and (self.user_id is None or event.user_id in (None, self.user_id))
            and (self.everything or any(matches(topic, event.topic) for topic in self.topics))
        )


def branch(pattern: str) -> str | None:
    """`session.` for `session.*`; `None` for an exact topic."""
    return pattern[:-1] if pattern.endswith(".*") else None


def matches(pattern: str, topic: str) -> bool:
    stem = branch(pattern)
    return topic == pattern if stem is None else topic.startswith(stem)
