"""The journal's closed sets. Their values are the words on every wire."""

from enum import StrEnum


class Domain(StrEnum):
    DEBUGGING = "debugging"
    REFACTORING = "refactoring"
    FEATURE = "feature"
    TESTING = "testing"
    CONFIGURATION = "configuration"
    DOCUMENTATION = "documentation"
    PERFORMANCE = "performance"
    SECURITY = "security"
    INTEGRATION = "integration"


class Strategy(StrEnum):
    SYSTEMATIC_ELIMINATION = "systematic-elimination"
    TRIAL_AND_ERROR = "trial-and-error"
    RESEARCH_FIRST = "research-first"
    DIVIDE_AND_CONQUER = "divide-and-conquer"
    ROOT_CAUSE_ANALYSIS = "root-cause-analysis"
    COPY_FROM_SIMILAR = "copy-from-similar"
    CHECK_ASSUMPTIONS = "check-assumptions"
    READ_THE_ERROR = "read-the-error"
    ASK_USER = "ask-user"


class RootCauseCategory(StrEnum):
    WRONG_ASSUMPTION = "wrong-assumption"
    MISSING_KNOWLEDGE = "missing-knowledge"
    OVERSIGHT = "oversight"
    ENVIRONMENT_ISSUE = "environment-issue"
    MISLEADING_SYMPTOM = "misleading-symptom"
    INCOMPLETE_FIX = "incomplete-fix"
    WRONG_SCOPE = "wrong-scope"
    TEST_ISOLATION = "test-isolation"
    TIMING_ISSUE = "timing-issue"


class JournalOutcome(StrEnum):
    CONFIRMED = "confirmed"
    FALSIFIED = "falsified"
    ABANDONED = "abandoned"


class JournalTier(StrEnum):
    """How much an experience can be relied on; `tiers.py` decides it."""

    GOLD = "gold"
    SILVER = "silver"
    BRONZE = "bronze"
    ABANDONED = "abandoned"

    @property
    def weight(self) -> float:
        return WEIGHTS[self]


WEIGHTS = {
    JournalTier.GOLD: 1.0,
    JournalTier.SILVER: 0.8,
    JournalTier.BRONZE: 0.5,
    JournalTier.ABANDONED: 0.2,
}


class Axis(StrEnum):
    """A side from which experiences are compared; `axes.py` says what is looked at."""

    FULL = "full"
    STRATEGY = "strategy"
    SURPRISE = "surprise"
    ROOT_CAUSE = "root_cause"

    @property
    def collection(self) -> str:
        return f"experiences_{self}"

    @property
    def falsified_only(self) -> bool:
        """Only what turned out wrong has a surprise and a root cause."""
        return self in (Axis.SURPRISE, Axis.ROOT_CAUSE)


class EvidenceKind(StrEnum):
    TEST = "test"
    BUILD = "build"
