"""Folders of definitions: agents, skills, sources, plugins, each a folder named after what it
defines. They are found shipped with the package, among a person's own, and in a project; a later
one stands in for an earlier of the same name, as a whole. One of a project's stands in for nothing,
and is found only to be listed, until its owner has trusted it (`core/trust/project.py`).

Their files are read through a sandbox: a project's are a stranger's, and a link in them may lead
anywhere. All of it blocks: call it from a thread.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from bottega.core.definitions.document import Document, parse_document
from bottega.core.definitions.problems import DocumentError, Problem
from bottega.core.files.encoding import Encoding
from bottega.core.files.listing import list_directory
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError, InvalidInput, NotFound, TooLarge

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
#: More than anybody writes by hand.
MOST_BYTES = 512 * 1024
MOST_FILES = 500
DEEPEST = 4

Meta = TypeVar("Meta", bound=BaseModel)

#: Whether a person has trusted a folder of a project's as it is.
Trusts = Callable[[Path], bool]


def trust_nothing(_folder: Path) -> bool:
    return False


class Origin(StrEnum):
    SHIPPED = "shipped"
    #: In the data directory.
    OWN = "own"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class FoundFolder:
    name: str
    origin: Origin
    folder: Path
    #: Nothing is taken from one that is not: it is there to be listed.
    is_trusted: bool = True

    @property
    def distrust(self) -> str:
        """Why it cannot be used; empty if it can."""
        key = f"{self.folder.parent.name}/{self.name}"
        return "" if self.is_trusted else NOT_TRUSTED.format(key=key)


NOT_TRUSTED = (
    "it came with the project, and the owner of this server has not trusted it as it is now: look "
    "at it with `bottega trust diff {key}`, then `bottega trust add {key}`"
)


@dataclass(frozen=True, slots=True)
class DefinitionFolders:
    #: What they define, as messages call it: `agent`.
    kind: str
    #: What counts least first.
    places: Sequence[tuple[Origin, Path]]
    #: The file without which a folder defines nothing; `None` for any folder.
    file: str | None = None
    names: re.Pattern[str] = NAME
    #: Asked of a project's.
    trusts: Trusts = trust_nothing

    def find_all(self) -> dict[str, FoundFolder]:
        """Every definition by its name, in order."""
        found: dict[str, FoundFolder] = {}
        for origin, place in self.places:
            for folder in self._folders(place):
                is_trusted = origin is not Origin.PROJECT or self.trusts(folder)
                if is_trusted or folder.name not in found:
                    found[folder.name] = FoundFolder(folder.name, origin, folder, is_trusted)
        return dict(sorted(found.items()))

    def find(self, name: str) -> FoundFolder:
        """Raises `NotFound`, which says which there are."""
        found = self.find_all()
        if name not in found:
            there_are = ", ".join(found) or "none"
            raise NotFound(
                f"There is no {self.kind} {name[:64]!r}. There are: {there_are}.",
                valid_options=list(found),
            )
        return found[name]

    def _folders(self, place: Path) -> list[Path]:
        try:
            entries = sorted(place.iterdir())
        except OSError:
            return []
        named = [entry for entry in entries if self.names.fullmatch(entry.name)]
        return [entry for entry in named if self._defines(entry)][:MOST_FILES]

    def _defines(self, folder: Path) -> bool:
        return folder.is_dir() and (self.file is None or (folder / self.file).is_file())


def standard_places(
    plural: str, shipped: Path, data_dir: Path, project: Path | None
) -> list[tuple[Origin, Path]]:
    """Shipped, `{DATA_DIR}/{plural}` and `{project}/.bottega/{plural}`."""
    places = [(Origin.SHIPPED, shipped), (Origin.OWN, data_dir / plural)]
    if project is not None:
        places.append((Origin.PROJECT, project / ".bottega" / plural))
    return places


@dataclass(frozen=True, slots=True)
class DefinitionFile(Generic[Meta]):
    """One file that defines something, as far as it could be read."""

    #: Of what it defines: `planner`.
    name: str
    #: Relative to the folder: `agents/planner.md`.
    path: str
    document: Document[Meta] | None
    problems: Sequence[Problem] = ()


class DefinitionFolder:
    """The files of one definition. Names that begin with a dot are left out."""

    def __init__(self, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
        self._sandbox = Sandbox(folder, max_file_bytes=most_bytes)

    def read(self, path: str) -> str:
        """A file's text; `BottegaError` says why not."""
        content = self._sandbox.read_text_now(path)
        if content.binary or content.encoding is not Encoding.UTF_8:
            raise InvalidInput(f"{path!r} is not UTF-8 text.")
        return content.content

    def read_definition(self, path: str) -> str:
        """A file's text; `DocumentError`, at its first line, says why not."""
        try:
            return self.read(path).removeprefix("\ufeff")
        except NotFound:
            message = "the file is missing"
        except TooLarge:
            message = f"it is larger than {self._sandbox.max_file_bytes // 1024} KB"
        except BottegaError as error:
            message = error.message
        raise DocumentError(path, Problem(1, 1, message))

    def read_if_there(self, path: str) -> str | None:
        try:
            return self.read(path)
        except NotFound:
            return None

    def define(self, name: str, path: str, model: type[Meta]) -> DefinitionFile[Meta]:
        """What a file defines, or everything that is wrong with it."""
        try:
            return DefinitionFile(name, path, _parse(self.read(path), path, model))
        except DocumentError as error:
            return DefinitionFile(name, path, None, error.problems)
        except BottegaError as error:
            return DefinitionFile(name, path, None, [Problem(1, 1, error.message)])

    def names(self, folder: str, suffix: str) -> list[str]:
        """Names of the files in a folder, without the suffix that they all have."""
        files = self._listing(folder)[1]
        return [name.removesuffix(suffix) for name in files if name.endswith(suffix)][:MOST_FILES]

    def folders(self, folder: str) -> list[str]:
        return self._listing(folder)[0][:MOST_FILES]

    def walk(self, folder: str = "") -> list[str]:
        """Every file below a folder, by its path from there."""
        return sorted(self._walk(folder, "", DEEPEST))[:MOST_FILES]

    def _walk(self, folder: str, below: str, deeper: int) -> Iterator[str]:
        folders, files = self._listing(f"./{folder}/{below}")
        yield from (below + name for name in files)
        for name in folders if deeper else ():
            yield from self._walk(folder, f"{below}{name}/", deeper - 1)

    def _listing(self, folder: str) -> tuple[list[str], list[str]]:
        try:
            found = list_directory(self._sandbox.root, self._sandbox.relative(folder))
        except (OSError, BottegaError):
            # Not there, or a link that leads out: neither is a part of the definition.
            return [], []
        # A linked folder could lead round in circles, and nobody needs one here.
        folders = [name for name in found.directories if name not in found.links]
        return _visible(folders), _visible(found.files)


def _visible(names: list[str]) -> list[str]:
    return [name for name in names if not name.startswith(".")]


@lru_cache(maxsize=512)
def _parse(text: str, path: str, model: type[BaseModel]) -> Document[Any]:
    """YAML takes a millisecond a file, and definitions are loaded anew whenever they are used."""
    return parse_document(text, path, model)
