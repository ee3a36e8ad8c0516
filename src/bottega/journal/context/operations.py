"""What can be asked before a task."""

from typing import TYPE_CHECKING

from bottega.core.operations import McpTool, Post, operation
from bottega.core.rooms import Caller
from bottega.journal.context.schemas import Context, ContextInput

if TYPE_CHECKING:
    from bottega.journal.service import Journal


@operation(
    McpTool("assemble_context", "Lessons and values worth knowing before a task."),
    Post("/journal/context"),
)
async def assemble_context(journal: "Journal", asked: ContextInput, caller: Caller) -> Context:
    """Lessons and values worth knowing before a task; that they were shown is recorded."""
    return await journal.context.assemble(journal.owner(caller.user_id), asked)
