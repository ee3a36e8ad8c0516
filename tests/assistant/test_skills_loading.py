"""Skills: three tiers, and references between their files."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bottega.assistant.plugins.catalogue import PluginFolders
from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.plugins.skills import MOST_INCLUDED, AgentSkills, skills_for
from bottega.core.definitions.folders import Origin
from bottega.core.text.words import estimate_tokens
from bottega.errors import BottegaError, Forbidden, InvalidInput, NotFound
from tests.assistant.builders import put_plugin, write_files


def skill(body: str, description: str = "Helps.") -> str:
    return f"---\ndescription: {description}\n---\n{body}\n"


def load(place: Path, files: Mapping[str, str] | None = None) -> Plugin:
    put_plugin(place, files=files)
    return PluginFolders([(Origin.OWN, place)]).load("lessons")


def shelf(place: Path, files: Mapping[str, str], **options: int) -> AgentSkills:
    plugin = load(place, files)
    return AgentSkills(plugin, list(plugin.skills), **options)


@pytest.mark.requirement("AS-431")
def test_the_manifest_is_a_name_and_a_line_for_each_skill_of_the_agent(tmp_path: Path) -> None:
    files = {"skills/long/SKILL.md": skill("Text.", '"' + "word " * 200 + '"')}
    plugin = load(tmp_path, files)
    assert [each.name for each in skills_for(plugin, plugin.agents["planner"]).manifest()] == [
        "backward-design",
        "retrieval",
    ]
    assert skills_for(plugin, plugin.agents["reviewer"]).manifest() == []
    (line,) = AgentSkills(plugin, ["long"]).manifest()
    assert "\n" not in line.line
    assert estimate_tokens(f"- {line.name}: {line.line}") <= 100


@pytest.mark.requirement("AS-432", "AS-434")
async def test_the_second_tier_is_the_skill_with_the_names_of_its_files(tmp_path: Path) -> None:
    plugin = load(tmp_path)
    read = await skills_for(plugin, plugin.agents["planner"]).read("backward-design")
    assert (read.reference, read.tier) == ("backward-design", 2)
    assert read.text.startswith("# Backward design\n\nStart with the outcome.")
    assert read.text.endswith("- backward-design/examples.md")
    assert "description:" not in read.text
    assert "A lesson on loops" not in read.text


@pytest.mark.requirement("AS-433", "AS-434")
async def test_the_third_tier_is_a_file_of_the_skill(tmp_path: Path) -> None:
    plugin = load(tmp_path, {"skills/backward-design/deep/more.md": "Deeper.\n"})
    shelf = skills_for(plugin, plugin.agents["planner"])
    read = await shelf.read("backward-design/examples.md")
    assert (read.reference, read.tier) == ("backward-design/examples.md", 3)
    assert read.text == "# Examples\n\nA lesson on loops."
    assert (await shelf.read("backward-design/deep/more.md")).text == "Deeper."
    assert (await shelf.read(" backward-design/SKILL.md ")).tier == 2


@pytest.mark.requirement("AS-435")
async def test_references_are_replaced_by_what_they_name(tmp_path: Path) -> None:
    """Also by what that names in turn, and the reader is told what came in."""
    read = await shelf(
        tmp_path,
        {
            "skills/a/SKILL.md": skill("First.\n\n[skill:b]\n\nLast."),
            "skills/b/SKILL.md": skill("Middle, see [skill:b/more.md]."),
            "skills/b/more.md": "The very middle.",
        },
    ).read("a")
    assert read.included == ["b", "b/more.md"]
    assert read.left_out == []
    assert read.text.index("First.") < read.text.index("Middle") < read.text.index("The very")
    assert read.text.index("The very middle.") < read.text.index("Last.")
    assert '<skill name="b/more.md">' in read.text
    assert "[skill:" not in read.text


@pytest.mark.requirement("AS-436")
async def test_references_are_followed_five_deep(tmp_path: Path) -> None:
    chain = {
        f"skills/s{n}/SKILL.md": skill(f"Level {n}. [skill:s{n + 1}]" if n < 8 else "The end.")
        for n in range(9)
    }
    read = await shelf(tmp_path, chain).read("s0")
    assert read.included == ["s1", "s2", "s3", "s4", "s5"]
    assert read.left_out == ["s6"]
    assert "(s6 is not here: references are followed 5 deep; read it by itself)" in read.text
    assert "Level 6" not in read.text
    shallow = await shelf(tmp_path, chain, max_reference_depth=1).read("s0")
    assert (shallow.included, shallow.left_out) == (["s1"], ["s2"])
    none = await shelf(tmp_path, chain, max_reference_depth=0).read("s0")
    assert (none.included, none.left_out) == ([], ["s1"])


@pytest.mark.requirement("AS-437")
@pytest.mark.parametrize(
    ("files", "chain"),
    [
        ({"skills/a/SKILL.md": "Me: [skill:a]"}, "a → a"),
        ({"skills/a/SKILL.md": "Me: [skill:a/./SKILL.md]"}, "a → a"),
        (
            {"skills/a/SKILL.md": "[skill:b]", "skills/b/SKILL.md": "[skill:a]"},
            "a → b → a",
        ),
        (
            {"skills/a/SKILL.md": "[skill:a/x.md]", "skills/a/x.md": "[skill:a]"},
            "a → a/x.md → a",
        ),
    ],
)
async def test_a_circle_is_an_error_that_shows_it(
    tmp_path: Path, files: dict[str, str], chain: str
) -> None:
    written = {
        path: skill(text) if path.endswith("SKILL.md") else text for path, text in files.items()
    }
    shelf_with_circle = shelf(tmp_path, written)
    with pytest.raises(InvalidInput) as refused:
        await shelf_with_circle.read("a")
    assert f"go round in a circle: {chain}." in refused.value.message
    assert "go on without it" in refused.value.message
    assert (await shelf_with_circle.read("retrieval")).tier == 2


@pytest.mark.requirement("AS-438")
@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("[skill:a/exmples.md]", "(a/exmples.md is not here: In the skill 'a' there is no file"),
        ("[skill:nowhere]", "(nowhere is not here: There is no skill 'nowhere'"),
        ("[skill:a/../../x.md]", "(a/../../x.md is not here: 'a/../../x.md' is outside"),
        ("[skill:a/picture.png]", "(a/picture.png is not here: 'picture.png' is not UTF-8 text.)"),
    ],
)
async def test_what_is_missing_is_told_in_its_place(
    tmp_path: Path, reference: str, told: str
) -> None:
    shelf_with_gap = shelf(tmp_path, {"skills/a/SKILL.md": skill(f"Before {reference} after.")})
    picture = tmp_path / "lessons" / "skills" / "a" / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    read = await shelf_with_gap.read("a")
    assert read.text.startswith(f"Before {told}")
    assert " after." in read.text
    assert read.left_out == [reference.removeprefix("[skill:").removesuffix("]")]


@pytest.mark.requirement("AS-439")
async def test_a_file_is_put_in_once_and_only_if_it_fits(tmp_path: Path) -> None:
    """A plugin cannot blow a small read up to a huge one."""
    read = await shelf(
        tmp_path,
        {
            "skills/a/SKILL.md": skill("[skill:b] [skill:c] [skill:c/huge.md]"),
            "skills/b/SKILL.md": skill("[skill:c]"),
            "skills/c/SKILL.md": skill("Once."),
            "skills/c/huge.md": "x" * MOST_INCLUDED,
        },
    ).read("a")
    assert read.included == ["b", "c"]
    assert read.text.count("Once.") == 1
    assert "(c: see above)" in read.text
    assert read.left_out == ["c/huge.md"]
    assert len(read.text) < 1_000


@pytest.mark.requirement("AS-440")
@pytest.mark.parametrize(
    "path",
    ["retrieval/../../../agents/planner.md", "retrieval//etc/passwd", "retrieval/link.md"],
)
async def test_no_skill_path_leads_out_of_its_folder(tmp_path: Path, path: str) -> None:
    plugin = load(tmp_path / "plugins")
    secret = write_files(tmp_path / "elsewhere", {"secret.md": "A secret."})
    (plugin.skills["retrieval"].folder / "link.md").symlink_to(secret / "secret.md")
    with pytest.raises(Forbidden, match="outside"):
        await skills_for(plugin, plugin.agents["planner"]).read(path)


@pytest.mark.requirement("AS-441")
async def test_a_skill_that_the_agent_does_not_have_is_not_read(tmp_path: Path) -> None:
    plugin = load(tmp_path, {"skills/secret/SKILL.md": skill("Not for the planner.")})
    planners = skills_for(plugin, plugin.agents["planner"])
    with pytest.raises(NotFound, match="there are backward-design, retrieval"):
        await planners.read("secret")
    with pytest.raises(NotFound, match="did you mean 'retrieval'"):
        await planners.read("retrievals")
    with pytest.raises(NotFound, match=r"did you mean 'examples\.md'"):
        await planners.read("backward-design/example.md")
    for wrong in ("", "Big", "a b", "retrieval/x]y", "[skill:retrieval]", "x" * 10_000, "é"):
        with pytest.raises(BottegaError):
            await planners.read(wrong)


@pytest.mark.requirement("AS-442")
def test_circles_and_missing_files_are_problems_of_the_plugin(tmp_path: Path) -> None:
    """The skills can still be used, since reading copes with both."""
    plugin = load(
        tmp_path,
        {
            "skills/a/SKILL.md": skill("Go to\n  [skill:b/x.md]."),
            "skills/b/SKILL.md": skill("Fine."),
            "skills/b/x.md": "[skill:a] and [skill:b/y.md]",
        },
    )
    assert [str(each) for each in plugin.problems] == [
        "skills/b/x.md:1:1: the references go round in a circle: a → b/x.md → a",
        "skills/b/x.md:1:15: there is no skill file 'b/y.md'; did you mean 'b/x.md'?",
    ]
    assert {"a", "b"} <= set(plugin.skills)


@pytest.mark.requirement("AS-442")
def test_a_long_chain_of_references_is_checked_too(tmp_path: Path) -> None:
    """A circle of hundreds of files is one problem, not a crash."""
    files = {f"skills/a/f{n}.md": f"[skill:a/f{(n + 1) % 400}.md]" for n in range(400)}
    plugin = load(tmp_path, {"skills/a/SKILL.md": skill("Text."), **files})
    (problem,) = plugin.problems
    assert "go round in a circle" in problem.message


@pytest.mark.requirement("AS-443")
async def test_a_reference_in_backticks_is_only_a_mention(tmp_path: Path) -> None:
    files = {"skills/a/SKILL.md": skill("Write `[skill:nowhere]` to refer to another.")}
    read = await shelf(tmp_path, files).read("a")
    assert "`[skill:nowhere]`" in read.text
    assert read.left_out == []
    assert not load(tmp_path, files).problems
