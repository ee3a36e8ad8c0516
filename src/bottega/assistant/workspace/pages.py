"""The files of a workspace as they are now, read only as far as somebody asks. Blocks."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from bottega.assistant.plugins.folder import MarkdownFolder
from bottega.assistant.workspace.topics import Facts, facts_of
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError

#: A file of more characters than this, such as an imported specification, is known by its headings.
LONGEST_WHOLE = 40_000


class Pages:
    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @cached_property
    def paths(self) -> Sequence[str]:
        return MarkdownFolder(self._sandbox.root).walk(".")

    def text(self, path: str) -> str:
        """Empty for what is no text, too large, or gone since the paths were read."""
        return _text(self._sandbox, path)

    def facts(self, path: str) -> Facts:
        try:
            status = (self._sandbox.root / path).stat(follow_symlinks=False)
        except OSError:
            return facts_of(path, "")
        return _facts(self._sandbox.root, path, status.st_mtime_ns, status.st_size)


def lines_of(text: str) -> list[str]:
    """As editors count them, so that `L12` is the same line for everybody."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def headings(text: str) -> list[str]:
    """Each with its line: `L12: ## Progression`."""
    lines = enumerate(lines_of(text), 1)
    return [f"L{number}: {line}" for number, line in lines if line.startswith("#")]


@lru_cache(maxsize=256)
def _facts(root: Path, path: str, changed_at: int, size: int) -> Facts:
    """Remembered until the file changes, which `changed_at` and `size` tell: every turn asks."""
    text = _text(Sandbox(root), path)
    return facts_of(path, text if len(text) <= LONGEST_WHOLE else "\n".join(headings(text)))


def _text(sandbox: Sandbox, path: str) -> str:
    try:
        return sandbox.read_text_now(path).content
    except BottegaError:
        return ""
