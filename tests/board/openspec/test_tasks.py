"""The checklist in tasks.md."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.board.openspec.tasks import TaskCount, count, parse_tasks, tick
from bottega.errors import NotFound


def shown(text: str) -> list[tuple[str, bool]]:
    return [(task.text, task.done) for task in parse_tasks(text)]


@pytest.mark.requirement("BD-107")
@pytest.mark.parametrize(
    ("line", "tasks"),
    [
        ("- [ ] a", [("a", False)]),
        ("- [x] a", [("a", True)]),
        ("* [X] a", [("a", True)]),
        ("+ [ ] a", [("a", False)]),
        ("12. [x] a", [("a", True)]),
        ("3) [ ] a", [("a", False)]),
        ("\t- [ ] a", [("a", False)]),
        ("- [] a", [("a", False)]),
        ("- [ x ] a", [("a", True)]),
        ("- [~] a", [("a", False)]),
        ("- [x]a", [("a", True)]),
        ("- [ ]", [("", False)]),
        ("\ufeff- [x] a", [("a", True)]),
        ("- [x] a\r\n- [ ] b\r\n", [("a", True), ("b", False)]),
        ("- [WIP] a", []),
        ("- [A](https://example.com) a", []),
        ("- [1][one] a", []),
        ("[ ] a", []),
        ("- a", []),
        ("", []),
        ("```\n- [ ] example\n```\n- [ ] a", [("a", False)]),
        ("~~~~\n~~~\n- [ ] example\n~~~~\n- [ ] a", [("a", False)]),
        ("- [x] a\n```\n- [ ] b", [("a", True), ("b", False)]),
    ],
)
def test_a_checkbox_in_any_form_is_a_task(line: str, tasks: list[tuple[str, bool]]) -> None:
    """Every list marker, any sign in the box, no links, no code; an open fence hides
    nothing."""
    assert shown(line) == tasks


@pytest.mark.requirement("BD-107")
def test_tasks_know_their_group_depth_and_line() -> None:
    """Nested tasks count like their parents."""
    tasks = parse_tasks(
        "# T\n\n## 1. A\n- [x] 1.1 a\n  - [ ] b\n    - [ ] c\n- [ ] d\n## B\n- [x] e"
    )
    assert [(task.text, task.group, task.depth, task.line) for task in tasks] == [
        ("1.1 a", "1. A", 0, 4),
        ("b", "1. A", 1, 5),
        ("c", "1. A", 2, 6),
        ("d", "1. A", 0, 7),
        ("e", "B", 0, 9),
    ]
    assert count(tasks) == TaskCount(done=2, total=5)


def test_no_tasks_is_not_all_done() -> None:
    assert not TaskCount(0, 0).complete
    assert not TaskCount(1, 2).complete
    assert TaskCount(2, 2).complete


@pytest.mark.requirement("BD-108")
def test_a_task_keeps_its_id_when_others_come_and_go() -> None:
    """The written number, else a name made of its words; twice the same is told apart."""
    before = {task.text: task.id for task in parse_tasks("- [ ] 1.2 b\n- [ ] same\n- [ ] words")}
    after = {
        task.text: task.id
        for task in parse_tasks("- [x] 1.1 a\n- [x] words\n- [ ] new\n- [x] 1.2 b\n- [ ] same")
    }
    assert before["1.2 b"] == "1.2"
    assert before.items() <= after.items()
    twins = [task.id for task in parse_tasks("- [ ] 1.1 a\n- [ ] 1.1 a\n- [ ] w\n- [ ] w")]
    assert len(set(twins)) == 4


@pytest.mark.requirement("BD-108")
def test_ten_thousand_equal_tasks_have_ten_thousand_ids() -> None:
    """No number of twins is too many."""
    assert len({task.id for task in parse_tasks("- [ ]\n" * 10_000)}) == 10_000


LINES = st.one_of(
    st.sampled_from(
        ["- [ ] 1.1 a", "* [x] b", "  - [X] c", "1. [~] d", "- [] e", "- [ x ] f", "```", "~~~"]
    ),
    st.text(alphabet=st.characters(exclude_characters="\r\n"), max_size=20),
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
TEXTS = st.lists(st.tuples(LINES, ENDS), max_size=12).map(
    lambda parts: "".join(line + end for line, end in parts)
)


@pytest.mark.requirement("BD-109")
@given(TEXTS, st.booleans(), st.data())
def test_ticking_changes_one_box_and_nothing_else(
    text: str, done: bool, data: st.DataObject
) -> None:
    """Everything outside the box is the same to the byte, whatever the line ends."""
    tasks = parse_tasks(text)
    if not tasks:
        return
    task = data.draw(st.sampled_from(tasks))
    ticked = tick(text, task.id, done)
    begin, end = task.box
    assert ticked[:begin] == text[:begin]
    assert ticked[len(ticked) - len(text[end:]) :] == text[end:]
    again = parse_tasks(ticked)
    assert [other.id for other in again] == [other.id for other in tasks]
    assert [other.done for other in again] == [
        done if other.id == task.id else other.done for other in tasks
    ]
    assert tick(ticked, task.id, done) == ticked


@pytest.mark.requirement("BD-109")
def test_ticking_a_task_that_is_not_there_names_those_that_are() -> None:
    """The text stays as it is."""
    with pytest.raises(NotFound, match=r"'9.9'.* 1.1, 1.2"):
        tick("- [ ] 1.1 a\n- [ ] 1.2 b\n", "9.9")
