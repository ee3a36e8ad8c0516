"""What can be asked of memory: two verbs for agents, and the owner's view of all that is kept."""

from typing import TYPE_CHECKING, Any

from bottega.core.operations import Delete, Get, McpTool, Patch, Post, operation
from bottega.core.rooms import Caller
from bottega.memory.schemas import (
    EditRequest,
    ForgetRequest,
    ListRequest,
    MemoryOverview,
    MemoryPage,
    MemoryRequest,
    MemoryView,
    NewMemory,
    RecallInput,
    RecallView,
    RememberedView,
)

if TYPE_CHECKING:
    from bottega.memory.room import Memory


def _found(view: RecallView) -> dict[str, Any]:
    # A model pays for every empty field.
    return view.model_dump(mode="json", exclude_none=True)


def _kept(view: RememberedView) -> dict[str, Any]:
    told = {"id", "scope", "searchable", "admission", "reason", "near"}
    return view.model_dump(mode="json", include=told, exclude_none=True)


@operation(Get("/memories", id="list_memories"))
async def list_memories(memory: "Memory", wanted: ListRequest, caller: Caller) -> MemoryPage:
    """The caller's memories, newest first; `query` is text that they contain."""
    return await memory.memories.list(
        wanted, after=wanted.after, limit=wanted.limit, user_id=caller.user_id
    )


@operation(Get("/memories/overview", id="memory_overview"))
async def show_overview(memory: "Memory", caller: Caller) -> MemoryOverview:
    """How many there are, by project and by session."""
    return await memory.memories.overview(caller.user_id)


@operation(
    McpTool(
        "remember",
        "Remember one fact for later sessions; give no project if it holds everywhere.",
        shape=_kept,
    ),
    Post("/memories", status=201, id="add_memory"),
)
async def add_memory(memory: "Memory", new: NewMemory, caller: Caller) -> RememberedView:
    """Remember something. The same text again is merged; what says nothing is refused."""
    return await memory.memories.add(new, caller.user_id)


@operation(
    McpTool(
        "recall",
        "Find what is remembered about a topic, best first, within a token budget.",
        read_only=True,
        shape=_found,
    ),
    Post("/memories/recall", id="recall"),
)
async def recall_memories(memory: "Memory", asked: RecallInput, caller: Caller) -> RecallView:
    """The best of everything that is remembered, by meaning, within a token budget."""
    recollection = await memory.recall.recall(
        asked.query,
        scopes=asked.scopes,
        project=asked.project,
        user_id=caller.user_id,
        budget=asked.budget,
    )
    return RecallView.of(recollection)


@operation(Get("/memories/{id}", id="get_memory"))
async def get_memory(memory: "Memory", asked: MemoryRequest, caller: Caller) -> MemoryView:
    return await memory.memories.get(asked.id, caller.user_id)


@operation(Patch("/memories/{id}", id="edit_memory"))
async def edit_memory(memory: "Memory", change: EditRequest, caller: Caller) -> MemoryView:
    return await memory.memories.edit(change.id, change, caller.user_id)


@operation(Delete("/memories/{id}", id="forget_memory"))
async def forget_memory(memory: "Memory", asked: ForgetRequest, caller: Caller) -> MemoryView:
    """Forget a memory. It can be restored for 30 days, unless it is forgotten for ever."""
    return await memory.memories.forget(asked.id, caller.user_id, forever=asked.forever)


@operation(Post("/memories/{id}/restore", id="restore_memory"))
async def restore_memory(memory: "Memory", asked: MemoryRequest, caller: Caller) -> MemoryView:
    return await memory.memories.restore(asked.id, caller.user_id)
