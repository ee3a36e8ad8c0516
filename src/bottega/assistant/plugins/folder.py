"""A folder of markdown on disk: which files it has, and what each of them says.

Names that begin with a dot are left out. Everything is read through a sandbox, because a project's
plugin is a stranger's: a link in it may lead anywhere. All of it blocks: call it from a thread.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from bottega.core.documents import Document, DocumentError, Problem, parse_document
from bottega.core.files.listing import list_directory
from bottega.core.files.sandbox import Sandbox
from bottega.core.files.text import Encoding
from bottega.errors import BottegaError, InvalidInput, NotFound

#: More than anybody writes by hand.
MOST_BYTES = 512 * 1024
MOST_FILES = 500
DEEPEST = 4

Meta = TypeVar("Meta", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class DefinitionFile(Generic[Meta]):
    """One file that defines something, as far as it could be read."""

    #: Of what it defines: `planner`.
    name: str
    #: Relative to the plugin's folder: `agents/planner.md`.
    path: str
    document: Document[Meta] | None
    problems: Sequence[Problem] = ()


class MarkdownFolder:
    def __init__(self, folder: Path) -> None:
        self._sandbox = Sandbox(folder, max_file_bytes=MOST_BYTES)

    def read(self, path: str) -> str:
        """A file's text; `BottegaError` says why not."""
        content = self._sandbox.read_text_now(path)
        if content.binary or content.encoding is not Encoding.UTF_8:
            raise InvalidInput(f"{path!r} is not UTF-8 text.")
        return content.content

    def read_if_there(self, path: str) -> str | None:
        try:
            return self.read(path)
        except NotFound:
            return None

    def define(self, name: str, path: str, model: type[Meta]) -> DefinitionFile[Meta]:
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

    def walk(self, folder: str) -> list[str]:
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
            # Not there, or a link that leads out: neither is a part of the plugin.
            return [], []
        # A linked folder could lead round in circles, and nobody needs one here.
        folders = [name for name in found.directories if name not in found.links]
        return _visible(folders), _visible(found.files)


def _visible(names: list[str]) -> list[str]:
    return [name for name in names if not name.startswith(".")]


@lru_cache(maxsize=512)
def _parse(text: str, path: str, model: type[BaseModel]) -> Document[Any]:
    """YAML takes a millisecond a file, and every turn loads its plugin anew."""
    return parse_document(text, path, model)
