"""Memory over HTTP: `/api/memories`."""

from typing import Annotated

from fastapi import APIRouter, Query, status

from bottega.core.callers import CurrentCaller
from bottega.core.sessions import SessionKind
from bottega.memory.recall import Recall
from bottega.memory.repository import MemoryFilter
from bottega.memory.schemas import (
    LONGEST_QUERY,
    MemoryChange,
    MemoryOverview,
    MemoryPage,
    MemoryView,
    NewMemory,
    RecallInput,
    RecallView,
    Text,
)
from bottega.memory.service import SemanticMemories
from bottega.memory.stores import Importance, Scope


def router(memories: SemanticMemories, recall: Recall) -> APIRouter:
    routes = APIRouter(prefix="/memories", tags=["memory"])

    @routes.get("", operation_id="list_memories")
    async def list_memories(
        caller: CurrentCaller,
        project: Text | None = None,
        scope: Scope | None = None,
        session_id: Text | None = None,
        query: Annotated[Text | None, Query(max_length=LONGEST_QUERY)] = None,
        forgotten: bool = False,
        importance: Importance | None = None,
        tag: Text | None = None,
        room: SessionKind | None = None,
        after: Text | None = None,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> MemoryPage:
        """The caller's memories, newest first; `query` is text that they contain."""
        wanted = MemoryFilter(project, scope, session_id, query, forgotten, importance, tag, room)
        return await memories.list(wanted, after=after, limit=limit, user_id=caller.user_id)

    @routes.get("/overview", operation_id="memory_overview")
    async def show_overview(caller: CurrentCaller) -> MemoryOverview:
        """How many there are, by project and by session."""
        return await memories.overview(caller.user_id)

    @routes.post("", operation_id="add_memory", status_code=status.HTTP_201_CREATED)
    async def add_memory(new: NewMemory, caller: CurrentCaller) -> MemoryView:
        return await memories.add(new, caller.user_id)

    @routes.post("/recall", operation_id="recall")
    async def recall_memories(asked: RecallInput, caller: CurrentCaller) -> RecallView:
        """The best of everything that is remembered, by meaning, within a token budget."""
        recollection = await recall.recall(
            asked.query,
            scopes=asked.scopes,
            project=asked.project,
            user_id=caller.user_id,
            budget=asked.budget,
        )
        return RecallView.of(recollection)

    @routes.get("/{id}", operation_id="get_memory")
    async def get_memory(id: Text, caller: CurrentCaller) -> MemoryView:
        return await memories.get(id, caller.user_id)

    @routes.patch("/{id}", operation_id="edit_memory")
    async def edit_memory(id: Text, change: MemoryChange, caller: CurrentCaller) -> MemoryView:
        return await memories.edit(id, change, caller.user_id)

    @routes.delete("/{id}", operation_id="forget_memory")
    async def forget_memory(id: Text, caller: CurrentCaller, forever: bool = False) -> MemoryView:
        """Forget a memory. It can be restored for 30 days, unless it is forgotten for ever."""
        return await memories.forget(id, caller.user_id, forever=forever)

    @routes.post("/{id}/restore", operation_id="restore_memory")
    async def restore_memory(id: Text, caller: CurrentCaller) -> MemoryView:
        return await memories.restore(id, caller.user_id)

    return routes
