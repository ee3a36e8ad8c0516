"""The house's layout, held by tests: who may import whom."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "bottega"

ROOMS = ("coach", "board", "library", "research", "assistant", "journal")

#: Each part with the parts it may import. Rooms reach each other only through `service`.
MAY_IMPORT = {
    "errors": set(),
    "settings": {"errors"},
    "core": {"core", "errors"},
    "memory": {"memory", "core", "errors"},
    **{room: {room, "memory", "core", "errors"} for room in ROOMS},
    "app": {"core", "memory", *ROOMS, "errors", "settings"},
    "server": {"server", "app", "core", "errors", "settings"},
    "cli": {"cli", "server", "app", "core", "errors", "settings"},
}


def imports(path: Path) -> list[tuple[str, int]]:
    """Every `bottega.*` module that a file imports, wherever in the file, with the line."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found += [(f"{node.module}.{alias.name}", node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            pytest.fail(f"{path}:{node.lineno} imports relatively: name the module in full")
    return [(name, line) for name, line in found if name.startswith("bottega.")]


def part(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def is_allowed(importer: str, module: str) -> bool:
    words = module.split(".")
    imported = words[1]
    if imported.startswith("_") or imported in MAY_IMPORT.get(importer, set()):
        return True
    return importer in ROOMS and imported in ROOMS and words[2:3] == ["service"]


def test_imports_go_one_way() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} imports {module}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name not in ("__init__.py", "__main__.py") or part(path) in MAY_IMPORT
        for module, line in imports(path)
        if not is_allowed(part(path), module)
    ]
    assert not wrong, "\n".join(wrong)


def test_only_the_composition_root_reads_the_environment() -> None:
    """Settings reach everything else as plain values."""
    readers = {"__init__.py", "settings.py", "app.py"}
    # It hands the environment on to other programs, and reads nothing in it.
    hands_on = SOURCE / "core" / "programs.py"
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in (*readers, "cli") and path != hands_on
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
        and node.attr in ("environ", "getenv")
    ]
    assert not wrong, "\n".join(wrong)


def test_no_file_is_named_for_nothing() -> None:
    vague = {"utils.py", "helpers.py", "common.py", "manager.py", "misc.py"}
    assert not [path for path in SOURCE.rglob("*.py") if path.name in vague]
