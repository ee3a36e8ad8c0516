"""What lies in a project without being of it: dependencies, build output, caches, editors' litter.

The tree does not show it, the watcher does not report it.
"""

import tomllib
from pathlib import Path

#: Our own half-written files. A killed process may leave one behind; nobody should see it.
TEMPORARY_PREFIX = ".bottega-"

_LISTS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
NOISE_DIRECTORIES = frozenset(" ".join(_LISTS["directories"].values()).split())
_FILE_MARKS = (f"/{TEMPORARY_PREFIX}", *" ".join(_LISTS["files"].values()).split())


def is_noise_file(name: str) -> bool:
    between = f"/{name}/"
    return any(mark in between for mark in _FILE_MARKS)


def without_noise_files(names: list[str]) -> list[str]:
    # Most directories have none: asking all names at once is what keeps the tree fast.
    return (
        [name for name in names if not is_noise_file(name)]
        if is_noise_file("/".join(names))
        else names
    )


def is_noise(path: str) -> bool:
    """Whether a relative path is noise itself, or lies in a directory that is."""
    *directories, name = path.split("/")
    return (
        not NOISE_DIRECTORIES.isdisjoint(directories)
        or name in NOISE_DIRECTORIES
        or is_noise_file(name)
    )
