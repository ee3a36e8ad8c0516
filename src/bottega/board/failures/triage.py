"""What the rules make of a failure: the pattern it follows over the runs, the kind of error it is
by its words, and what to do about it, with the reason and how sure that is.

The rules are asked in the specification's order and the first with an answer decides. A person
can always decide otherwise. `one_off_fix` is a decision that people's records may hold; no rule
makes it, because every fix goes through a proposal.
"""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from importlib.resources import files
from itertools import pairwise
from typing import Any

from bottega.board.failures.facts import FailureFacts
from bottega.board.failures.reports.report import BoardOutcome, Runner

#: Failures in a row after which nobody hopes any more.
PERSISTENT_AFTER = 5
RECURRING_AFTER = 3
#: Older runs say little about the code of today.
RUNS_LOOKED_AT = 20


class FailureClass(StrEnum):
    PERSISTENT = "PERSISTENT"
    FLAKY = "FLAKY"
    RECURRING = "RECURRING"
    NEW = "NEW"

    @property
    def priority(self) -> int:
        """From 5, critical, to 2, low."""
        return _PRIORITIES[self]


_PRIORITIES = {
    FailureClass.PERSISTENT: 5,
    FailureClass.RECURRING: 4,
    FailureClass.FLAKY: 3,
    FailureClass.NEW: 2,
}


@dataclass(frozen=True, slots=True)
class FailureHistory:
    """What became of one failure's test, run by run."""

    #: Newest last; skipped runs are left out.
    outcomes: tuple[BoardOutcome, ...]
    #: How often this failure was seen, in all its time.
    occurrences: int
    consecutive_failures: int
    first_seen: datetime
    last_seen: datetime

    @classmethod
    def of(
        cls, outcomes: Sequence[BoardOutcome], first_seen: datetime, last_seen: datetime
    ) -> "FailureHistory":
        """Of a test whose every failure was this one."""
        failed = [outcome is not BoardOutcome.PASSED for outcome in outcomes]
        return cls(tuple(outcomes), sum(failed), _last_in_a_row(outcomes), first_seen, last_seen)

    @property
    def is_inconsistent(self) -> bool:
        """Passed on retry, or changed its mind more than once: one change is a break or a fix."""
        recent = self.outcomes[-RUNS_LOOKED_AT:]
        changes = sum(before is not after for before, after in pairwise(recent))
        return BoardOutcome.FLAKED in recent or changes > 1


def _last_in_a_row(outcomes: Sequence[BoardOutcome]) -> int:
    count = 0
    for outcome in reversed(outcomes):
        if outcome is not BoardOutcome.FAILED:
            break
        count += 1
    return count


def find_pattern(history: FailureHistory) -> FailureClass:
    """In this order: what has failed five times in a row is no longer called flaky."""
    if history.consecutive_failures >= PERSISTENT_AFTER:
        return FailureClass.PERSISTENT
    if history.is_inconsistent:
        return FailureClass.FLAKY
    if history.occurrences >= RECURRING_AFTER:
        return FailureClass.RECURRING
    return FailureClass.NEW


#: What an error is, it says at once; below that is output of the program under test.
READ_AT_MOST = 2_000


class ErrorKind(StrEnum):
    #: The machine lacks something: a browser, a package, space.
    SET_UP = "set_up"
    #: Nobody answered, or the name was unknown.
    NETWORK = "network"
    SNAPSHOT = "snapshot"
    HYDRATION = "hydration"
    NULL_ACCESS = "null_access"
    #: The test itself is broken: a wrong import, a missing fixture, a misspelled name.
    TEST_CODE = "test_code"
    LOCATOR = "locator"
    TIMEOUT = "timeout"
    ASSERTION = "assertion"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Guide:
    #: What will most likely have to change.
    change: str
    questions: tuple[str, ...]


_DATA: dict[str, dict[str, Any]] = tomllib.loads(
    files(__package__).joinpath("kinds.toml").read_text(encoding="utf-8")
)
GUIDES = {
    ErrorKind(name): Guide(kind["change"], tuple(kind["questions"]))
    for name, kind in _DATA["kinds"].items()
}
_SIGNS = {
    ErrorKind(name): re.compile("|".join(kind["signs"]), re.IGNORECASE)
    for name, kind in _DATA["kinds"].items()
    if "signs" in kind
}


def kind_of(message: str) -> ErrorKind:
    said = message[:READ_AT_MOST]
    return next((kind for kind, signs in _SIGNS.items() if signs.search(said)), ErrorKind.OTHER)


def questions_for(kind: ErrorKind, pattern: FailureClass) -> tuple[str, ...]:
    return (*GUIDES[kind].questions, _DATA["patterns"][pattern])


class Decision(StrEnum):
    """What triage makes of a failure."""

    NEEDS_SPEC = "needs_spec"
    #: For data from elsewhere: no path here acts on it.
    ONE_OFF_FIX = "one_off_fix"
    IGNORE = "ignore"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class TriageVerdict:
    decision: Decision
    rationale: str
    #: From 0 to 1.
    confidence: float
    #: What the failure follows over the runs.
    pattern: FailureClass

    @property
    def priority(self) -> int:
        return self.pattern.priority


@dataclass(frozen=True, slots=True)
class FailureContext:
    """What the rules look at."""

    failure: FailureFacts
    history: FailureHistory
    #: Names of the project's capabilities and requirements.
    features: Sequence[str]
    kind: ErrorKind
    pattern: FailureClass

    def decide(self, decision: Decision, confidence: float, rationale: str) -> TriageVerdict:
        return TriageVerdict(decision, rationale, confidence, self.pattern)


def triage(
    failure: FailureFacts, history: FailureHistory, features: Sequence[str] = ()
) -> TriageVerdict:
    """Blocking, for a thread: an error's words are looked through for each kind."""
    kind, pattern = kind_of(failure.message), find_pattern(history)
    subject = FailureContext(failure, history, features, kind, pattern)
    for rule in RULES:
        if decided := rule(subject):
            return decided
    return subject.decide(Decision.PENDING, 0.5, "No rule fits; a person has to look.")


def check_persistent(subject: FailureContext) -> TriageVerdict | None:
    runs = subject.history.consecutive_failures
    if runs < PERSISTENT_AFTER:
        return None
    return subject.decide(
        Decision.NEEDS_SPEC, 0.95, f"It has failed in each of the last {runs} runs."
    )


def check_recurring(subject: FailureContext) -> TriageVerdict | None:
    times = subject.history.occurrences
    if times < RECURRING_AFTER:
        return None
    if subject.pattern is FailureClass.FLAKY:
        return subject.decide(
            Decision.NEEDS_SPEC, 0.7, f"It comes and goes, and has been seen {times} times."
        )
    return subject.decide(Decision.NEEDS_SPEC, 0.85, f"The same error was seen {times} times.")


def check_feature(subject: FailureContext) -> TriageVerdict | None:
    """A promise that the project has written down is broken."""
    if subject.kind not in _OF_THE_PRODUCT or subject.pattern is FailureClass.FLAKY:
        return None
    words = _words(subject.failure.test_id)
    feature = next((name for name in subject.features if _is_named(name, words)), None)
    if feature is None:
        return None
    return subject.decide(Decision.NEEDS_SPEC, 0.75, f"It concerns the feature “{feature}”.")


def check_test_type(subject: FailureContext) -> TriageVerdict | None:
    """What the error and the kind of test say when there is no history yet."""
    if subject.pattern is FailureClass.FLAKY:
        return subject.decide(
            Decision.PENDING, 0.6, "It also passes; wait whether it happens again."
        )
    if subject.kind in _WITHOUT_HISTORY:
        return subject.decide(*_WITHOUT_HISTORY[subject.kind])
    if subject.kind not in _OF_THE_PRODUCT:
        return None
    if is_end_to_end(subject.failure):
        return subject.decide(
            Decision.NEEDS_SPEC, 0.65, "Something that people use no longer works as tested."
        )
    return subject.decide(
        Decision.NEEDS_SPEC, 0.6, "The code no longer does what its own test says."
    )


RULES: tuple[Callable[[FailureContext], TriageVerdict | None], ...] = (
    check_persistent,
    check_recurring,
    check_feature,
    check_test_type,
)

#: Errors that the code under test makes, rather than the machine or the test.
_OF_THE_PRODUCT = frozenset(
    {ErrorKind.ASSERTION, ErrorKind.LOCATOR, ErrorKind.NULL_ACCESS, ErrorKind.HYDRATION}
)
_WITHOUT_HISTORY = {
    ErrorKind(name): (Decision(decision), confidence, why)
    for name, (decision, confidence, why) in _DATA["without_history"].items()
}

_END_TO_END = re.compile(
    r"(?:^|[/\\._-])(?:e2e|end[-_]?to[-_]?end|playwright|cypress)", re.IGNORECASE
)
_WORD = re.compile(r"[a-z0-9]{3,}")
_FILLER = frozenset(
    {"the", "and", "are", "for", "can", "with", "from", "that", "when", "then", "will"}
)
_FILLER |= {"must", "shall", "user", "test", "spec", "page", "unit", "e2e", "src", "app"}


def is_end_to_end(failure: FailureFacts) -> bool:
    return failure.runner is Runner.PLAYWRIGHT or bool(_END_TO_END.search(failure.file or ""))


def _is_named(feature: str, words: set[str]) -> bool:
    """All the words of a short name, or two thirds of a long one's."""
    wanted = _words(feature)
    found = len(wanted & words)
    return bool(wanted) and found >= min(len(wanted), max(2, len(wanted) * 2 / 3))


def _words(text: str) -> set[str]:
    """Without filler and endings, so that `payments` is `payment`; camelCase is two words."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return {word.removesuffix("s") for word in _WORD.findall(apart)} - _FILLER
