"""What `make` installs is locked: by version, and by the hash of every file."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


def locked(path: Path) -> dict[str, str]:
    """Name and version of every requirement, each of which has a hash."""
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", path.read_text().strip()):
        assert "--hash=sha256:" in entry, entry
        requirement = Requirement(entry.partition("--hash")[0].replace("\\", "").strip())
        [version] = requirement.specifier
        assert version.operator == "=="
        found[canonicalize_name(requirement.name)] = version.version
    return found


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_every_file_is_known_by_its_hash_and_by_no_address(lock: Path) -> None:
    assert locked(lock)
    assert "://" not in lock.read_text()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_the_versions_are_those_of_the_constraints(lock: Path) -> None:
    """They are what pipx and uv are given, too."""
    lines = (ROOT / "constraints.txt").read_text().split()
    pinned: dict[str, str] = {
        canonicalize_name(name): version for name, _, version in (x.partition("==") for x in lines)
    }
    wrong = {
        name: version
        for name, version in locked(lock).items()
        if pinned.get(name, version) != version
    }
    assert not wrong


def test_everything_that_the_project_names_is_locked() -> None:
    """`make lock` was run after the last change to pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    def names(requirements: list[str]) -> set[str]:
        return {canonicalize_name(Requirement(each).name) for each in requirements}

    run = locked(ROOT / "requirements" / "run.txt")
    dev = locked(ROOT / "requirements" / "dev.txt")
    assert names(project["dependencies"]) <= run.keys()
    assert names([*project["dependencies"], *project["optional-dependencies"]["dev"]]) <= dev.keys()
    shared = run.keys() & dev.keys()
    assert {name: dev[name] for name in shared} == {name: run[name] for name in shared}
