"""The wheel, installed with pipx on a machine without Node; and over an older version's data."""

import hashlib
import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from bottega import __version__
from tests.clients.installing import ROOT, Machine, make_wheel
from tests.databases import add_revision
from tests.end_to_end.conftest import wait_for_announcement

pytestmark = pytest.mark.clients

VERSIONS = "src/bottega/core/db/migrations/versions"
NEXT = "9999_next"
FACT = "Cents are integers here: rounding lost one in issue 1"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_wheel(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def machine(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    machine = Machine.made(tmp_path_factory.mktemp("machine"))
    machine.install(str(wheel), ROOT / "constraints.txt")
    return machine


@contextmanager
def served(machine: Machine) -> Iterator[str]:
    log = machine.folder / "serve.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [machine.bottega, "serve"],
            cwd=machine.folder / "empty",
            env=machine.environment,
            stdout=output,
            stderr=output,
            text=True,
        )
    try:
        yield wait_for_announcement(process, machine.data, log)
    finally:
        process.terminate()
        assert process.wait(30) == 0, log.read_text()


def test_uv_installs_it_as_well(wheel: Path, tmp_path: Path) -> None:
    machine = Machine.made(tmp_path)
    machine.install_with_uv(str(wheel), ROOT / "constraints.txt")
    assert machine.says("--version").strip() == __version__
    assert "6 of 6 rooms" in machine.says("demo", "--no-stay")


def test_it_runs_without_node(machine: Machine) -> None:
    assert shutil.which("node", path=machine.environment["PATH"]) is None
    assert machine.says("--version").strip() == __version__
    checks = {check["name"]: check for check in json.loads(machine.says("doctor", "--json"))}
    assert checks["Web app"]["state"] == "ok"


def test_the_web_app_is_served(machine: Machine) -> None:
    with served(machine) as url:
        page = httpx.get(url, headers={"Accept": "text/html"}, trust_env=False).text
        assert '<div id="root">' in page
        script = page.partition('src="/assets/')[2].partition('"')[0]
        assert httpx.get(f"{url}/assets/{script}", trust_env=False).status_code == 200
        assert machine.says("memory", "add", FACT)
        assert FACT in machine.says("memory", "search", "rounding", "--json")


def test_the_tour_goes_through_every_room(machine: Machine) -> None:
    assert "6 of 6 rooms" in machine.says("demo", "--no-stay")


def test_what_is_shipped_is_found(machine: Machine) -> None:
    """Nothing looks for the repository: plugins, examples, the plugin for Claude Code."""
    plugin = machine.says("connect", "claude-code").partition("marketplace add ")[2].split()[0]
    assert Path(plugin, ".claude-plugin", "plugin.json").is_file()
    assert Path(plugin).is_relative_to(machine.folder / "pipx")
    assert "lesson-planning:create-lesson" in machine.says("assist", "--list")
    standards = Path(plugin).parents[1] / "examples" / "standards"
    assert machine.says("library", "add", "harbour", str(standards))
    assert machine.says("library", "search", "harbour", "speed in the harbour")
    assert machine.says("assist", "lesson-planning:create-lesson", "fractions", "--dry-run")


def test_it_is_backed_up(machine: Machine, tmp_path: Path) -> None:
    machine.says("memory", "add", "Kept")
    file = tmp_path / "house.tar.gz"
    machine.says("backup", str(file))
    with tarfile.open(file) as backup:
        assert "bottega.db" in {Path(name).name for name in backup.getnames()}
    assert machine.says("restore", str(file), "--check")


def git(*arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.strip() if ran.returncode == 0 else ""


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The sources of a next version: as they are, with one more revision of the schema."""
    sources = tmp_path / "newer"
    for name in filter(None, git("ls-files", "-z").split("\0")):
        if (ROOT / name).is_file():
            (sources / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, sources / name)
    later = add_revision(tmp_path, NEXT, "CREATE TABLE pins (id INTEGER PRIMARY KEY)")
    shutil.copy2(later / "versions" / f"{NEXT}.py", sources / VERSIONS)
    return sources


def fingerprints(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.db")
    }


def test_an_older_version_is_upgraded_with_its_data_and_not_downgraded(
    wheel: Path, newer: Path, tmp_path: Path
) -> None:
    """Upgrade and the way back, with the programs that people would run."""
    machine = Machine.made(tmp_path / "machine")
    new_wheel = make_wheel(newer, tmp_path / "dist", BOTTEGA_SKIP_WEB="1")
    machine.install(str(wheel), ROOT / "constraints.txt")
    machine.says("memory", "add", FACT)
    before = json.loads(machine.says("memory", "list", "--json"))
    assert machine.says("doctor")

    machine.install(str(new_wheel), newer / "constraints.txt", "--force")
    assert json.loads(machine.says("memory", "list", "--json")) == before
    assert FACT in machine.says("memory", "search", "rounding", "--json")
    kept = tmp_path / "kept.tar.gz"
    assert NEXT in machine.says("backup", str(kept))

    machine.install(str(wheel), ROOT / "constraints.txt", "--force")
    upgraded = fingerprints(machine.data)
    refused = machine.run("memory", "list")
    assert refused.returncode == 1
    assert NEXT in refused.stderr
    assert "upgrade Bottega" in refused.stderr
    assert upgraded
    assert fingerprints(machine.data) == upgraded
