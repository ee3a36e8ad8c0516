"""The three tiers of memory over HTTP: `/api/board/knowledge`."""

from typing import Annotated

from fastapi import APIRouter, Query, status
from pydantic import BaseModel

from bottega.board.agents.agent_types import AgentType
from bottega.board.enums import Tier
from bottega.board.knowledge.items import Id, Item, ItemPage, KnowledgeEdit, NewKnowledge, Recorded
from bottega.board.knowledge.service import DEFAULT_BUDGET, Knowledge

UpTo200 = Annotated[int, Query(ge=1, le=200)]
Budget = Annotated[int, Query(ge=1, le=100_000, description="tokens")]


class ContextView(BaseModel):
    text: str
    tokens: int
    #: How many items are in it, and how many did not fit.
    items: int
    left_out: int


def router(knowledge: Knowledge) -> APIRouter:
    routes = APIRouter(prefix="/board/knowledge", tags=["board"])
    keeping = knowledge.keeping

    @routes.get("")
    async def list_knowledge(
        tier: Tier = Tier.PROJECT,
        project_id: Id | None = None,
        change_id: Id | None = None,
        category: str | None = None,
        search: Annotated[str | None, Query(max_length=200)] = None,
        after: Id | None = None,
        limit: UpTo200 = 50,
    ) -> ItemPage:
        """One tier, the newest first."""
        return await keeping.list(
            tier,
            project_id=project_id,
            change_id=change_id,
            category=category,
            search=search,
            after=after,
            limit=limit,
        )

    @routes.post("", status_code=status.HTTP_201_CREATED)
    async def record_knowledge(new: NewKnowledge) -> Recorded:
        """What is known already gains evidence and is not repeated."""
        return await knowledge.record(new)

    @routes.post("/restore", status_code=status.HTTP_201_CREATED)
    async def restore_knowledge(item: Item) -> Item:
        """Undo a deletion: takes what the deletion returned."""
        return await keeping.restore(item)

    @routes.get("/context")
    async def show_context(
        project_id: Id,
        change_id: Id,
        agent_type: AgentType = AgentType.GENERAL_PURPOSE,
        budget: Budget = DEFAULT_BUDGET,
    ) -> ContextView:
        """What an agent that takes this change would be told."""
        found = await knowledge.context(project_id, change_id, agent_type, budget)
        return ContextView(
            text=found.text,
            tokens=found.tokens,
            items=len(found.items),
            left_out=found.left_out,
        )

    @routes.get("/{tier}/{id}")
    async def show_knowledge(tier: Tier, id: Id) -> Item:
        return await keeping.get(tier, id)

    @routes.patch("/{tier}/{id}")
    async def edit_knowledge(tier: Tier, id: Id, change: KnowledgeEdit) -> Item:
        return await keeping.edit(tier, id, change)

    @routes.delete("/{tier}/{id}")
    async def delete_knowledge(tier: Tier, id: Id) -> Item:
        """Returns the item; post it to `/restore` to have it back."""
        return await keeping.delete(tier, id)

    @routes.post("/{tier}/{id}/promote")
    async def promote_knowledge(tier: Tier, id: Id) -> Item:
        """A task's to its project, a project's to all of them."""
        return await keeping.promote(tier, id)

    @routes.post("/global/{id}/demote")
    async def demote_knowledge(id: Id, project_id: Id | None = None) -> Item:
        """What is known everywhere becomes one project's again."""
        return await keeping.demote(id, project_id)

    return routes
