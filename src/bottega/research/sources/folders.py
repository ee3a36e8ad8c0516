"""Finding sources: shipped with the house, a person's own, a project's; the later wins.

A source's `config.json` is checked, with the line and column of what is wrong. Unlike other
documents it may hold a secret in the wrong place, so no message repeats a value.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bottega.core.definitions import DocumentError, Problem
from bottega.core.definitions.document import check
from bottega.core.definitions.folders import (
    DefinitionFolder,
    DefinitionFolders,
    FoundFolder,
    Origin,
    Trusts,
    standard_places,
    trust_nothing,
)
from bottega.core.definitions.json_document import read_json
from bottega.core.definitions.problems import place as position
from bottega.errors import BottegaError
from bottega.research.sources.definition import (
    SLUG,
    AnyConfig,
    HttpConfig,
    McpSource,
    StdioConfig,
)

_MODELS: Mapping[str, type[AnyConfig]] = {"stdio": StdioConfig, "http": HttpConfig}
FILE = "config.json"
MOST_BYTES = 256 * 1024
MOST_GUIDE = 20_000
#: Where a file's name may end in a script, an option or a list of folders.
NAME_ENDS = re.compile(r"[\s;|&<>()'\"`=,:]+")
#: Programs that run what lies in a folder that they are given.
RUNNER = re.compile(
    r"(?:^|[/{])(?:python[\d.]*\}?|node|deno|bun|ruby|perl|php|lua|java|g?make|ninja|just|git|env|xargs"
    r"|find|\w*sh|cargo|go|npm|npx|pnpm|yarn|uvx?|pipx|poetry|tox|nox)$"
)
MOST_NAME = 4_096
#: By which a shell, or a program in an argument, finds files under other names.
SHELL_SYNTAX = re.compile(r"[$`*?;&|<>(){}\[\]\\'\"~\n]|\bcd\b")
PLACEHOLDER = re.compile(r"\{(?:folder|project|python|data)\}")
#: Folders of a project that no room can write to.
NOT_LOADED = {".git", ".venv", "node_modules", "__pycache__"}


def parse_config(text: str, path: str | Path) -> AnyConfig:
    """Raises `DocumentError` with every problem found."""
    data, positions = read_json(text, path)
    model = _MODELS.get(str(data.get("type")))
    if model is None:
        at = position(positions, ("type",))
        raise DocumentError(path, Problem(*at, "'type' says how it is reached: 'stdio' or 'http'"))
    return check(data, positions, path, model, is_secret=True)


SHIPPED = Path(__file__).parents[1] / "shipped" / "sources"


@dataclass(frozen=True, slots=True)
class BrokenSource:
    """A configuration that cannot be used. It stays broken: what it would replace is not used."""

    slug: str
    origin: Origin
    folder: Path
    error: DocumentError


@dataclass(frozen=True, slots=True)
class SourceFolders:
    places: Sequence[tuple[Origin, Path]]
    trusts: Trusts = trust_nothing

    @property
    def _folders(self) -> DefinitionFolders:
        return DefinitionFolders("source", self.places, FILE, SLUG, self.trusts)

    def find_all(self) -> dict[str, McpSource | BrokenSource]:
        """By slug, in order. Blocking."""
        return {found.name: _load(found) for found in self._folders.find_all().values()}

    def find(self, slug: str) -> McpSource:
        """Blocking."""
        found = self.look_up(slug)
        if isinstance(found, BrokenSource):
            raise found.error
        return found

    def look_up(self, slug: str) -> McpSource | BrokenSource:
        """Blocking."""
        return _load(self._folders.find(slug))


def source_folders(
    data_dir: Path, project: Path | None, trusts: Trusts = trust_nothing
) -> SourceFolders:
    return SourceFolders(standard_places("sources", SHIPPED, data_dir, project), trusts)


def load_source(folder: Path, origin: Origin = Origin.OWN) -> McpSource:
    """Raises `DocumentError` with every problem and its place. Blocking."""
    path = folder / FILE
    files = DefinitionFolder(folder, most_bytes=MOST_BYTES)
    try:
        text = files.read_definition(FILE)
    except DocumentError as error:
        raise DocumentError(path, *error.problems) from None
    config = parse_config(text, path)
    return McpSource(folder.name, config, folder, origin, _guide(files))


def involved_files(folder: Path) -> Iterator[Path]:
    """What a program is told of by name elsewhere in its project, and would run or load: files with
    what lies beside and below them, folders of its environment. Blocking."""
    try:
        config = parse_config(DefinitionFolder(folder).read_definition(FILE), folder / FILE)
    except DocumentError:
        return
    if not isinstance(config, StdioConfig):
        return
    project = folder.parents[2].resolve()
    places = {"{folder}": str(folder), "{project}": str(project)}
    cwd = (folder / _filled(places, config.cwd or ".")).resolve()
    said = [config.command, *config.args]
    if any(SHELL_SYNTAX.search(PLACEHOLDER.sub("", text)) for text in said):
        # What a shell makes of it cannot be known: it may be any file.
        yield from sorted(_files_below(project, only_direct=False))
        return
    # All of the project as a whole argument is what the program works on, unless it is one that
    # runs what it is given first: `make -C {project}`, `python {project}`.
    first = next((text for text in config.args if not text.startswith("-")), None)
    is_run = first == "{project}" and RUNNER.search(config.command)
    works_on = None if is_run else "{project}"
    arguments = _named(places, cwd, *(text for text in said if text != works_on))
    involved = {path.parent if path.is_file() else path for path in arguments}
    involved |= {
        path.parent if path.is_file() else path
        for path in _named(places, cwd, *config.env.values())
    }
    involved |= {cwd} if config.cwd else set()
    files = {
        file.resolve()
        for path in involved
        if path.is_relative_to(project) and not path.is_relative_to(folder)
        for file in _files_below(path, only_direct=path == project != cwd and path not in arguments)
    }
    yield from sorted(file for file in files if file.is_relative_to(project))


def _filled(places: Mapping[str, str], text: str) -> str:
    for name, place in places.items():
        text = text.replace(name, place)
    return text


def _named(places: Mapping[str, str], cwd: Path, *texts: str) -> set[Path]:
    """Whatever could be a path in them: whole, or a word of a script, an option or a list."""
    found: set[Path] = set()
    for text in (_filled(places, each) for each in texts):
        # `-C/folder` and `-I/folder` have no end between option and name.
        parts = (text, text[text.find("/") :], *NAME_ENDS.split(text))
        words = [word for word in parts if 0 < len(word) <= MOST_NAME]
        found |= {(cwd / word).resolve() for word in words}
    return found


def _files_below(folder: Path, *, only_direct: bool) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [] if only_direct else [each for each in folders if each not in NOT_LOADED]
        yield from (Path(place, name) for name in names if Path(place, name).is_file())


def _load(found: FoundFolder) -> McpSource | BrokenSource:
    try:
        loaded = load_source(found.folder, found.origin)
        return replace(loaded, is_trusted=found.is_trusted)
    except DocumentError as error:
        return BrokenSource(found.name, found.origin, found.folder, error)


def _guide(files: DefinitionFolder) -> str:
    try:
        return (files.read_if_there("guide.md") or "")[:MOST_GUIDE]
    except BottegaError:
        return ""
