"""What is in the package that people install."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEB_APP = ROOT / "src" / "bottega" / "server" / "static"
#: Not in the repository, or of no use to those who install it.
NOT_SHIPPED = ("node_modules", "__pycache__", ".vitest", ".env", ".pyc")

pytest.importorskip("hatchling", reason="hatchling builds the wheel: `make test` installs it")


def build(root: Path, target: str, into: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """As `pip` and `python -m build` do, without an environment of its own."""
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", into],
        cwd=root,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def built(target: str, into: Path) -> Path:
    ran = build(ROOT, target, into)
    assert ran.returncode == 0, ran.stderr
    [made] = into.iterdir()
    return made


def shipped(folder: str) -> set[str]:
    """The files of one of our folders that git knows."""
    listed = subprocess.run(
        ["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(listed.stdout.split())


def test_the_wheel_has_everything_that_runs_and_nothing_else(tmp_path: Path) -> None:
    """Issue 10, 6: the web app, migrations, prompts, plugins, examples, the plugin for Claude."""
    with zipfile.ZipFile(built("wheel", tmp_path)) as wheel:
        names = set(wheel.namelist())
    for name in shipped("src/bottega"):
        assert name.removeprefix("src/") in names
    for name in shipped("examples") | shipped("integrations/claude-code"):
        assert f"bottega/{name}" in names
    for path in WEB_APP.rglob("*"):
        if path.is_file():
            assert path.relative_to(ROOT / "src").as_posix() in names
    assert "bottega/server/static/index.html" in names
    assert [name for name in names if any(part in name for part in NOT_SHIPPED)] == []
    assert {name.split("/")[0].split("-")[0] for name in names} == {"bottega"}


def test_the_source_distribution_has_the_web_app_built(tmp_path: Path) -> None:
    """So that a wheel is made of it without Node."""
    with tarfile.open(built("sdist", tmp_path)) as sources:
        names = {name.partition("/")[2] for name in sources.getnames()}
    assert {"src/bottega/server/static/index.html", "web/package.json", "constraints.txt"} <= names
    assert shipped("web") <= names
    assert [name for name in names if any(part in name for part in NOT_SHIPPED)] == []
    assert [name for name in names if name.startswith("tests/")] == []


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A checkout without the web app, neither built nor in sources."""
    folder = tmp_path / "checkout"
    (folder / "src" / "bottega").mkdir(parents=True)
    for name in ("examples", "integrations/claude-code"):
        (folder / name).mkdir(parents=True)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copy(ROOT / "src" / "bottega" / "__init__.py", folder / "src" / "bottega")
    return folder


@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_nothing_is_packaged_without_the_web_app(bare: Path, target: str, tmp_path: Path) -> None:
    ran = build(bare, target, tmp_path / "dist")
    assert ran.returncode != 0
    assert "neither a built web app" in ran.stderr
    assert "BOTTEGA_SKIP_WEB=1" in ran.stderr
    assert list((tmp_path / "dist").glob("*")) == []


def test_a_wheel_without_the_web_app_is_made_only_when_asked_for_and_says_so(
    bare: Path, tmp_path: Path
) -> None:
    ran = build(bare, "wheel", tmp_path / "dist", BOTTEGA_SKIP_WEB="1")
    assert ran.returncode == 0, ran.stderr
    assert "this package has no web app" in ran.stdout + ran.stderr
    assert len(list((tmp_path / "dist").glob("*.whl"))) == 1
