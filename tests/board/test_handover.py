"""What an agent is handed with its work."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from bottega.board.changes.agent_types import AgentType, system_prompt
from bottega.board.knowledge.schemas import NewKnowledge
from bottega.board.knowledge.service import Knowledge
from bottega.board.knowledge.tables import GlobalKnowledge, KnowledgeUse
from bottega.board.queue.service import Handover, WorkClaim
from bottega.errors import Unavailable
from tests.board.agent_board import ME, AgentBoard, open_agent_board
from tests.board.builders import BAKERY

FOLDER = "openspec/changes/add-discounts"
TEXTS: dict[str, Any] = {
    "proposal_content": BAKERY[f"{FOLDER}/proposal.md"],
    "tasks_content": BAKERY[f"{FOLDER}/tasks.md"].replace("- [ ] 1.1", "- [x] 1.1"),
    "design_content": "Read once, keep in memory.",
    "specs": {"orders": BAKERY[f"{FOLDER}/specs/orders/spec.md"]},
}


@pytest.fixture
async def board(tmp_path: Path) -> AsyncIterator[AgentBoard]:
    async with open_agent_board(tmp_path) as board:
        yield board


async def claim_discounts(board: AgentBoard) -> WorkClaim:
    await board.change("add-discounts", **TEXTS)
    return await board.queue.claim(await board.agent(), ME)


@pytest.mark.requirement("BD-444")
async def test_a_package_has_everything_to_begin_with(board: AgentBoard) -> None:
    """Texts, tasks with ids and marks, agent type, prompt, tools, lease, next steps."""
    claim = await claim_discounts(board)
    package = await Handover(board.app.core, Knowledge(board.app.core)).of_claim(claim)
    assert package is not None
    assert package.proposal == TEXTS["proposal_content"]
    assert package.design == TEXTS["design_content"]
    assert package.specs == TEXTS["specs"]
    assert [(task.id, task.done, task.group) for task in package.tasks] == [
        ("1.1", True, "1. Prices"),
        ("1.2", False, "1. Prices"),
        ("2.1", False, "2. Tests"),
    ]
    assert package.agent_type is AgentType.GENERAL_PURPOSE
    assert package.system_prompt == system_prompt(AgentType.GENERAL_PURPOSE, "add discounts")
    assert package.tools == ("read", "write", "edit", "bash", "glob", "grep")
    assert (package.lease_token, package.project_path) == (1, board.bakery.path)
    assert "10 minutes of silence" in package.lease_rule
    assert any("board_complete_work" in step for step in package.next_steps)


@pytest.mark.requirement("BD-445")
async def test_a_package_has_the_memories_of_all_three_tiers(board: AgentBoard) -> None:
    """What all projects, this project and earlier attempts at this change have learned."""
    claim = await claim_discounts(board)
    knowledge = Knowledge(board.app.core)
    place = {"project_id": board.bakery.id, "change_id": "add-discounts"}
    await knowledge.record(
        NewKnowledge(tier="task", category="challenge", content="Prices are strings.", **place)
    )
    await knowledge.record(
        NewKnowledge(
            tier="project",
            category="naming",
            content="Money is in cents.",
            project_id=board.bakery.id,
            relevance=8,
        )
    )
    async with board.app.core.database.write() as session:
        session.add(
            GlobalKnowledge(
                category="pattern",
                key="round-late",
                title="Round late",
                content="Round once, at the end.",
                confidence=9,
            )
        )
    handover = Handover(board.app.core, knowledge)
    assert claim.change is not None
    package = await handover.package(claim.change)
    for words in ("Prices are strings.", "Money is in cents.", "Round once, at the end."):
        assert words in package.memory
    tight = await handover.package(claim.change, budget_tokens=100)
    assert len(tight.memory.encode()) <= 400
    assert tight.proposal == TEXTS["proposal_content"]


@pytest.mark.requirement("BD-445")
async def test_memories_are_counted_as_used_once(board: AgentBoard) -> None:
    """A holder that asks again gets the same package and counts no second use."""
    claim = await claim_discounts(board)
    knowledge = Knowledge(board.app.core)
    recorded = await knowledge.record(
        NewKnowledge(
            tier="project",
            category="naming",
            content="Money is in cents.",
            project_id=board.bakery.id,
            relevance=8,
        )
    )
    handover = Handover(board.app.core, knowledge)
    first = await handover.of_claim(claim)
    assert claim.change is not None
    assert claim.change.assigned_session_id is not None
    again = await board.queue.claim(claim.change.assigned_session_id, ME)
    assert await handover.of_claim(again) == first
    async with board.app.core.database.read() as session:
        uses = await session.scalar(select(func.count()).select_from(KnowledgeUse))
    assert uses == 1
    page = await knowledge.curation.get(recorded.item.tier, recorded.item.id)
    assert getattr(page, "usage_count", None) == 1


@pytest.mark.requirement("BD-446")
async def test_work_begins_even_when_nothing_can_be_remembered(
    board: AgentBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is leased by then; the package comes with an empty memory."""

    async def fail(*_: object) -> None:
        raise Unavailable("The vectors do not answer.")

    knowledge = Knowledge(board.app.core)
    monkeypatch.setattr(knowledge, "context", fail)
    package = await Handover(board.app.core, knowledge).of_claim(await claim_discounts(board))
    assert package is not None
    assert package.memory == ""


@pytest.mark.requirement("BD-424")
async def test_no_work_is_no_package(board: AgentBoard) -> None:
    """Nothing to hand over."""
    handover = Handover(board.app.core, Knowledge(board.app.core))
    assert await handover.of_claim(await board.queue.claim(await board.agent(), ME)) is None
