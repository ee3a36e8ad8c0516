"""Plans of every shape, and the steps in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.coach.plans.plan_text import (
    LONGEST_TITLE,
    MOST_STEPS,
    passages,
    read_steps,
    title_of,
)


def titles(plan: str) -> list[str]:
    return [step.title for step in read_steps(plan)]


@pytest.mark.requirement("CO-30")
@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        pytest.param(
            "1. Read the totals\n2. Change the type of money\n3. Prove it with a test",
            ["Read the totals", "Change the type of money", "Prove it with a test"],
            id="numbered list",
        ),
        pytest.param(
            "# Plan\n\n## Overview\nSome words.\n\n## Steps\n1. Look at the code\n"
            "2. Change the code\n\n## Risks\n- somebody notices\n- nobody does",
            ["Look at the code", "Change the code"],
            id="numbered list among headings",
        ),
        pytest.param(
            "## Step 1: Look around\n- here\n- there\n\n## Step 2 — Change it all\n1. so\n2. or so",
            ["Look around", "Change it all"],
            id="numbered headings before the lists below them",
        ),
        pytest.param(
            "- [ ] write the failing test\n- [x] change the total\n- [ ] tidy everything up",
            ["Write the failing test", "Change the total", "Tidy everything up"],
            id="boxes",
        ),
        pytest.param(
            "# Money\n\n## Background\nIt is off.\n\n## Read the sums\nHere.\n\n"
            "## Round late\nThere.",
            ["Read the sums", "Round late"],
            id="plain headings, without those that explain",
        ),
        pytest.param(
            "- **Find the sum**: it is in `orders.py`.\n  1. open it\n  2. read it\n"
            "- Change it there",
            ["Find the sum", "Change it there"],
            id="bullets, nested items with their parent",
        ),
        pytest.param(
            "First we look at the sums. Then on.\n\nAfter that we change them.",
            ["First we look at the sums", "After that we change them"],
            id="paragraphs",
        ),
        pytest.param("Just fix the total.", ["Just fix the total"], id="one sentence"),
        pytest.param("# Fix the rounding", ["Fix the rounding"], id="only a heading"),
        pytest.param("\n \n", [], id="nothing"),
    ],
)
def test_the_clearest_sign_of_steps_wins(plan: str, expected: list[str]) -> None:
    assert titles(plan) == expected


@pytest.mark.requirement("CO-30")
def test_nested_items_and_code_belong_to_their_step() -> None:
    code = "   ```python\n   1. not a step\n   ```"
    plan = f"1. Change the sum\r\n   - in cents\r\n\r\n{code}\r\n2. Look at it again"
    first, second = read_steps(plan)
    assert "in cents" in first.text
    assert "not a step" in first.text
    assert second.text == "2. Look at it again"


@pytest.mark.requirement("CO-30")
def test_tiny_steps_go_with_the_one_before() -> None:
    assert titles("1. Change the sum in cents\n2. Run tests\n3. Write down what changed") == [
        "Change the sum in cents",
        "Write down what changed",
    ]


@pytest.mark.requirement("CO-30")
def test_many_steps_become_eight_and_none_is_lost() -> None:
    plan = "\n".join(f"{number}. Do the thing called {number}x now" for number in range(1, 31))
    steps = read_steps(plan)
    assert len(steps) == MOST_STEPS
    together = "\n".join(step.text for step in steps)
    assert all(f"{number}x" in together for number in range(1, 31))


@pytest.mark.requirement("CO-30")
def test_titles_are_short_and_without_marks() -> None:
    wrapped = "2. Round the total late: only\n   when it is shown.\n   - not before"
    assert title_of(wrapped) == "Round the total late"
    assert passages(wrapped) == ["Round the total late: only when it is shown.", "not before"]
    assert title_of("Read all\nof it. Then go on.") == "Read all of it"
    assert title_of("### 3) **Round** only `total`: nothing else.\nmore") == "Round"
    assert title_of("- [ ] see [the issue](http://x.test) first; then go") == "See the issue first"
    long = title_of("Change `" + "very_long_name " * 20 + "`")
    assert len(long) <= LONGEST_TITLE + 2
    assert long.count("`") % 2 == 0


@pytest.mark.requirement("CO-30")
@given(st.text(max_size=400) | st.text(alphabet="#-*+1.[] x\n`", max_size=200))
def test_any_text_with_words_has_one_to_eight_steps(plan: str) -> None:
    """Whatever stands in it."""
    steps = read_steps(plan)
    assert len(steps) <= MOST_STEPS
    assert all(step.text for step in steps)
    if any(character.isalnum() for character in plan):
        assert steps
