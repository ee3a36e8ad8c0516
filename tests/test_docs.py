"""The documentation keeps up with the code."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]]+\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)")


def generated() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    files: dict[str, str] = module.files()
    return files


def test_every_setting_command_tool_route_and_error_is_documented() -> None:
    """The reference is generated; a file behind the code means `make docs` was not run."""
    for name, text in generated().items():
        written = ROOT / name
        assert written.exists(), f"run `make docs`: {name} is missing"
        assert written.read_text() == text, f"run `make docs`: {name} is behind the code"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = [
        target for target in LINK.findall(page.read_text()) if not (page.parent / target).exists()
    ]
    assert not broken
