"""What callers send: the arguments of the tools, and with them of the routes."""

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bottega.core import clock
from bottega.journal.entry import Evidence, Lesson, Resolution, RootCause
from bottega.journal.enums import Axis, Domain, Outcome, Strategy
from bottega.journal.limits import (
    Account,
    ClusterId,
    Confidence,
    EntryId,
    Note,
    SearchQuery,
    SessionId,
    Since,
    Statement,
    Tokens,
    UpTo50,
    UpTo100,
    ValueText,
)

DEFAULT_CONTEXT_TOKENS = 1_000


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SessionInput(Input):
    session_id: SessionId | None = None


class StartInput(SessionInput):
    domain: Domain
    strategy: Strategy
    goal: Annotated[Statement, Field(description="the change you want")]
    hypothesis: Annotated[Statement, Field(description="what you believe")]
    action: Annotated[Statement, Field(description="what you do about it")]
    prediction: Annotated[Statement, Field(description="what you will see if you are right")]
    confidence: Confidence | None = None


class UpdateInput(SessionInput):
    hypothesis: Statement | None = None
    action: Statement | None = None
    prediction: Statement | None = None
    strategy: Strategy | None = None
    note: Note | None = None
    confidence: Confidence | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.note is None and not self.changes():
            raise ValueError(
                "nothing to update: give at least one of hypothesis, action, prediction, "
                "strategy, note, confidence"
            )
        return self

    def changes(self) -> dict[str, Any]:
        said = {name: getattr(self, name) for name in type(self).model_fields}
        kept = ("note", "session_id")
        return {k: v for k, v in said.items() if v is not None and k not in kept}


class ResolveInput(SessionInput):
    status: Outcome
    result: Annotated[Account, Field(description="what happened")]
    surprise: Account | None = None
    root_cause: RootCause | None = None
    lesson: Lesson | None = None

    @model_validator(mode="after")
    def _falsified_is_explained(self) -> Self:
        needed = {"surprise": self.surprise, "root_cause": self.root_cause}
        missing = [name for name, value in needed.items() if value is None]
        if self.status is Outcome.FALSIFIED and missing:
            raise ValueError(
                f"a falsified entry needs `surprise` and `root_cause`; missing: "
                f"{', '.join(missing)}"
            )
        return self

    def resolution(self) -> Resolution:
        return Resolution(
            status=self.status,
            result=self.result,
            surprise=self.surprise,
            root_cause=self.root_cause,
            lesson=self.lesson,
            resolved_at=clock.now(),
        )


class ListInput(Input):
    limit: UpTo100 = 20
    domain: Domain | None = None
    outcome: Outcome | None = None
    since: Since | None = None


class ClustersInput(Input):
    axis: Axis


class MembersInput(Input):
    cluster_id: ClusterId
    limit: UpTo100 = 50


class ValidateInput(Input):
    text: ValueText
    cluster_id: ClusterId


class StoreInput(ValidateInput):
    axis: Axis


class ListValuesInput(Input):
    axis: Axis | None = None
    limit: UpTo100 = 20


class SearchInput(Input):
    query: SearchQuery
    axis: Axis = Axis.FULL
    domain: Domain | None = None
    outcome: Outcome | None = None
    limit: UpTo50 = 10


class ContextInput(SessionInput):
    query: SearchQuery
    domain: Domain | None = None
    budget_tokens: Tokens = DEFAULT_CONTEXT_TOKENS


class AdoptInput(SessionInput):
    id: EntryId


class AbandonInput(Input):
    result: Account = "Abandoned by hand: nobody went on with it."


class EvidenceInput(SessionInput):
    evidence: Evidence
    #: A resolved entry; without it, the session's open one.
    entry_id: EntryId | None = None
