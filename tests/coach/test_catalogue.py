"""The kata catalogue: every kata can be solved, can be failed, and is found by its gap.

A kata's answers are in `kata_solutions/{slug}.py`: the module itself is a solution that keeps all
constraints, `WRONG` is one with a likely mistake, and `BREAKS` has for each constraint with a
check a solution that works but does not keep it.
"""

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from bottega.coach.practice.catalogue import (
    KATA_FILES,
    CatalogueKata,
    best_for,
    by_slug,
    catalogue,
    read_kata,
)
from bottega.coach.practice.runner import run_solution
from bottega.core.definitions import DocumentError
from bottega.errors import NotFound

SOLUTIONS = Path(__file__).with_name("kata_solutions")

every_kata = pytest.mark.parametrize("kata", catalogue(), ids=lambda kata: kata.slug)


class Answers:
    def __init__(self, kata: CatalogueKata) -> None:
        name = kata.slug.replace("-", "_")
        text = (SOLUTIONS / f"{name}.py").read_text(encoding="utf-8")
        module = importlib.import_module(f"tests.coach.kata_solutions.{name}")
        self.solution = text[: text.index("\nWRONG = ")]
        self.wrong: str = module.WRONG
        self.breaks: dict[str, str] = module.BREAKS


def failed_cases(code: str, cases: Iterable[str]) -> list[str]:
    """The names of the cases that the code fails, with why."""
    return [f"{case.splitlines()[0]}: {why!r}" for case in cases if (why := _outcome(code, case))]


def failed_checks(code: str, kata: CatalogueKata) -> set[str]:
    tree = ast.parse(code)
    return {
        constraint.title
        for constraint in kata.constraints
        if constraint.check and _outcome(constraint.check, source=code, tree=tree)
    }


def _outcome(*snippets: str, **names: object) -> BaseException | None:
    namespace: dict[str, object] = {"__name__": "solution", **names}
    try:
        for snippet in snippets:
            exec(compile(snippet, "<solution>", "exec"), namespace)
    except Exception as error:
        return error
    return None


@pytest.mark.requirement("CO-03")
@every_kata
def test_a_solution_passes_all_cases_and_keeps_all_constraints(kata: CatalogueKata) -> None:
    """Each kata of the catalogue is executable and solvable."""
    solution = Answers(kata).solution
    assert failed_cases(solution, kata.test_cases) == []
    assert failed_checks(solution, kata) == set()


@pytest.mark.requirement("CO-03")
@every_kata
async def test_a_solution_passes_where_it_can_do_no_harm(kata: CatalogueKata) -> None:
    """No kata needs what an isolated run does not have."""
    checks = [constraint.check for constraint in kata.constraints if constraint.check]
    report = await run_solution(Answers(kata).solution, kata.test_cases, checks)
    if not report.ran:
        pytest.skip(report.message or "nothing can be isolated here")
    assert report.passed, report
    assert len(report.results) == len(kata.test_cases)
    assert len(report.checks) == len(checks)


@pytest.mark.requirement("CO-03")
@every_kata
def test_the_code_to_begin_with_is_no_solution(kata: CatalogueKata) -> None:
    """There is something left to do, and the scaffolding says what."""
    assert failed_cases(kata.scaffolding_code, kata.test_cases) != []
    assert '"""' in kata.scaffolding_code


@pytest.mark.requirement("CO-03")
@every_kata
def test_a_likely_mistake_is_caught_but_is_not_far_off(kata: CatalogueKata) -> None:
    """The cases can tell a wrong solution from a right one, and say where."""
    failed = failed_cases(Answers(kata).wrong, kata.test_cases)
    assert 0 < len(failed) < len(kata.test_cases), failed


@pytest.mark.requirement("CO-03")
@every_kata
def test_each_checked_constraint_can_be_broken_by_code_that_works(kata: CatalogueKata) -> None:
    """A constraint asks for more than the cases do."""
    breaks = Answers(kata).breaks
    assert set(breaks) == {each.title for each in kata.constraints if each.check}
    for title, code in breaks.items():
        assert failed_cases(code, kata.test_cases) == []
        assert title in failed_checks(code, kata)


@pytest.mark.requirement("CO-03")
@every_kata
def test_a_kata_is_complete(kata: CatalogueKata) -> None:
    """Four to eight named cases, constraints that rise, and notes for the reviewer."""
    assert 4 <= len(kata.test_cases) <= 8
    assert 2 <= len(kata.constraints) <= 4
    names = [case.splitlines()[0] for case in kata.test_cases]
    assert len(set(names)) == len(names)
    levels = [constraint.min_level for constraint in kata.constraints]
    assert levels == sorted(levels)
    assert levels[0] <= kata.level, "no constraint opens when the kata is solved plainly"
    assert len(kata.instructor_notes) > 150
    assert kata.concepts == tuple(concept.lower() for concept in kata.concepts)


@pytest.mark.requirement("CO-03")
@every_kata
def test_the_task_names_what_the_cases_call(kata: CatalogueKata) -> None:
    """A learner can pass without guessing a name."""
    defined = re.findall(r"^(?:async def|def|class) (\w+)", kata.scaffolding_code, re.MULTILINE)
    assert defined
    for name in defined:
        assert name in kata.description


@pytest.mark.requirement("CO-03")
def test_the_catalogue_has_at_least_thirty_katas_that_differ() -> None:
    """Practice always has something."""
    katas = catalogue()
    assert len(katas) >= 30
    for field in ("slug", "title", "topic"):
        most_common = Counter(getattr(kata, field) for kata in katas).most_common(1)
        assert most_common[0][1] == 1, most_common
    concepts = Counter(concept for kata in katas for concept in kata.concepts)
    assert [concept for concept, times in concepts.items() if times > 1] == []


@pytest.mark.requirement("CO-03")
def test_there_is_an_answer_for_each_kata_and_no_other() -> None:
    """Nothing on the shelf is unproven."""
    answers = {file.stem for file in SOLUTIONS.glob("*.py")}
    assert answers == {kata.slug.replace("-", "_") for kata in catalogue()}


@pytest.mark.requirement("CO-03")
def test_a_kata_is_found_by_its_slug() -> None:
    """The slug is the file's name."""
    for kata in catalogue():
        assert by_slug(kata.slug) is kata
        assert (KATA_FILES / f"{kata.slug}.md").is_file()
    with pytest.raises(NotFound, match="no-such-kata"):
        by_slug("no-such-kata")


@pytest.mark.requirement("CO-04")
@pytest.mark.parametrize(
    ("topic", "slug"),
    [
        ("Loops and accumulation", "till-roll"),
        ("Off-by-one errors", "tide-windows"),
        ("List slicing", "tide-windows"),
        ("Grouping with dictionaries", "choir-roll"),
        ("Set operations", "guest-list-changes"),
        ("Sorting by several keys", "hill-race"),
        ("List comprehensions", "seed-swap"),
        ("Generators", "apple-crates"),
        ("Writing an iterator", "song-book"),
        ("String parsing", "recipe-line"),
        ("Regular expressions", "ferry-log"),
        ("Floating point and money", "split-the-bill"),
        ("Rounding", "split-the-bill"),
        ("Date arithmetic", "library-due"),
        ("None handling", "lost-property"),
        ("Null and undefined", "lost-property"),
        ("Mutable default arguments", "picnic-basket"),
        ("Aliasing", "picnic-basket"),
        ("Deep copies", "seating-draft"),
        ("Exception handling", "plant-order"),
        ("Error handling", "plant-order"),
        ("Validating input", "plant-order"),
        ("Error messages", "kind-refusals"),
        ("Context managers", "oven-door"),
        ("Closures", "ticket-machines"),
        ("Decorators", "ring-again"),
        ("Recursive functions", "boxes-in-boxes"),
        ("Dataclasses", "map-pins"),
        ("Protocols", "parcel-desk"),
        ("Polymorphism", "parcel-desk"),
        ("Properties", "greenhouse"),
        ("Composition", "coffee-bar"),
        ("Pure functions", "quiet-stocktake"),
        ("State machines", "bike-dock"),
        ("Memoization", "mountain-paths"),
        ("Caching", "mountain-paths"),
        ("Binary search", "tide-table"),
        ("Queues", "waiting-room"),
        ("Stacks", "sketchpad"),
        ("Breadth-first search in graphs", "tram-hops"),
        ("Async gather", "weather-round"),
        ("Async error handling", "weather-round"),
        ("Async timeouts", "slow-kettle"),
        ("Race conditions", "last-seat"),
        ("JSON parsing", "bird-count"),
        ("Command-line argument parsing", "postcard-command"),
        ("Test doubles and mocking", "fake-postman"),
        ("Writing tests for edge cases", "catch-the-bug"),
        ("Refactoring", "ferry-fares"),
        ("Logging", "beehive-log"),
        ("Testing code that depends on time", "parking-meter"),
        ("API design", "table-for-two"),
        ("Reading diffs", "what-changed"),
        ("Unicode and encodings", "name-badges"),
        ("File paths", "photo-archive"),
        ("SQL joins", "cheese-orders"),
    ],
)
def test_a_gap_finds_the_kata_that_fits(topic: str, slug: str) -> None:
    """The topic of a gap finds its kata, in whatever form its words are."""
    assert [kata.slug for kata in best_for(topic)] == [slug]


@pytest.mark.requirement("CO-04")
def test_every_kata_is_the_best_for_its_own_topic() -> None:
    """No kata stands on the shelf unreachable."""
    for kata in catalogue():
        assert best_for(kata.topic) == [kata]


@pytest.mark.requirement("CO-04")
def test_related_concepts_help_where_the_topic_says_little() -> None:
    """The topic leads, and the related concepts decide what it leaves open."""
    assert [kata.slug for kata in best_for("Things that get stuck", ["async", "timeouts"])] == [
        "slow-kettle"
    ]
    assert best_for("Decorators", ["async", "json"])[0].slug == "ring-again"


@pytest.mark.requirement("CO-04")
def test_matching_does_not_stray() -> None:
    """A shared filler word is no match."""
    found = [kata.slug for kata in best_for("Async error handling", limit=5)]
    assert found[0] == "weather-round"
    assert "split-the-bill" not in found
    assert [
        kata.slug for kata in best_for("Understanding of working with decorators", limit=1)
    ] == ["ring-again"]


@pytest.mark.requirement("CO-03")
def test_there_is_always_a_kata() -> None:
    """An unknown topic gets a kata near the level; repeats are the last resort."""
    everything = [kata.slug for kata in catalogue()]
    for level in (2, 5, 7):
        [kata] = best_for("Zymurgy", level=level)
        assert kata.level == level
    assert best_for("") != []
    assert [kata.slug for kata in best_for("Decorators", avoid=everything)] == ["ring-again"]


@pytest.mark.requirement("CO-04")
def test_katas_met_before_are_left_out() -> None:
    """The next best comes, and the answer is the same each time."""
    first, second = best_for("Async timeouts", limit=2)
    assert best_for("Async timeouts", avoid={first.slug}) == [second]
    assert best_for("Async timeouts", limit=2) == [first, second]


@pytest.mark.requirement("CO-03")
@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("level: 2", "level: 20", 6, "level"),
        ("level: 2", "level: 2\ncolour: red", 7, "unknown key 'colour'"),
        ("assert True", "assert (", 12, "not valid Python"),
        ("## Notes", "## Remarks", 14, "the headings must be"),
        ("def bake", "def def bake", 19, "not valid Python"),
        ("# bakes one", "bakes = 1", 24, "a comment that names it"),
        ("assert bake(1) == 1", "assert bake(1) = 1", 25, "not valid Python"),
        ("```python\n# bakes one", "```text\n# bakes one", 22, "a python code block"),
    ],
)
def test_a_broken_file_is_named_with_its_line(old: str, new: str, line: int, message: str) -> None:
    """Whoever adds a kata is told where it is wrong."""
    assert read_kata(ONE_KATA, "one.md").title == "One"
    broken = ONE_KATA.replace(old, new)
    assert broken != ONE_KATA
    with pytest.raises(DocumentError, match=message) as caught:
        read_kata(broken, "one.md")
    assert str(caught.value).startswith(f"one.md:{line}:")


ONE_KATA = """---
slug: one
title: One
topic: Counting
concepts: [counting]
level: 2
constraints:
  - title: Plainly
    description: Say it plainly.
    minLevel: 2
    check: |
      assert True
---
## Task
Write `bake(loaves)`.

## Start
```python
def bake(loaves): ...
```

## Tests
```python
# bakes one
assert bake(1) == 1
```

## Notes
None.
"""
