"""The project as a tree of names, without the noise (`noise.py`) and what is closed (`closed.py`).

Blocking: run it in a thread. Directories are read level by level, so that a project beyond the
limits still shows its upper levels whole.
"""

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NotRequired

import structlog
from typing_extensions import TypedDict  # pydantic reads no other before 3.12

from bottega.core.files.closed import CLOSED, ClosedPaths
from bottega.core.files.listing import Listing, list_directory, without
from bottega.core.files.noise import NOISE_DIRECTORIES, without_noise_files
from bottega.errors import BottegaError

log = structlog.get_logger()

MAX_ENTRIES = 200_000
#: JSON encoders give up on deep nesting, and each level of the tree is two of JSON.
MAX_LEVELS = 100


class TreeNode(TypedDict):
    """One file or directory, in the wire's own shape: a tree has tens of thousands of nodes, and
    objects that are turned into this later would cost more than reading the disk."""

    name: str
    #: Relative to the project, with `/`; the root's is empty.
    path: str
    type: Literal["file", "directory"]
    #: A file has none.
    children: NotRequired[list["TreeNode"]]


def scan_tree(root: Path, closed: ClosedPaths = CLOSED) -> TreeNode:
    """FR-033: directories first, then files, each by name. A link to a directory is shown, not
    entered; one that leads outside is not shown."""
    top: TreeNode = {"name": root.name, "path": "", "type": "directory", "children": []}
    nodes = {"": top}
    for listing in walk(root, closed=closed):
        prefix = f"{listing.path}/" if listing.path else ""
        children = nodes.pop(listing.path)["children"]
        for name in listing.directories:
            path = prefix + name
            node: TreeNode = {"name": name, "path": path, "type": "directory", "children": []}
            children.append(node)
            nodes[path] = node
        children += [
            {"name": name, "path": prefix + name, "type": "file"} for name in listing.files
        ]
    return top


def file_paths(root: TreeNode) -> Iterator[str]:
    """The upper levels first, so that a list cut short still shows the project's shape."""
    level = [root]
    while level:
        yield from (node["path"] for node in level if node["type"] == "file")
        level = [child for node in level for child in node.get("children", [])]


def walk(root: Path, start: str = "", *, closed: ClosedPaths = CLOSED) -> Iterator[Listing]:
    """Every directory from `start` down that is no noise, without the noise in it.

    One that cannot be read, or vanishes meanwhile, is passed over.
    """
    pending = deque([(start, 1)])
    entries = 0
    hidden = closed.hidden_now()
    while pending:
        path, level = pending.popleft()
        try:
            listing = list_directory(root, path, closed)
        except (OSError, BottegaError) as error:
            if not path:
                raise
            log.debug("directory passed over", path=path, reason=str(error))
            continue
        quiet = without(_without_noise(listing), hidden)
        yield quiet
        entries += len(quiet.directories) + len(quiet.files)
        if entries > MAX_ENTRIES:
            log.warning("project tree cut off", root=str(root), entries=entries, at=path)
            return
        if level < MAX_LEVELS:
            pending.extend(
                (quiet.path_of(name), level + 1)
                for name in quiet.directories
                if name not in quiet.links
            )


def _without_noise(listing: Listing) -> Listing:
    return Listing(
        listing.path,
        [name for name in listing.directories if name not in NOISE_DIRECTORIES],
        without_noise_files(listing.files),
        listing.links,
    )
