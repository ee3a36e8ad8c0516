"""The layout of the house, held by tests: who may import whom, and how big a piece may be."""

import ast
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "bottega"

ROOMS = ("coach", "board", "library", "research", "assistant", "journal")

#: Inside each room: every domain with the domains that it imports.
ARROWS = tomllib.loads((Path(__file__).parent / "arrows.toml").read_text())

#: Each part with the parts it may import. Rooms reach each other only through `service`.
MAY_IMPORT = {
    "errors": set(),
    "config_file": {"errors"},
    "settings": {"config_file", "errors"},
    "core": {"core", "errors"},
    "memory": {"memory", "core", "errors"},
    "conversation": {"conversation", "core", "errors"},
    **{room: {room, "conversation", "memory", "core", "errors"} for room in ROOMS},
    "app": {"core", "memory", *ROOMS, "errors", "settings"},
    "server": {"server", "app", "core", "errors", "settings"},
    "cli": {"cli", "server", "app", "core", "errors", "settings", "config_file"},
}

MOST_FILES_IN_A_FOLDER = 25
MOST_LINES = 110_400


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imports(path: Path, *, at_run_time: bool = False) -> Iterator[tuple[str, int]]:
    """Every `bottega.*` module that a file imports, wherever in the file, with the line."""
    tree = tree_of(path)
    skipped = {
        id(node)
        for block in ast.walk(tree)
        if at_run_time and isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            pytest.fail(f"{path}:{node.lineno} imports relatively: name the module in full")
        else:
            continue
        yield from ((name, node.lineno) for name in found if name.startswith("bottega."))


def part(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def is_allowed(importer: str, module: str) -> bool:
    words = module.split(".")
    imported = words[1]
    if imported.startswith("_") or imported in MAY_IMPORT.get(importer, set()):
        return True
    return importer in ROOMS and imported in ROOMS and words[2:3] == ["service"]


@cache
def sources() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@cache
def arrows() -> dict[str, set[str]]:
    """Each folder with the folders that its files import, those above and below it left out."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sources():
        folder = path.parent.relative_to(SOURCE).as_posix()
        for module, _ in imports(path, at_run_time=True):
            target = folder_of(module)
            if target is not None and not is_nested(folder, target):
                found[folder].add(target)
    return dict(found)


def folder_of(module: str) -> str | None:
    """The folder of an imported module, or of the module that a name is imported from."""
    place = SOURCE.joinpath(*module.split(".")[1:])
    for each in (place, place.parent):
        if each.with_suffix(".py").is_file():
            return each.parent.relative_to(SOURCE).as_posix()
        if each.is_dir():
            return each.relative_to(SOURCE).as_posix()
    return None


def is_nested(one: str, other: str) -> bool:
    return "." in (one, other) or (
        f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")
    )


def reached_from(folder: str) -> set[str]:
    reached: set[str] = set()
    todo = [folder]
    while todo:
        for target in arrows().get(todo.pop(), set()) - reached:
            reached.add(target)
            todo.append(target)
    return reached


def test_imports_go_one_way() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} imports {module}"
        for path in sources()
        if path.name not in ("__init__.py", "__main__.py") or part(path) in MAY_IMPORT
        for module, line in imports(path)
        if not is_allowed(part(path), module)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_folders_import_each_other_in_a_circle() -> None:
    """A domain can then be read before those that stand on it."""
    circular = [folder for folder in sorted(arrows()) if folder in reached_from(folder)]
    assert not circular, "\n".join(circular)


@pytest.mark.parametrize("room", sorted(ARROWS))
def test_the_domains_of_a_room_import_those_they_are_known_to(room: str) -> None:
    assert {domain: sorted(found) for domain, found in domains_of(room).items()} == ARROWS[room]


def domains_of(room: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sources():
        parts = path.relative_to(SOURCE).parts
        if parts[0] != room or len(parts) < 3:
            continue
        imported = found.setdefault(parts[1], set())
        for module, _ in imports(path, at_run_time=True):
            target = (folder_of(module) or "").split("/")
            if target[0] == room and target[1:2] != [parts[1]]:
                imported.add(target[1] if len(target) > 1 else ".")
    return found


def test_a_folder_is_small_enough_to_hold_in_the_head() -> None:
    sizes = Counter(path.parent.relative_to(SOURCE).as_posix() for path in sources())
    large = {folder: size for folder, size in sizes.items() if size > MOST_FILES_IN_A_FOLDER}
    assert not large


def test_the_house_does_not_outgrow_its_plot() -> None:
    assert sum(path.read_text().count("\n") for path in sources()) <= MOST_LINES


def test_only_the_composition_root_reads_the_environment() -> None:
    """Settings reach everything else as plain values."""
    readers = {"__init__.py", "settings.py", "app.py"}
    # It hands the environment on to other programs, and reads nothing in it.
    hands_on = SOURCE / "core" / "programs.py"
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in sources()
        if path.relative_to(SOURCE).parts[0] not in (*readers, "cli") and path != hands_on
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
        and node.attr in ("environ", "getenv")
    ]
    assert not wrong, "\n".join(wrong)


def test_no_file_is_named_for_nothing() -> None:
    vague = {"utils.py", "helpers.py", "common.py", "manager.py", "misc.py"}
    assert not [path for path in sources() if path.name in vague]
