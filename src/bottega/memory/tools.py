"""Memory over MCP: two verbs."""

from typing import Any

from bottega.core.rooms import Caller, Tool
from bottega.memory.recall import Recall
from bottega.memory.schemas import NewMemory, RecallInput, RecallView
from bottega.memory.service import SemanticMemories


def tools(memories: SemanticMemories, recall: Recall) -> list[Tool[Any]]:
    async def run_recall(asked: RecallInput, caller: Caller) -> dict[str, Any]:
        recollection = await recall.recall(
            asked.query,
            scopes=asked.scopes,
            project=asked.project,
            user_id=caller.user_id,
            budget=asked.budget,
        )
        # A model pays for every empty field.
        return RecallView.of(recollection).model_dump(mode="json", exclude_none=True)

    async def run_remember(new: NewMemory, caller: Caller) -> dict[str, Any]:
        memory = await memories.add(new, caller.user_id)
        return memory.model_dump(mode="json", include={"id", "scope", "searchable"})

    return [
        Tool(
            "recall",
            "Find what is remembered about a topic, best first, within a token budget.",
            RecallInput,
            run_recall,
            read_only=True,
        ),
        Tool(
            "remember",
            "Remember one fact for later sessions; give no project if it holds everywhere.",
            NewMemory,
            run_remember,
        ),
    ]
