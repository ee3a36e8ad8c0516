"""What callers send and get for the context of a task."""

from bottega.journal.entries.enums import Domain
from bottega.journal.entries.limits import SearchQuery, Tokens
from bottega.journal.entries.schemas import JournalSessionInput, JournalView

DEFAULT_CONTEXT_TOKENS = 1_000


class ContextInput(JournalSessionInput):
    query: SearchQuery
    domain: Domain | None = None
    budget_tokens: Tokens = DEFAULT_CONTEXT_TOKENS


class ContextItem(JournalView):
    kind: str
    id: str
    content: str
    #: What it rests on.
    evidence: str
    score: float


class Context(JournalView):
    items: list[ContextItem]
    tokens: int
    budget_tokens: int
    #: Worth knowing, but over the budget.
    left_out: int
