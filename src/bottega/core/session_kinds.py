"""The kinds and states of sessions: words that commands know without loading the database."""

from enum import StrEnum


class SessionKind(StrEnum):
    COACHING = "coaching"
    AGENT = "agent"
    ASSISTANT = "assistant"
    RESEARCH = "research"


class SessionStatus(StrEnum):
    ACTIVE = "active"
    IDLE = "idle"
    INACTIVE = "inactive"
    COMPLETED = "completed"
    ABANDONED = "abandoned"
    ENDED = "ended"


LIVE = frozenset({SessionStatus.ACTIVE, SessionStatus.IDLE, SessionStatus.INACTIVE})
