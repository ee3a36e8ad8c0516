import asyncio
from itertools import pairwise, product
from pathlib import Path

import pytest

from bottega.board.changes.lifecycle import enter, move, moved_event
from bottega.board.changes.states import LEGAL, Actor, ChangeStatus, legal_moves
from bottega.board.changes.tables import Change, ChangeTransition
from bottega.board.projects.tables import Project
from bottega.errors import Conflict
from tests.board.builders import BoardApp, open_board

S = ChangeStatus


async def add_change(app: BoardApp, status: ChangeStatus, id: str = "add-discounts") -> Change:
    async with app.core.database.write() as session:
        project = await session.get(Project, "p") or Project(
            id="p", name="bakery", path="/bakery", openspec_path="/bakery/openspec"
        )
        session.add(project)
        await session.flush()
        change = Change(project_id="p", id=id, title="Add discounts", status=status)
        await enter(session, change, Actor.SYSTEM, notes="found on disk")
    return change


async def go(
    app: BoardApp, change_id: str, to: ChangeStatus, by: Actor, notes: str | None = None
) -> tuple[Change, ChangeTransition]:
    async with app.core.database.write() as session:
        change = await session.get_one(Change, ("p", change_id))
        return change, await move(session, change, to, by, user_id="local", notes=notes)


@pytest.mark.requirement("BD-301")
async def test_only_a_person_opens_the_two_gates() -> None:
    """Proposing → approved and review → applied are a person's moves alone."""
    gates = {(S.PROPOSING, S.APPROVED), (S.REVIEW, S.APPLIED)}
    assert gates <= LEGAL[Actor.USER]
    assert gates.isdisjoint(LEGAL[Actor.AGENT] | LEGAL[Actor.SYSTEM])


@pytest.mark.requirement("BD-302")
async def test_every_state_of_the_seven_can_be_left_and_reached() -> None:
    """Seven states; a change can get from proposing to archived through all of them."""
    way = [S.PROPOSING, S.APPROVED, S.ASSIGNED, S.IN_PROGRESS, S.REVIEW, S.APPLIED, S.ARCHIVED]
    everyone = frozenset[tuple[ChangeStatus, ChangeStatus]]().union(*LEGAL.values())
    assert set(way) == set(S)
    assert all(step in everyone for step in pairwise(way))
    assert legal_moves(S.APPROVED, Actor.AGENT) == [S.ASSIGNED]


@pytest.mark.requirement("BD-303")
@pytest.mark.parametrize("by", Actor)
async def test_a_move_is_made_exactly_if_it_is_legal(app: BoardApp, by: Actor) -> None:
    """An illegal transition is refused, and the refusal names the legal ones."""
    for number, (before, to) in enumerate(product(S, S)):
        change = await add_change(app, before, f"change-{number}")
        if (before, to) in LEGAL[by]:
            moved, transition = await go(app, change.id, to, by)
            assert (moved.status, transition.from_state) == (to, before)
        else:
            with pytest.raises(Conflict) as refused:
                await go(app, change.id, to, by)
            assert refused.value.details["valid_options"] == legal_moves(before, by)
            async with app.core.database.read() as session:
                assert (await session.get_one(Change, ("p", change.id))).status == before


@pytest.mark.requirement("BD-304")
async def test_a_move_is_recorded_with_who_and_why(app: BoardApp) -> None:
    """History says from, to, who, when and why, and the event carries the same."""
    await add_change(app, S.REVIEW)
    change, transition = await go(app, "add-discounts", S.APPROVED, Actor.USER, "Round half up.")
    event = moved_event(change, transition, "/bakery")
    assert (transition.triggered_by, transition.trigger_user_id) == ("user", "local")
    assert (event.topic, event.project) == ("specs.moved", "/bakery")
    assert event.payload == {
        "project_id": "p",
        "change_id": "add-discounts",
        "title": "Add discounts",
        "from_state": "review",
        "to_state": "approved",
        "triggered_by": "user",
        "notes": "Round half up.",
    }


@pytest.mark.requirement("BD-305")
async def test_work_that_comes_back_keeps_its_place_and_loses_its_holder(app: BoardApp) -> None:
    """A release keeps the age of the approval; a take-back forgets it."""
    await add_change(app, S.PROPOSING)
    approved, _ = await go(app, "add-discounts", S.APPROVED, Actor.USER)
    since = approved.approved_at
    await go(app, "add-discounts", S.ASSIGNED, Actor.AGENT)
    released, _ = await go(app, "add-discounts", S.APPROVED, Actor.SYSTEM)
    assert since is not None
    assert (released.approved_at, released.assigned_session_id) == (since, None)
    taken_back, _ = await go(app, "add-discounts", S.PROPOSING, Actor.USER)
    assert taken_back.approved_at is None


@pytest.mark.requirement("BD-306")
async def test_of_two_who_move_it_at_once_one_is_refused(tmp_path: Path, database_url: str) -> None:
    """Concurrent moves of one change are serialised; the second sees the first's."""
    async with open_board(tmp_path, database_url=database_url) as app:
        await add_change(app, S.PROPOSING)
        moves = [go(app, "add-discounts", S.APPROVED, Actor.USER) for _ in range(8)]
        done = await asyncio.gather(*moves, return_exceptions=True)
        assert sorted(type(result).__name__ for result in done) == ["Conflict"] * 7 + ["tuple"]
