"""The coach's closed sets."""

from enum import StrEnum


class HintLevel(StrEnum):
    """How closely hints point: at nothing, at files, at regions, at lines."""

    NONE = "none"
    FILE = "file"
    REGION = "region"
    LINE = "line"

    @property
    def rank(self) -> int:
        return tuple(HintLevel).index(self)


class PhaseStatus(StrEnum):
    PENDING = "pending"
    ACTIVE = "active"
    COMPLETE = "complete"


class HintType(StrEnum):
    FILE = "file"
    LINE = "line"


class FileStyle(StrEnum):
    SUGGESTED = "suggested"
    IMPORTANT = "important"
    CRITICAL = "critical"


class LineStyle(StrEnum):
    HINT = "hint"
    FOCUS = "focus"
    WARNING = "warning"


class Severity(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @property
    def rank(self) -> int:
        return tuple(Severity).index(self)


class Difficulty(StrEnum):
    BEGINNER = "beginner"
    INTERMEDIATE = "intermediate"
    ADVANCED = "advanced"


class ProgressType(StrEnum):
    #: The person opened a file that a shown hint points at.
    HINT_USED = "hint_used"
    #: The person asked for closer hints.
    HINT_ESCALATED = "hint_escalated"
    #: The person asked for a review of the phase's work.
    REVIEW_REQUESTED = "review_requested"
    #: That review found the phase's work done.
    REVIEW_PASSED = "review_passed"


class MessageType(StrEnum):
    """What a coaching message is, and so how it looks."""

    INFO = "info"
    HINT = "hint"
    SUCCESS = "success"
    WARNING = "warning"


class Signal(StrEnum):
    """Why the observer would speak."""

    WRONG_FILE = "wrong_file"
    SCOPE_DRIFT = "scope_drift"
    IDLE = "idle"
    PHASE_COMPLETE = "phase_complete"
    EDIT_LOOP = "edit_loop"
    NO_NUDGE = "no_nudge"


class Period(StrEnum):
    WEEK = "7d"
    MONTH = "30d"
    ALL = "all"


class Stage(StrEnum):
    NOVICE = "novice"
    ADVANCED_BEGINNER = "advanced_beginner"
    COMPETENT = "competent"
    PROFICIENT = "proficient"
    EXPERT = "expert"

    @property
    def rank(self) -> int:
        """0 for a novice, 4 for an expert."""
        return tuple(Stage).index(self)

    @property
    def words(self) -> str:
        return self.value.replace("_", " ")
