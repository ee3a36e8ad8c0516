"""The documentation keeps up with the code."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]]+\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)")


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def generated() -> dict[str, str]:
    files: dict[str, str] = loaded("generate").files()
    return files


def test_everything_that_can_be_set_typed_called_or_heard_is_documented() -> None:
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


@pytest.mark.parametrize(
    "page",
    [
        '<link rel="stylesheet" href="https://fonts.example/css?family=Roboto">',
        "<link href=//fonts.example/css rel=preconnect>",
        '<script src="https://cdn.example/mermaid.js"></script>',
        '<img src="http://pictures.example/one.png">',
        "@import 'https://fonts.example/css';",
        "body { background: url(https://pictures.example/two.png) }",
    ],
)
def test_a_page_that_loads_something_from_elsewhere_ends_the_build(page: str) -> None:
    assert len(list(loaded("site").foreign_addresses(page))) == 1


def test_a_page_may_link_to_another_host() -> None:
    page = '<a href="https://semver.org">versions</a><script src="assets/bundle.js"></script>'
    assert not list(loaded("site").foreign_addresses(page))


def test_every_page_has_its_place_on_the_site() -> None:
    """Or nobody would find it."""
    placed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert not pages - placed, "put these into the `nav` of mkdocs.yml"
