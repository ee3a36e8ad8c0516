"""Skills: where they are found, and what a good one is."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bottega.core.definitions import Problem
from bottega.core.definitions.folders import Origin
from bottega.errors import NotFound
from bottega.research.agents.skills import SHIPPED, SkillFolders, skill_folders, validate_skill
from tests.app import open_app

GOOD = (
    "---\nname: good\ndescription: Does good. Use when good is wanted.\n---\n\n# Good\n\nDo it.\n"
)


def put(place: Path, slug: str, text: str = GOOD) -> None:
    (place / slug).mkdir(parents=True)
    (place / slug / "SKILL.md").write_text(text)


def places_of(problems: Sequence[Problem]) -> list[int]:
    return [problem.line for problem in problems]


@pytest.mark.requirement("RS-690")
async def test_skills_are_found_in_three_places_and_the_later_wins(tmp_path: Path) -> None:
    """Shipped, the person's, the project's if it is trusted."""
    async with open_app(tmp_path) as app:
        own = tmp_path / "data" / "skills"
        project = tmp_path / "project" / ".bottega" / "skills"
        put(own, "good", GOOD)
        put(own, "check-an-answer", GOOD.replace("good", "check-an-answer"))
        put(project, "good", GOOD.replace("Does good", "Does better"))
        (own / "Not A Skill").mkdir()
        (own / "empty-folder").mkdir()
        app.core.trust.add("skills/good", "local")
        found = {skill.slug: skill for skill in skill_folders(app.core).list()}
    assert sorted(found) == ["answer-from-a-library", "check-an-answer", "good"]
    origins = {slug: skill.origin for slug, skill in found.items()}
    assert origins == {
        "answer-from-a-library": "shipped",
        "check-an-answer": "own",
        "good": "project",
    }
    assert found["good"].description.startswith("Does better")
    assert found["good"].body.strip() == "# Good\n\nDo it."


@pytest.mark.requirement("RS-690")
def test_the_shipped_skills_keep_the_rules() -> None:
    """And are not empty."""
    shipped = SkillFolders(((Origin.SHIPPED, SHIPPED),)).list()
    assert len(shipped) == 2
    assert [skill.problems for skill in shipped] == [(), ()]
    assert all(len(skill.body) > 500 for skill in shipped)


@pytest.mark.requirement("RS-691")
@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("# No frontmatter\n", 1, "no frontmatter"),
        ("---\nname: good\n", 1, "never ends"),
        ("---\nname: good\n---\nx\n", 1, "missing key 'description'"),
        ("---\ndescription: d\n---\nx\n", 1, "missing key 'name'"),
        ("---\nname: Good\ndescription: d\n---\nx\n", 2, "pattern"),
        ("---\nname: good-\ndescription: d\n---\nx\n", 2, "pattern"),
        ("---\nname: a--b\ndescription: d\n---\nx\n", 2, "pattern"),
        (f"---\nname: {'a' * 65}\ndescription: d\n---\nx\n", 2, "64"),
        ("---\nname: other\ndescription: d\n---\nx\n", 2, "must be the same"),
        ("---\nname: good\ndescription: '  '\n---\nx\n", 3, "description"),
        (f"---\nname: good\ndescription: {'d' * 1025}\n---\nx\n", 3, "1024"),
        ("---\nname: good\ndescription: a <b>tag</b>\n---\nx\n", 3, "no tags"),
        ("---\nname: good\ndescription: d\nalowed-tools: Read\n---\nx\n", 4, "allowed-tools"),
        ("---\nname: good\ndescription: d\n---\n\n", 5, "says nothing"),
        ("---\nname: good\ndescription: d\n---\n" + "x\n" * 501, 5, "501 lines"),
    ],
)
def test_what_breaks_the_rules_is_named_with_its_place(text: str, line: int, said: str) -> None:
    """All of Claude Code's rules for names and descriptions."""
    problems = validate_skill(text, "good")
    assert problems
    assert problems[0].line == line
    assert said in problems[0].message


@pytest.mark.requirement("RS-691")
@pytest.mark.parametrize("name", ["claude-helper", "my-anthropic"])
def test_reserved_words_are_refused(name: str) -> None:
    """A name must not pass itself off."""
    [problem] = validate_skill(f"---\nname: {name}\ndescription: d\n---\nx\n", name)
    assert "reserved" in problem.message


@pytest.mark.requirement("RS-691")
def test_what_claude_code_knows_is_taken() -> None:
    """A valid skill from there is valid here; a comparison sign is no tag."""
    text = (
        "---\nname: good\ndescription: For n < 3 and m > 4.\nallowed-tools: [Read, Grep]\n"
        "disable-model-invocation: true\nargument-hint: '[file]'\nversion: 1.2\nlicense: MIT\n"
        "metadata:\n  author: Ada\nmodel: sonnet\n---\nDo it.\n"
    )
    assert validate_skill(text, "good") == []


@pytest.mark.requirement("RS-692")
def test_a_broken_skill_is_listed_with_its_problems_and_hides_no_other(tmp_path: Path) -> None:
    """Unreadable, not UTF-8, malformed."""
    put(tmp_path, "good")
    put(tmp_path, "broken", "---\nname: [\n---\n")
    put(tmp_path, "binary")
    (tmp_path / "binary" / "SKILL.md").write_bytes(b"\xff\xfe\x00")
    put(tmp_path, "large", GOOD + "x" * 300_000)
    folders = SkillFolders(((Origin.OWN, tmp_path),))
    found = {skill.slug: skill for skill in folders.list()}
    assert list(found) == ["binary", "broken", "good", "large"]
    assert found["good"].problems == ()
    assert "UTF-8" in found["binary"].problems[0].message
    assert places_of(found["broken"].problems) == [3]
    assert "larger than 256 KB" in found["large"].problems[0].message
    assert folders.get("good").slug == "good"
    with pytest.raises(NotFound, match="There are: binary, broken, good, large"):
        folders.get("missing")
