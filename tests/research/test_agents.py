"""Research agents: folders of files, checked to the column."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.core.definitions.folders import FoundFolder, Origin
from bottega.errors import InvalidInput, NotFound
from bottega.research.agents.definition import Depth, StageName
from bottega.research.agents.folders import SHIPPED, AgentFolders, read_agent

META = "---\nname: Mine\ndescription: For tests.\n---\nBe brief.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped agent, to be broken."""
    return Path(shutil.copytree(SHIPPED / "deep-research", tmp_path / "agents" / "mine"))


def change(folder: Path, edit: Callable[[dict[str, Any]], object]) -> str:
    """Edit the configuration; the text that is then in the file."""
    path = folder / "config.json"
    config = json.loads(path.read_text())
    edit(config)
    path.write_text(json.dumps(config, indent=2))
    return path.read_text()


def place_of(text: str, piece: str, *, nth: int = 0) -> tuple[int, int]:
    """Line and column of a piece of text, as an editor counts them."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(piece, at + 1)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def found(folder: Path, **options: Any) -> list[tuple[str, int, int, str]]:
    problems = read_agent(FoundFolder(folder.name, Origin.OWN, folder), **options).problems
    return [(each.file, each.line, each.column, each.message) for each in problems]


# ── what ships ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("RS-101")
def test_an_agent_is_a_folder_of_files() -> None:
    """AGENT.md, config.json and prompts, of an agent that asks any library."""
    agent = AgentFolders([(Origin.SHIPPED, SHIPPED)]).load("deep-research")
    assert agent.meta.name == "Deep Research"
    assert (agent.meta.sources, agent.meta.library) == ([], None)
    assert agent.instructions.startswith("You answer questions")
    with_prompt = {stage.name for stage in agent.config.stages if agent.prompt_of(stage)}
    assert with_prompt == {StageName.ANALYZE, StageName.CALIBRATE, StageName.SYNTHESIZE}


@pytest.mark.requirement("RS-102")
def test_the_shipped_agent_has_the_six_stages() -> None:
    """With pauses after the first two, and synthesis and verification to repair."""
    config = AgentFolders([(Origin.SHIPPED, SHIPPED)]).load("deep-research").config
    assert [stage.name for stage in config.stages] == list(StageName)
    assert config.pause_after == [0, 1]
    assert [(unit.stages, unit.max_iterations) for unit in config.repair_units] == [([3, 4], 2)]
    assert [stage.id for stage in config.stages if stage.required_keys] == [3, 4, 5]


@pytest.mark.requirement("RS-103")
def test_the_shipped_agent_has_three_depths() -> None:
    """Sub-queries, paragraphs, repairs, context, web search and length of each."""
    modes = AgentFolders([(Origin.SHIPPED, SHIPPED)]).load("deep-research").config.depth_modes
    assert {name: tuple(mode.model_dump().values()) for name, mode in modes.items()} == {
        Depth.QUICK: (3, 10, 0, 4_000, False, 2_048),
        Depth.STANDARD: (8, 20, 2, 12_000, True, 4_096),
        Depth.DEEP: (15, 30, 3, 24_000, True, 8_192),
    }


@pytest.mark.requirement("RS-104")
def test_the_shipped_agent_has_its_limits() -> None:
    """Four thresholds, ten dollars, a window of 200,000 tokens, follow-ups with delta."""
    config = AgentFolders([(Origin.SHIPPED, SHIPPED)]).load("deep-research").config
    assert tuple(config.verification.model_dump().values()) == (0.80, 0.75, 0.70, 0)
    assert config.orchestrator.budget_usd == 10
    assert config.orchestrator.context_window == 200_000
    assert config.orchestrator.thinking == "adaptive"
    assert config.output.progressive_disclosure is True
    assert config.follow_up.enabled is config.follow_up.delta_retrieval is True
    assert config.follow_up.max_prior_sections == 30


@pytest.mark.requirement("RS-112")
def test_the_template_is_right_and_is_no_agent() -> None:
    """It can be copied as it is, and nobody calls it by mistake."""
    assert found(SHIPPED / "_template") == []
    listed = AgentFolders([(Origin.SHIPPED, SHIPPED)]).list()
    assert [agent.slug for agent in listed] == ["deep-research"]


# ── where they are found ─────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("RS-105")
def test_a_project_s_agent_wins_over_a_person_s_and_that_over_the_shipped(tmp_path: Path) -> None:
    """Shipped, then the data directory, then the project, if it is trusted."""
    own, project = tmp_path / "own", tmp_path / "project"
    places = [(Origin.SHIPPED, SHIPPED), (Origin.OWN, own), (Origin.PROJECT, project)]
    folders = AgentFolders(places, trusts=lambda _folder: True)
    names = [folders.load("deep-research").meta.name]
    for place in (own, project):
        copied = shutil.copytree(SHIPPED / "deep-research", place / "deep-research")
        (copied / "AGENT.md").write_text(META.replace("Mine", place.name))
        names.append(folders.load("deep-research").meta.name)
    assert names == ["Deep Research", "own", "project"]
    assert [(agent.slug, agent.found.origin) for agent in folders.list()] == [
        ("deep-research", Origin.PROJECT)
    ]
    assert AgentFolders(places).load("deep-research").meta.name == "own"


@pytest.mark.requirement("RS-111")
def test_a_broken_agent_does_not_fail_the_list(folder: Path) -> None:
    """It is listed with what is wrong, and cannot be loaded."""
    (folder / "config.json").write_text("{")
    folders = AgentFolders([(Origin.SHIPPED, SHIPPED), (Origin.OWN, folder.parent)])
    shipped, mine = folders.list()
    assert (shipped.slug, list(shipped.problems)) == ("deep-research", [])
    assert (mine.slug, mine.name, len(mine.problems)) == ("mine", "Deep Research", 1)
    with pytest.raises(InvalidInput, match=r"'mine' cannot be used.*\nmine/config\.json:1:2: "):
        folders.load("mine")


@pytest.mark.requirement("RS-184")
@pytest.mark.parametrize("slug", ["nobody", "../mine", "", "_template", "Mine", "x" * 200])
def test_an_agent_that_is_not_there_is_told_with_those_that_are(slug: str) -> None:
    """The error lists what can be called."""
    with pytest.raises(NotFound, match=r"There is no agent .* There are: deep-research\."):
        AgentFolders([(Origin.SHIPPED, SHIPPED)]).load(slug)


# ── what is wrong with them ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("RS-106")
def test_all_problems_are_found_at_once_with_their_places(folder: Path) -> None:
    """In both files, by file, line and column."""
    (folder / "AGENT.md").write_text("---\nname: Mine\nsources: web\nlibary: x\n---\n")

    def spoil(config: dict[str, Any]) -> None:
        config["stages"][2]["name"] = "retreive"
        config["depthModes"]["quick"]["maxSubQueries"] = "three"
        config["pauseAfterStage"] = []
        del config["depthModes"]["deep"]["webSearch"]

    text = change(folder, spoil)
    problems = found(folder)
    assert [(file, line, column) for file, line, column, _ in problems] == [
        ("AGENT.md", 1, 1),
        ("AGENT.md", 3, 1),
        ("AGENT.md", 4, 1),
        ("config.json", *place_of(text, '"name": "retreive"')),
        ("config.json", *place_of(text, '"maxSubQueries": "three"')),
        ("config.json", *place_of(text, '"deep"')),
        ("config.json", *place_of(text, '"pauseAfterStage"')),
    ]
    messages = [message for *_, message in problems]
    assert messages[0].startswith("missing key 'description'")
    assert "'web'" in messages[1]
    assert "retreive" in messages[3]
    assert messages[5].startswith("missing key 'depthModes.deep.webSearch'")


@pytest.mark.requirement("RS-107")
def test_a_misspelled_key_is_told_the_right_one(folder: Path) -> None:
    """For both files, also deep within."""
    (folder / "AGENT.md").write_text(META.replace("description", "descripton"))
    change(folder, lambda config: config["orchestrator"].update(budgetUSD=3))
    messages = [message for *_, message in found(folder)]
    assert "unknown key 'descripton'; did you mean 'description'?" in messages
    assert "unknown key 'orchestrator.budgetUSD'; did you mean 'budgetUsd'?" in messages


@pytest.mark.requirement("RS-108")
@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("", (1, 1), "not valid JSON"),
        ('{\n  "stages": [}', (2, 14), "not valid JSON"),
        ('{"stages": [],\n "stages": []}', (2, 2), "duplicate key 'stages', first on line 1"),
        ("[]", (1, 1), "one object"),
        ("[" * 100_000, (1, 1), "nested too deeply"),
        ("\xff", (1, 1), "not valid JSON"),
    ],
)
def test_what_is_no_json_is_told_where_it_stops_being_some(
    folder: Path, text: str, place: tuple[int, int], said: str
) -> None:
    """Syntax errors and keys that stand there twice."""
    (folder / "config.json").write_text(text, "utf-8")
    [(file, line, column, message)] = found(folder)
    assert (file, (line, column)) == ("config.json", place)
    assert said in message


@pytest.mark.requirement("RS-109")
def test_files_that_are_missing_or_no_text_are_told(folder: Path) -> None:
    """An absent file, and bytes that are no UTF-8."""
    (folder / "AGENT.md").write_bytes(b"---\nname: \xff\n---\n")
    (folder / "config.json").unlink()
    assert found(folder) == [
        ("AGENT.md", 1, 1, "'AGENT.md' is not UTF-8 text."),
        ("config.json", 1, 1, "the file is missing"),
    ]


@pytest.mark.requirement("RS-109")
def test_prompts_and_sources_that_are_not_there_are_told_where_they_are_named(folder: Path) -> None:
    """A prompt is a file in `prompts/` and nothing outside of it."""
    (folder / "AGENT.md").write_text(META.replace("---\nBe", "sources:\n- web\n- wed\n---\nBe"))
    (folder.parent / "secret.md").write_text("secret")

    def spoil(config: dict[str, Any]) -> None:
        config["stages"][0]["prompt"] = "gone.md"
        config["stages"][1]["prompt"] = "../../secret.md"

    text = change(folder, spoil)
    assert found(folder, sources={"web"}) == [
        ("AGENT.md", 6, 3, "there is no source 'wed'; there are 'web'"),
        ("config.json", *place_of(text, '"prompt"'), "prompts/gone.md: the file is missing"),
        (
            "config.json",
            *place_of(text, '"prompt"', nth=1),
            "'../../secret.md' must be the name of a file in prompts/, without a path",
        ),
    ]
    assert [file for file, *_ in found(folder)] == ["config.json", "config.json"]


@pytest.mark.requirement("RS-110")
@pytest.mark.parametrize(
    ("edit", "piece", "said"),
    [
        (lambda c: c["stages"][1].update(id=7), '"id": 7', "this is 1, not 7"),
        (
            lambda c: c["stages"][1].update(name="analyze_query"),
            '"name": "analyze_query"',
            "is there twice",
        ),
        (lambda c: c.update(pauseAfterStages=[0, 9]), "9", "there is no stage 9"),
        (lambda c: c["repairUnits"][0].update(stages=[3, 8]), "8\n", "there is no stage 8"),
        (lambda c: c["repairUnits"][0].update(stages=[3, 5]), '"stages": [\n        3', "follow"),
        (
            lambda c: c["repairUnits"][0].update(stages=[2, 3]),
            '"stages": [\n        2',
            "begins with 'synthesize' and ends with 'verify'",
        ),
        (lambda c: c["depthModes"].pop("standard"), '"defaultDepth"', "does not have 'standard'"),
    ],
)
def test_parts_that_do_not_fit_together_are_told_at_their_places(
    folder: Path, edit: Callable[[dict[str, Any]], object], piece: str, said: str
) -> None:
    """Numbers, order, pauses, repair units and the default depth."""
    text = change(folder, edit)
    problems = found(folder)
    nth = 1 if "analyze_query" in piece else 0
    assert [(line, column) for _, line, column, _ in problems] == [place_of(text, piece, nth=nth)]
    assert said in problems[0][3]


@pytest.mark.requirement("RS-113")
def test_nothing_goes_out_that_was_not_verified(folder: Path) -> None:
    """An agent cannot leave verification out."""

    def without_verification(config: dict[str, Any]) -> None:
        config["stages"] = [s for s in config["stages"] if s["name"] != "verify"]
        config["stages"][4]["id"] = 4
        config["repairUnits"] = []

    change(folder, without_verification)
    [(*_, message)] = found(folder)
    assert message == "'output' needs 'verify' before it"
