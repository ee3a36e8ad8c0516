import asyncio
from itertools import pairwise, product
from pathlib import Path

import pytest

from bottega.board.changes.lifecycle import LEGAL, enter, legal_moves, move, moved_event
from bottega.board.enums import Actor, ChangeStatus
from bottega.board.tables import Change, ChangeTransition, Project
from bottega.errors import Conflict
from tests.board.house import House, open_house

S = ChangeStatus


async def add_change(house: House, status: ChangeStatus, id: str = "add-discounts") -> Change:
    async with house.core.database.write() as session:
        project = await session.get(Project, "p") or Project(
            id="p", name="bakery", path="/bakery", openspec_path="/bakery/openspec"
        )
        session.add(project)
        await session.flush()
        change = Change(project_id="p", id=id, title="Add discounts", status=status)
        await enter(session, change, Actor.SYSTEM, notes="found on disk")
    return change


async def go(
    house: House, change_id: str, to: ChangeStatus, by: Actor, notes: str | None = None
) -> tuple[Change, ChangeTransition]:
    async with house.core.database.write() as session:
        change = await session.get_one(Change, ("p", change_id))
        return change, await move(session, change, to, by, user_id="local", notes=notes)


async def test_only_a_person_opens_the_two_gates() -> None:
    """BD-301: proposing → approved and review → applied are a person's moves alone."""
    gates = {(S.PROPOSING, S.APPROVED), (S.REVIEW, S.APPLIED)}
    assert gates <= LEGAL[Actor.USER]
    assert gates.isdisjoint(LEGAL[Actor.AGENT] | LEGAL[Actor.SYSTEM])


async def test_every_state_of_the_seven_can_be_left_and_reached() -> None:
    """BD-302: seven states; a change can get from proposing to archived through all of them."""
    way = [S.PROPOSING, S.APPROVED, S.ASSIGNED, S.IN_PROGRESS, S.REVIEW, S.APPLIED, S.ARCHIVED]
    everyone = frozenset[tuple[ChangeStatus, ChangeStatus]]().union(*LEGAL.values())
    assert set(way) == set(S)
    assert all(step in everyone for step in pairwise(way))
    assert legal_moves(S.APPROVED, Actor.AGENT) == [S.ASSIGNED]


@pytest.mark.parametrize("by", Actor)
async def test_a_move_is_made_exactly_if_it_is_legal(house: House, by: Actor) -> None:
    """BD-303: an illegal transition is refused, and the refusal names the legal ones."""
    for number, (before, to) in enumerate(product(S, S)):
        change = await add_change(house, before, f"change-{number}")
        if (before, to) in LEGAL[by]:
            moved, transition = await go(house, change.id, to, by)
            assert (moved.status, transition.from_state) == (to, before)
        else:
            with pytest.raises(Conflict) as refused:
                await go(house, change.id, to, by)
            assert refused.value.details["valid_options"] == legal_moves(before, by)
            async with house.core.database.read() as session:
                assert (await session.get_one(Change, ("p", change.id))).status == before


async def test_a_move_is_recorded_with_who_and_why(house: House) -> None:
    """BD-304: history says from, to, who, when and why, and the event carries the same."""
    await add_change(house, S.REVIEW)
    change, transition = await go(house, "add-discounts", S.APPROVED, Actor.USER, "Round half up.")
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


async def test_work_that_comes_back_keeps_its_place_and_loses_its_holder(house: House) -> None:
    """BD-305: a release keeps the age of the approval; a take-back forgets it."""
    await add_change(house, S.PROPOSING)
    approved, _ = await go(house, "add-discounts", S.APPROVED, Actor.USER)
    since = approved.approved_at
    await go(house, "add-discounts", S.ASSIGNED, Actor.AGENT)
    released, _ = await go(house, "add-discounts", S.APPROVED, Actor.SYSTEM)
    assert since is not None
    assert (released.approved_at, released.assigned_session_id) == (since, None)
    taken_back, _ = await go(house, "add-discounts", S.PROPOSING, Actor.USER)
    assert taken_back.approved_at is None


async def test_of_two_who_move_it_at_once_one_is_refused(tmp_path: Path, database_url: str) -> None:
    """BD-306: concurrent moves of one change are serialised; the second sees the first's."""
    async with open_house(tmp_path, database_url=database_url) as house:
        await add_change(house, S.PROPOSING)
        moves = [go(house, "add-discounts", S.APPROVED, Actor.USER) for _ in range(8)]
        done = await asyncio.gather(*moves, return_exceptions=True)
        assert sorted(type(result).__name__ for result in done) == ["Conflict"] * 7 + ["tuple"]
