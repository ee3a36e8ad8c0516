"""What lies in a project without being of it: dependencies, build output, caches, editors' litter.

The tree does not show it, the watcher does not report it.
"""

#: Our own half-written files. A killed process may leave one behind; nobody should see it.
TEMPORARY_PREFIX = ".bottega-"

_DIRECTORIES = {
    "FR-034": "node_modules .git dist build coverage .next .cache",
    "python": "__pycache__ .venv venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .tox .nox "
    ".eggs htmlcov .ipynb_checkpoints",
    "javascript": ".turbo .parcel-cache .svelte-kit .nuxt .nyc_output",
    "others": ".gradle .terraform .hg .svn",
}

NOISE_DIRECTORIES = frozenset(name for names in _DIRECTORIES.values() for name in names.split())

#: What editors and desktops leave. Between slashes, so that one search finds it among many names.
_FILE_MARKS = (
    f"/{TEMPORARY_PREFIX}",
    "/.#",  # Emacs' locks
    "/4913/",  # Vim trying whether it may write
    "/.DS_Store/",
    "/Thumbs.db/",
    "~/",
    ".swp/",
    ".swo/",
    ".swx/",
    ".pyc/",
    ".pyo/",
    "___jb_tmp___/",
    "___jb_old___/",
)


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
