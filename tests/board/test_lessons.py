"""What became of a change, told to what was remembered for it."""

import pytest

from bottega.board.enums import Actor, ChangeStatus, GlobalCategory, Tier
from bottega.board.knowledge.lessons import Lessons, has_helped
from bottega.board.knowledge.service import Knowledge
from bottega.board.repository import knowledge as repository
from bottega.board.tables import Change, GlobalKnowledge, KnowledgeUse, Project
from bottega.core.events import Event
from tests.board.house import House


@pytest.mark.parametrize(
    ("before", "after", "by", "helped"),
    [
        (ChangeStatus.REVIEW, ChangeStatus.APPLIED, Actor.USER, True),
        (ChangeStatus.APPLIED, ChangeStatus.APPROVED, Actor.SYSTEM, False),
        (ChangeStatus.REVIEW, ChangeStatus.APPROVED, Actor.USER, False),
        (ChangeStatus.IN_PROGRESS, ChangeStatus.APPROVED, Actor.AGENT, False),
        (ChangeStatus.IN_PROGRESS, ChangeStatus.APPROVED, Actor.SYSTEM, None),
        (ChangeStatus.PROPOSING, ChangeStatus.APPROVED, Actor.USER, None),
        (ChangeStatus.APPLIED, ChangeStatus.ARCHIVED, Actor.USER, None),
    ],
)
def test_a_move_says_whether_what_was_remembered_helped(
    before: str, after: str, by: str, helped: bool | None
) -> None:
    """BD-701."""
    assert has_helped(before, after, by) is helped


async def test_an_applied_change_raises_what_was_handed_over_with_it(house: House) -> None:
    """BD-702: by the event alone, whichever door moved it."""
    knowledge = Knowledge(house.core)
    lessons = Lessons(house.core, knowledge)
    async with house.core.database.write() as session:
        project = Project(name="bakery", path="/bakery", openspec_path="/bakery/openspec")
        session.add(project)
        await session.flush()
        change = Change(project_id=project.id, id="add-discounts", title="Add discounts")
        item = GlobalKnowledge(
            category=GlobalCategory.PATTERN, key="cents", title="Cents", content="Whole cents."
        )
        session.add_all([change, item])
        await session.flush()
        use = KnowledgeUse(
            tier=Tier.GLOBAL, item_id=item.id, project_id=project.id, change_id=change.id
        )
        session.add(use)
    moved = {
        "project_id": project.id,
        "change_id": change.id,
        "from_state": ChangeStatus.REVIEW,
        "to_state": ChangeStatus.APPLIED,
        "triggered_by": Actor.USER,
    }
    house.core.bus.publish(Event("specs.moved", moved))
    await lessons.stop()
    async with house.core.database.read() as session:
        uses = await repository.uses_with(session, project.id, change.id)
    assert [use.helped for use in uses] == [True]
