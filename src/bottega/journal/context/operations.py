"""What can be asked before a task."""

from typing import TYPE_CHECKING

from bottega.core.operations import McpTool, Post, operation
from bottega.core.rooms import Caller
from bottega.journal.entries.enums import Domain
from bottega.journal.entries.limits import SearchQuery, Tokens
from bottega.journal.entries.schemas import JournalSessionInput, JournalView

if TYPE_CHECKING:
    from bottega.journal.service import Journal

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


@operation(
    McpTool("assemble_context", "Lessons and values worth knowing before a task."),
    Post("/journal/context"),
)
async def assemble_context(journal: "Journal", asked: ContextInput, caller: Caller) -> Context:
    """Lessons and values worth knowing before a task; that they were shown is recorded."""
    return await journal.context.assemble(journal.owner(caller.user_id), asked)
