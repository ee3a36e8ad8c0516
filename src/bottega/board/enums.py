"""The board's closed sets."""

from enum import StrEnum


class ChangeStatus(StrEnum):
    """Where a change is on its way. Into `approved` and into `applied` only a person lets it."""

    PROPOSING = "proposing"
    APPROVED = "approved"
    ASSIGNED = "assigned"
    IN_PROGRESS = "in_progress"
    REVIEW = "review"
    APPLIED = "applied"
    ARCHIVED = "archived"


#: What is listed if no status is asked for.
OPEN_STATUSES = tuple(status for status in ChangeStatus if status is not ChangeStatus.ARCHIVED)


class Actor(StrEnum):
    """Who moved a change."""

    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"


class Outcome(StrEnum):
    """How one test ended in one run."""

    PASSED = "passed"
    FAILED = "failed"
    #: Failed, then passed when it was tried again.
    FLAKED = "flaked"
    TIMED_OUT = "timed_out"
    SKIPPED = "skipped"


class FailureClass(StrEnum):
    PERSISTENT = "PERSISTENT"
    FLAKY = "FLAKY"
    RECURRING = "RECURRING"
    NEW = "NEW"


class Decision(StrEnum):
    """What triage makes of a failure."""

    NEEDS_SPEC = "needs_spec"
    #: For data from elsewhere: no path here acts on it.
    ONE_OFF_FIX = "one_off_fix"
    IGNORE = "ignore"
    PENDING = "pending"


class SessionType(StrEnum):
    MASTER = "master"
    WORKER = "worker"
    MANUAL = "manual"


class Liveness(StrEnum):
    """By the age of the last heartbeat: up to 5 minutes, up to 10, beyond."""

    ACTIVE = "active"
    SLOW = "slow"
    STALE = "stale"


class GlobalCategory(StrEnum):
    PATTERN = "pattern"
    LESSON = "lesson"
    CONVENTION = "convention"
    SOLUTION = "solution"
    ANTI_PATTERN = "anti_pattern"


class ProjectCategory(StrEnum):
    ARCHITECTURE = "architecture"
    NAMING = "naming"
    BUSINESS_LOGIC = "business_logic"
    FILE_STRUCTURE = "file_structure"
    DEPENDENCIES = "dependencies"


class TaskCategory(StrEnum):
    DECISION = "decision"
    CHALLENGE = "challenge"
    SOLUTION = "solution"
    FILE_CHANGE = "file_change"
    TEST_RESULT = "test_result"


class Tier(StrEnum):
    """How far something remembered reaches."""

    TASK = "task"
    PROJECT = "project"
    GLOBAL = "global"
