"""What can be asked of the three tiers of knowledge."""

from typing import TYPE_CHECKING

from bottega.board.knowledge.schemas import (
    BoardTier,
    ContextRequest,
    ContextView,
    DemoteRequest,
    Item,
    ItemPage,
    ItemRequest,
    KnowledgeEdit,
    KnowledgeEditRequest,
    KnowledgeListRequest,
    NewKnowledge,
    Recorded,
)
from bottega.core.operations import Delete, Get, Patch, Post, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller
from bottega.errors import Forbidden

if TYPE_CHECKING:
    from bottega.board.knowledge.service import Knowledge

ITEM = "/board/knowledge/{tier}/{id}"


def check_tier(caller: Caller, tier: BoardTier) -> None:
    """Raises `Forbidden` for agents who would write what is handed to agents of all projects."""
    if tier is BoardTier.GLOBAL and not caller.grant.holds(Right.DECIDE):
        raise Forbidden(
            "What holds for all projects is a person's to write or change. Record it for the "
            "project; a person promotes it.",
            tier=tier,
        )


@operation(Get("/board/knowledge"))
async def list_knowledge(knowledge: "Knowledge", asked: KnowledgeListRequest) -> ItemPage:
    """One tier, the newest first."""
    return await knowledge.curation.list(asked)


@operation(Post("/board/knowledge", status=201))
async def record_knowledge(knowledge: "Knowledge", new: NewKnowledge, caller: Caller) -> Recorded:
    """What is known already gains evidence and is not repeated."""
    check_tier(caller, new.tier)
    return await knowledge.record(new)


@operation(Get("/board/knowledge/context"))
async def show_context(knowledge: "Knowledge", asked: ContextRequest) -> ContextView:
    """What an agent that takes this change would be told."""
    found = await knowledge.context(
        asked.project_id, asked.change_id, asked.agent_type, asked.budget
    )
    return ContextView(
        text=found.text, tokens=found.tokens, items=len(found.items), left_out=found.left_out
    )


@operation(Get(ITEM))
async def show_knowledge(knowledge: "Knowledge", asked: ItemRequest) -> Item:
    return await knowledge.curation.get(asked.tier, asked.id)


@operation(Patch(ITEM))
async def edit_knowledge(
    knowledge: "Knowledge", asked: KnowledgeEditRequest, caller: Caller
) -> Item:
    check_tier(caller, asked.tier)
    change = KnowledgeEdit(**asked.model_dump(exclude={"tier", "id"}, exclude_unset=True))
    return await knowledge.curation.edit(asked.tier, asked.id, change)


@operation(Delete(ITEM))
async def delete_knowledge(knowledge: "Knowledge", asked: ItemRequest, caller: Caller) -> Item:
    """Returns the item; post it to `/restore` to have it back."""
    check_tier(caller, asked.tier)
    return await knowledge.curation.delete(asked.tier, asked.id)


@operation(Post(f"{ITEM}/promote"), needs=Right.DECIDE)
async def promote_knowledge(knowledge: "Knowledge", asked: ItemRequest) -> Item:
    """A task's to its project, a project's to all of them."""
    return await knowledge.curation.promote(asked.tier, asked.id)


@operation(Post("/board/knowledge/global/{id}/demote", query=("project_id",)), needs=Right.DECIDE)
async def demote_knowledge(knowledge: "Knowledge", asked: DemoteRequest) -> Item:
    """What is known everywhere becomes one project's again."""
    return await knowledge.curation.demote(asked.id, asked.project_id)
