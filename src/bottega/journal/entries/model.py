"""One journal entry, as its file holds it.

An entry is read from a file that a person may have edited, so every field is validated and unknown
fields are kept.
"""

import secrets
from datetime import datetime
from typing import Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

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


class RootCause(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    category: RootCauseCategory
    description: Account


class Lesson(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    what_worked: Account
    takeaway: Account | None = None


class Evidence(BaseModel):
    """A test or build that ran while the entry was open, as a hook saw it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: EvidenceKind
    passed: bool
    command: Statement
    summary: Account | None = None
    captured_at: AwareDatetime = Field(default_factory=clock.now)


class Iteration(BaseModel):
    """What the entry said before an update."""

    model_config = ConfigDict(frozen=True)

    strategy: Strategy
    hypothesis: Statement
    action: Statement
    prediction: Statement
    #: Why it was changed.
    note: Note | None = None
    until: AwareDatetime


class Resolution(BaseModel):
    model_config = ConfigDict(frozen=True)

    status: JournalOutcome
    result: Account
    surprise: Account | None = None
    root_cause: RootCause | None = None
    lesson: Lesson | None = None
    #: Set by `tiers.grade`.
    confidence_tier: JournalTier = JournalTier.SILVER
    resolved_at: AwareDatetime


class Entry(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

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
