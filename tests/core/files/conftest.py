"""A project with something outside it that nobody may touch; and both ways of finding files."""

from pathlib import Path

import pytest

from bottega.core.files import lookup as beneath
from bottega.core.files.sandbox import Sandbox


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("SECRET")
    return outside


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture(params=["openat2", "walk"])
def sandbox(root: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Every promise holds with the kernel's help and, as on macOS, without it."""
    if request.param == "walk":
        monkeypatch.setattr(beneath, "open_in_kernel", lambda *_: None)
    return Sandbox(root)
