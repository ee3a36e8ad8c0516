"""Which parts of a workspace belong in a prompt.

Who the person is and how they work is always included; the class and the curriculum that the
request is about are included whole; everything else is only named, and an agent reads it when it
needs it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

from bottega.assistant.plugins.reader import workspace_path
from bottega.assistant.workspace.texts import FileFacts, classes_in, facts_of, nearest
from bottega.core.definitions.folders import DefinitionFolder
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError

#: A file of more characters than this, such as an imported specification, is known by its headings.
LONGEST_WHOLE = 40_000
SOUL = "soul.md"
#: Loaded without being asked for, where they are.
ALWAYS = ("teacher.md", "pedagogy.md")
CLASSES = "classes"
#: What can be loaded; an original PDF beside them is only named.
TEXTS = (".md", ".txt")
MOST_HEADINGS = 120
MOST_NAMED = 100


class Pages:
    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @cached_property
    def paths(self) -> Sequence[str]:
        return DefinitionFolder(self._sandbox.root).walk(".")

    def text(self, path: str) -> str:
        """Empty for what is no text, too large, or gone since the paths were read."""
        return _text(self._sandbox, path)

    def facts(self, path: str) -> FileFacts:
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
def _facts(root: Path, path: str, changed_at: int, size: int) -> FileFacts:
    """Remembered until the file changes, which `changed_at` and `size` tell: every turn asks."""
    text = _text(Sandbox(root), path)
    return facts_of(path, text if len(text) <= LONGEST_WHOLE else "\n".join(headings(text)))


def _text(sandbox: Sandbox, path: str) -> str:
    try:
        return sandbox.read_text_now(path).content
    except BottegaError:
        return ""


@dataclass(frozen=True, slots=True)
class ShownFile:
    path: str
    text: str
    #: About the request's subject: its lines are numbered, so that they can be cited.
    is_numbered: bool = False


@dataclass(frozen=True, slots=True)
class NamedFile:
    path: str
    title: str


@dataclass(frozen=True, slots=True)
class WorkspaceView:
    #: Who the assistant is; empty if the person has no `soul.md`.
    soul: str = ""
    files: Sequence[ShownFile] = ()
    others: Sequence[NamedFile] = ()
    #: Those that the request names, the first one first.
    class_ids: Sequence[str] = ()
    #: Files that the agent lists and that are not there.
    missing: Sequence[str] = ()

    @property
    def class_id(self) -> str | None:
        return self.class_ids[0] if self.class_ids else None

    def without(self, paths: Collection[str]) -> "WorkspaceView":
        """As if these files were not there."""
        return replace(
            self,
            soul="" if SOUL in paths else self.soul,
            files=[file for file in self.files if file.path not in paths],
            others=[file for file in self.others if file.path not in paths],
        )


def view(
    pages: Pages,
    request: str,
    listed: Sequence[str] = (),
    topic_folders: Collection[str] = (),
    class_id: str | None = None,
) -> WorkspaceView:
    """From `topic_folders` come files by what they are about. A `class_id` that is known already
    goes before those that the request names."""
    listed = [workspace_path(path) for path in listed]
    present = set(pages.paths)
    folders = {*topic_folders, *listed} - present
    topics = [
        path
        for path in pages.paths
        if path.endswith(TEXTS) and any(path.startswith(f"{each}/") for each in folders)
    ]
    class_ids = _classes(topics, request, class_id)
    meant = [class_id] if class_id else class_ids
    profiles = [path for each in meant if (path := f"{CLASSES}/{each}.md") in present]
    subjects = {path: pages.facts(path) for path in topics if not path.startswith(f"{CLASSES}/")}
    about = nearest(request, subjects, [pages.text(path) for path in profiles])
    always = [path for path in dict.fromkeys((*ALWAYS, *listed)) if path in present - {SOUL}]
    chosen = [path for path in (*profiles, *about) if path not in always]
    loaded = {SOUL, *always, *chosen}
    return WorkspaceView(
        soul=pages.text(SOUL) if SOUL in present else "",
        files=[
            _show(path, pages.text(path), is_numbered=path in about) for path in (*always, *chosen)
        ],
        others=[
            NamedFile(path, pages.facts(path).title if path in topics else "")
            for path in pages.paths
            if path not in loaded
        ][:MOST_NAMED],
        class_ids=class_ids,
        missing=[each for each in listed if not _is_there(each, pages.paths)],
    )


def _classes(paths: Sequence[str], request: str, class_id: str | None) -> list[str]:
    ids = [
        path.removeprefix(f"{CLASSES}/").removesuffix(".md")
        for path in paths
        if path.startswith(f"{CLASSES}/") and path.endswith(".md")
    ]
    named = classes_in(request, ids)
    return list(dict.fromkeys([class_id, *named])) if class_id else named


def _is_there(path: str, paths: Sequence[str]) -> bool:
    return any(each == path or each.startswith(f"{path}/") for each in paths)


def _show(path: str, text: str, *, is_numbered: bool) -> ShownFile:
    if len(text) <= LONGEST_WHOLE:
        return ShownFile(path, text, is_numbered)
    outline = "\n".join(headings(text)[:MOST_HEADINGS])
    return ShownFile(path, f"(too long to stand here; its headings, by line)\n{outline}")
