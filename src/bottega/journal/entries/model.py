"""One journal entry, as its file holds it, and how far it can be relied on.

An entry is read from a file that a person may have edited, so every field is validated and unknown
fields are kept.
"""

import re
import secrets
from datetime import datetime
from pathlib import Path
from typing import Self

from pydantic import AwareDatetime, BaseModel, Field

from bottega.core import clock
from bottega.journal.entries.enums import (
    Domain,
    EvidenceKind,
    JournalOutcome,
    JournalTier,
    RootCauseCategory,
    Strategy,
)
from bottega.journal.entries.limits import Account, Confidence, EntryId, Note, SessionId, Statement


class RootCause(BaseModel, extra="forbid", frozen=True):
    category: RootCauseCategory
    description: Account


class Lesson(BaseModel, extra="forbid", frozen=True):
    what_worked: Account
    takeaway: Account | None = None


class Evidence(BaseModel, extra="forbid", frozen=True):
    """A test or build that ran while the entry was open, as a hook saw it."""

    kind: EvidenceKind
    passed: bool
    command: Statement
    summary: Account | None = None
    captured_at: AwareDatetime = Field(default_factory=clock.now)


class Iteration(BaseModel, frozen=True):
    """What the entry said before an update."""

    strategy: Strategy
    hypothesis: Statement
    action: Statement
    prediction: Statement
    #: Why it was changed.
    note: Note | None = None
    until: AwareDatetime


class Resolution(BaseModel, frozen=True):
    status: JournalOutcome
    result: Account
    surprise: Account | None = None
    root_cause: RootCause | None = None
    lesson: Lesson | None = None
    #: Set by `grade`.
    confidence_tier: JournalTier = JournalTier.SILVER
    resolved_at: AwareDatetime


class Entry(BaseModel, extra="allow", frozen=True):
    id: EntryId
    session_id: SessionId | None = None
    domain: Domain
    strategy: Strategy
    goal: Statement
    hypothesis: Statement
    action: Statement
    prediction: Statement
    #: How sure its author was of the prediction, 0 to 1.
    confidence: Confidence | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    iteration_count: int = Field(1, ge=1)
    history: list[Iteration] = []
    evidence: list[Evidence] = []
    resolution: Resolution | None = None

    def with_changes(self, **changes: object) -> Self:
        return self.model_copy(update=changes)


def new_entry_id(moment: datetime) -> str:
    return f"ghap_{moment:%Y%m%d_%H%M%S}_{secrets.token_hex(3)}"


FEWEST_SPECIFIC_WORDS = 2
#: In scripts without spaces between words, a pair of characters counts as one.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2}|[^\W_]+")
VAGUE = frozenset(Path(__file__).with_name("vague_words.txt").read_text(encoding="utf-8").split())


def is_vague(text: str) -> bool:
    """Whether fewer than two words are left without those that say nothing specific: "It works",
    "should be fixed now", "no idea". "Passes consistently" is short but testable."""
    specific = {word for word in WORD.findall(text.lower()) if word not in VAGUE}
    return len(specific) < FEWEST_SPECIFIC_WORDS


def grade(entry: Entry) -> Entry:
    """The resolved entry with its tier set, the first of these that holds:

    abandoned  it was abandoned
    bronze     its hypothesis or its prediction is too vague to test
    gold       a test or build that ran is attached; or it was resolved by hand with a lesson and,
               if it was falsified, with a surprise and a root cause
    silver     any other
    """
    resolution = entry.resolution
    assert resolution is not None, f"{entry.id} is not resolved: it has no tier yet"
    tier = _tier(entry, resolution)
    return entry.with_changes(resolution=resolution.model_copy(update={"confidence_tier": tier}))


def _tier(entry: Entry, resolution: Resolution) -> JournalTier:
    if resolution.status is JournalOutcome.ABANDONED:
        return JournalTier.ABANDONED
    if is_vague(entry.hypothesis) or is_vague(entry.prediction):
        return JournalTier.BRONZE
    if entry.evidence or _is_complete(resolution):
        return JournalTier.GOLD
    return JournalTier.SILVER


def _is_complete(resolution: Resolution) -> bool:
    if resolution.lesson is None:
        return False
    is_explained = resolution.surprise is not None and resolution.root_cause is not None
    return is_explained or resolution.status is JournalOutcome.CONFIRMED
