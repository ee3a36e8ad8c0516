"""Unlocking, matching and remembering the constraints of a kata."""

from typing import Any

import pytest

from bottega.coach.practice.katas import (
    attempts_under,
    constraints_of,
    mastered,
    newly_unlocked,
    next_challenge,
    resolve,
)
from bottega.coach.practice.tables import KataSpec


def kata(*levels: int, **first: Any) -> KataSpec:
    constraints = [
        {"title": f"Level {level}", "description": "Harder", "minLevel": level} for level in levels
    ]
    if first:
        constraints[0] |= first
    return KataSpec(constraints=constraints, user_attempts=[])


@pytest.mark.requirement("FR-158", "SC-076")
def test_a_higher_level_unlocks_what_lies_between() -> None:
    """From 2 to 5 opens 3 and 5; 1 was open already, 7 is still closed."""
    known = constraints_of(kata(7, 1, 5, 3))
    assert [each.min_level for each in newly_unlocked(known, 2, 5)] == [3, 5]


@pytest.mark.requirement("FR-158")
def test_the_first_attempt_unlocks_all_up_to_its_level() -> None:
    """Before it, nothing is unlocked."""
    known = constraints_of(kata(1, 3, 5))
    assert [each.min_level for each in newly_unlocked(known, None, 3)] == [1, 3]


@pytest.mark.requirement("FR-158")
def test_a_lower_level_unlocks_nothing() -> None:
    """What is unlocked stays so, and nothing is unlocked twice."""
    known = constraints_of(kata(1, 3, 5))
    assert newly_unlocked(known, 5, 3) == []
    assert newly_unlocked(known, 5, 5) == []


@pytest.mark.requirement("FR-155", "EC-77")
def test_constraints_are_found_by_their_titles() -> None:
    """However they are spelled; titles that name none are ignored."""
    known = constraints_of(kata(1, 3, 5))
    found = resolve(known, [" level  3", "No loops", "LEVEL 1"])
    assert [each.title for each in found] == ["Level 1", "Level 3"]
    assert resolve(known, ["No loops"]) == []


@pytest.mark.requirement("FR-156")
def test_only_attempts_under_the_same_constraints_count() -> None:
    """The same set in any order; more or fewer is another matter."""
    both = resolve(constraints_of(kata(1, 3)), ["Level 1", "Level 3"])
    attempts: list[dict[str, Any]] = [
        {"code": "a", "constraints": ["Level 3", "Level 1"]},
        {"code": "b", "constraints": ["Level 1"]},
        {"code": "c", "constraints": []},
        {"code": "d"},
    ]
    assert [each["code"] for each in attempts_under(attempts, both)] == ["a"]
    assert [each["code"] for each in attempts_under(attempts, [])] == ["c", "d"]


@pytest.mark.requirement("CO-52")
def test_the_next_challenge_is_the_easiest_that_was_not_mastered() -> None:
    """A failed attempt masters nothing."""
    known = constraints_of(kata(5, 1, 3))
    done = mastered(
        [
            {"passed": True, "constraints": ["Level 1"]},
            {"passed": False, "constraints": ["Level 3"]},
        ]
    )
    following = next_challenge(known, done)
    assert following is not None
    assert following.title == "Level 3"
    assert next_challenge(known, {"Level 1", "Level 3", "Level 5"}) is None


@pytest.mark.requirement("CO-53")
def test_a_check_that_is_no_python_judges_nobody() -> None:
    """A model may have written it."""
    [broken] = constraints_of(kata(1, check="no loops, please"))
    [good] = constraints_of(kata(1, check="assert 'for' not in source"))
    assert broken.check is None
    assert good.check == "assert 'for' not in source"
