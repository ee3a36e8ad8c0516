"""What became of a change, told to what was remembered for it."""

import pytest

from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.knowledge import repository as repository
from bottega.board.knowledge.schemas import BoardTier, GlobalCategory
from bottega.board.knowledge.service import Knowledge, Lessons, has_helped
from bottega.board.knowledge.tables import GlobalKnowledge, KnowledgeUse
from bottega.board.projects.tables import Project
from bottega.core.events import Event
from tests.board.builders import BoardApp


@pytest.mark.requirement("BD-701")
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
    assert has_helped(before, after, by) is helped


@pytest.mark.requirement("BD-702")
async def test_an_applied_change_raises_what_was_handed_over_with_it(app: BoardApp) -> None:
    """By the event alone, whichever door moved it."""
    knowledge = Knowledge(app.core)
    lessons = Lessons(app.core, knowledge)
    async with app.core.database.write() as session:
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
            tier=BoardTier.GLOBAL, item_id=item.id, project_id=project.id, change_id=change.id
        )
        session.add(use)
    moved = {
        "project_id": project.id,
        "change_id": change.id,
        "from_state": ChangeStatus.REVIEW,
        "to_state": ChangeStatus.APPLIED,
        "triggered_by": Actor.USER,
    }
    app.core.bus.publish(Event("specs.moved", moved))
    await lessons.stop()
    async with app.core.database.read() as session:
        uses = await repository.uses_with(session, project.id, change.id)
    assert [use.helped for use in uses] == [True]
