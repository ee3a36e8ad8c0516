"""The real `openspec` program: what we write it accepts, what it writes we read."""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.board.openspec.cli import OpenSpecCli
from bottega.board.openspec.drafts import (
    DeltaInput,
    NewChange,
    RequirementInput,
    ScenarioInput,
    TaskGroupInput,
)
from bottega.board.openspec.tasks import TaskCount
from bottega.board.openspec.validation import validate, validate_spec
from bottega.board.openspec.writer import OpenSpec
from bottega.errors import Conflict, NotFound
from tests.board.openspec.cases import (
    CHANGES,
    LOGIN,
    RENAME,
    SIGN_IN,
    SPECS,
    added,
    block,
    modified,
    write,
    write_all,
)

pytestmark = pytest.mark.clients

PACKAGE = "@fission-ai/openspec@1.13.2"


@pytest.fixture(scope="session")
def home() -> Path:
    """Where the program is installed, beside the virtual environment's packages."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: openspec is an npm package")
    home = Path(sys.prefix) / "clients" / f"openspec-{PACKAGE.rpartition('@')[2]}"
    if not (home / "node_modules/.bin/openspec").exists():
        home.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        subprocess.run([npm, "install", "--prefix", home, *quiet, PACKAGE], check=True)
    return home


@pytest.fixture
def program(home: Path) -> str:
    return str(home / "node_modules/.bin/openspec")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    write(root / "openspec/specs/login", {"spec.md": LOGIN})
    return root


@pytest.fixture
def project(root: Path) -> Iterator[OpenSpec]:
    project = OpenSpec(root)
    yield project
    project.close()


@pytest.fixture
def cli(root: Path, program: str, tmp_path: Path) -> Iterator[OpenSpecCli]:
    cli = OpenSpecCli(root, program, environment={"HOME": str(tmp_path / "person")})
    yield cli
    cli.close()


def run(program: str, root: Path, *arguments: str) -> str:
    done = subprocess.run(
        [program, *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": f"{Path(shutil.which('node') or '').parent}", "OPENSPEC_TELEMETRY": "0"},
    )
    return done.stdout


def verdicts(program: str, root: Path, what: str) -> dict[str, bool]:
    """The program's own verdict on all of them at once."""
    report: dict[str, Any] = json.loads(run(program, root, "validate", what, "--strict", "--json"))
    return {item["id"]: item["valid"] for item in report["items"]}


@pytest.mark.requirement("BD-121")
async def test_our_table_of_verdicts_is_the_programs(
    program: str, root: Path, project: OpenSpec
) -> None:
    """Every change and spec of the table that our own validation is held to."""
    write_all(root)
    assert len(CHANGES) >= 40
    assert verdicts(program, root, "--changes") == {k: v for k, (v, _) in CHANGES.items()}
    assert verdicts(program, root, "--specs") == {k: v for k, (v, _) in SPECS.items()}


PIECES = """## ADDED Requirements|## MODIFIED Requirements|## REMOVED Requirements|## Notes|# Top
## RENAMED Requirements|### Requirement: Sign in|### Requirement: Sign out|### Requirement: A
###Requirement: B ##|### Requirement:|#### Scenario: Right password|#### Scenario: Wrong password
#### Scenario: Out|####  Edge ##|##### Deep|It SHALL work.|It MUST.|words||- **WHEN** x|~~~~|```
   ```|**ID**: 3 SHALL|- FROM: `### Requirement: Sign in`|- TO: `### Requirement: A`|### Divider
FROM: ### Requirement: Sign out|* TO: ### Requirement: New|- `### Requirement: Sign out`
+ ### Requirement: Sign in|\t- tab|## Purpose|TBD""".replace("\n", "|").split("|")
TASKS = """## 1. A|## 2. B|## C|- [ ] 1.1 a|- [x] 1.2 b|- [ ] 2.1 c|* [X] 2.2 d|1. [ ] 1.3 e|- []
  - [~] 1.1.1 z|- plain|1) item|```|    - code|<!-- c|-->|---|- [A](x)|+ [ x ] 1.4 s|text||### 1. h
""".replace("\n", "|").split("|")


def shuffled(dice: random.Random, start: list[str], pieces: list[str]) -> str:
    lines = list(start)
    for _ in range(dice.randint(0, 5)):
        lines.insert(dice.randint(0, len(lines)), dice.choice(pieces))
    return dice.choice(["\n", "\r\n"]).join(lines)


@pytest.mark.requirement("BD-121")
async def test_random_files_get_the_same_verdict(
    program: str, root: Path, project: OpenSpec
) -> None:
    """Some hundred changes and specs put together by chance, half of them valid."""
    dice = random.Random(20261115)
    scenarios = ["#### Scenario: Right password", "- a", "#### Scenario: Wrong password", "- b"]
    for number in range(200):
        start = [dice.choice(PIECES[:3]), "### Requirement: Sign in", "It SHALL work.", *scenarios]
        delta = shuffled(dice, start, PIECES)
        write(root / f"openspec/changes/delta-{number}", {"specs/login/spec.md": delta})
    for number in range(60):
        tasks = shuffled(dice, ["## 1. A", "- [ ] 1.1 a"][: dice.randint(0, 2)], TASKS)
        files = {"specs/cap/spec.md": added(), "tasks.md": tasks}
        write(root / f"openspec/changes/tasks-{number}", files)
    purpose = ["## Purpose", "A purpose with enough words in it to be taken for one by everybody."]
    for number in range(80):
        start = [*purpose, "## Requirements", "### Requirement: A", "It SHALL.", *scenarios]
        write(root / f"openspec/specs/s{number}", {"spec.md": shuffled(dice, start, PIECES)})
    known = await project.specs()
    changes = await project.changes()
    ours = {change.id: validate(change, known) for change in changes}
    assert {name: found.valid for name, found in ours.items()} == verdicts(
        program, root, "--changes"
    )
    assert 80 < sum(found.valid for found in ours.values()) < 180
    specs = {spec.id: validate_spec(spec).valid for spec in known}
    assert specs == verdicts(program, root, "--specs")


def draft(quoted: str) -> NewChange:
    scenario = ScenarioInput(f"Finds {quoted}", [f"WHEN {quoted}", "THEN it is there"])
    return NewChange(
        title=f"Find {quoted}",
        why=quoted,
        what_changes=quoted,
        impact=quoted,
        design=quoted,
        tasks=[TaskGroupInput(quoted, ["Write it", quoted]), TaskGroupInput("Prove", ["Test it"])],
        deltas=[
            DeltaInput(
                "area/search",
                added=[RequirementInput(f"Find {quoted}", f"It SHALL find.\n{quoted}", [scenario])],
                purpose="What people find when they look for something, and how fast.",
            )
        ],
    )


@pytest.mark.requirement("BD-116", "BD-118")
@pytest.mark.parametrize(
    "quoted",
    [
        "words",
        "```\n## ADDED Requirements\n### Requirement: Smuggled\n",
        "a\n- [ ] 1.1 smuggled\n# Top\n## MODIFIED Requirements\n### Requirement: Find ###",
    ],
)
async def test_what_we_write_passes_its_strict_validation(
    quoted: str, root: Path, project: OpenSpec, cli: OpenSpecCli
) -> None:
    """The whole change, whatever it quotes; it counts the same tasks."""
    change = await project.create_change(draft(quoted))
    found = await cli.validate(change.id)
    assert found.valid, found.issues
    assert change.count == TaskCount(done=0, total=3)
    await cli.archive(change.id)
    assert (await cli.validate_spec("area/search")).valid


@pytest.mark.requirement("BD-122")
async def test_what_it_writes_we_read(program: str, root: Path, project: OpenSpec) -> None:
    """A change that it began, filled from its own templates, and its own task count."""
    run(program, root, "new", "change", "add-door", "--goal", "A way out")
    change = await project.change("add-door")
    assert change.metadata is not None
    assert (change.metadata.schema_, change.metadata.goal) == ("spec-driven", "A way out")
    assert change.metadata.created is not None
    templates = json.loads(run(program, root, "templates", "--json"))
    for name in ("proposal", "design", "tasks"):
        text = Path(templates[name]["path"]).read_text()
        write(root / "openspec/changes/add-door", {f"{name}.md": text})
    change = await project.change("add-door")
    assert change.problems == ()
    assert change.title == "Add door"
    assert [task.group for task in change.tasks][::2] == [
        "1. <!-- Task Group Name -->",
        "2. <!-- Task Group Name -->",
    ]
    await project.tick("add-door", ["1.1"])
    listed = json.loads(run(program, root, "list", "--json"))["changes"]
    assert [(item["name"], item["completedTasks"], item["totalTasks"]) for item in listed] == [
        ("add-door", 1, 4)
    ]


@pytest.mark.requirement("BD-123")
async def test_archiving_applies_every_operation(
    root: Path, project: OpenSpec, cli: OpenSpecCli
) -> None:
    """Added, modified and renamed requirements are in the spec, removed ones are not."""
    delta = (
        RENAME
        + modified(SIGN_IN.replace("Sign in", "Enter").replace("work", "open"))
        + "\n## REMOVED Requirements\n\n### Requirement: Sign out\n\n"
        + added(block("Remember"))
    )
    write(
        root / "openspec/changes/turn",
        {"specs/login/spec.md": delta, "tasks.md": "- [x] a\n", "proposal.md": "# Turn\n"},
    )
    change = await cli.archive("turn")
    assert (change.id, change.archived, change.title) == ("turn", True, "Turn")
    assert change.archived_on is not None
    assert [summary.directory for summary in await project.archived()] == [change.directory]
    assert await project.changes() == []
    login = await project.spec("login")
    assert [requirement.name for requirement in login.requirements] == ["Enter", "Remember"]
    assert login.requirements[0].text == "It SHALL open."
    assert [scenario.name for scenario in login.requirements[0].scenarios] == [
        "Right password",
        "Wrong password",
    ]


@pytest.mark.requirement("BD-124")
async def test_a_rejected_change_is_put_away_by_it_without_its_specs(
    root: Path, project: OpenSpec, cli: OpenSpecCli
) -> None:
    """Even one that was never valid; and to the very place where we would put it."""
    write(root / "openspec/changes/bad", {"specs/login/spec.md": modified(block("Sign in"))})
    write(root / "openspec/changes/worse", {"specs/login/spec.md": "nothing"})
    theirs = await cli.archive("bad", skip_specs=True)
    ours = await project.archive_unapplied("worse")
    assert theirs.directory.replace("bad", "worse") == ours.directory
    assert (root / "openspec/specs/login/spec.md").read_text() == LOGIN
    assert await project.changes() == []


@pytest.mark.requirement("BD-123")
async def test_what_it_refuses_is_told_in_its_words(
    root: Path, project: OpenSpec, cli: OpenSpecCli
) -> None:
    """Nothing is moved and no spec touched."""
    write(
        root / "openspec/changes/bad",
        {"specs/login/spec.md": modified(block("Sign in")), "tasks.md": "- [ ] a\n"},
    )
    with pytest.raises(Conflict, match="Wrong password"):
        await cli.archive("bad")
    assert [change.id for change in await project.changes()] == ["bad"]
    assert (root / "openspec/specs/login/spec.md").read_text() == LOGIN
    assert not (await cli.validate("bad")).valid
    with pytest.raises(NotFound, match="'unheard-of'"):
        await cli.validate("unheard-of")


@pytest.mark.requirement("BD-126")
async def test_it_leaves_nothing_in_a_persons_home(
    root: Path, cli: OpenSpecCli, tmp_path: Path
) -> None:
    """No telemetry id, no notice, no record of an update check."""
    (tmp_path / "person").mkdir()
    assert cli.available
    assert await cli.version() == PACKAGE.rpartition("@")[2]
    write(root / "openspec/changes/a", {"specs/cap/spec.md": added()})
    assert (await cli.validate("a")).valid
    await cli.archive("a")
    assert list((tmp_path / "person").rglob("*")) == []
