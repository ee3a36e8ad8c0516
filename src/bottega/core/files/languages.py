"""Which language a file is written in, and whether it is text at all, told by its name."""

import tomllib
from pathlib import Path, PurePosixPath

PLAINTEXT = "plaintext"

_TABLES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
_LANGUAGE_OF = {
    extension: language
    for language, extensions in _TABLES["extensions"].items()
    for extension in extensions.split()
}
_NAMES = _TABLES["names"]
_BINARY_EXTENSIONS = frozenset(" ".join(_TABLES["binary"].values()).split())


def language_of(path: str) -> str:
    """FR-024: the language id for a file's name; `plaintext` for one that nobody knows."""
    name = PurePosixPath(path).name.lower()
    if name in _NAMES:
        return _NAMES[name]
    if name.startswith(("dockerfile.", ".env.")):
        return "dockerfile" if name.startswith("d") else "dotenv"
    return _LANGUAGE_OF.get(_extension(name), PLAINTEXT)


def is_binary(path: str) -> bool:
    """FR-038: whether a file's extension says that it is no text."""
    return _extension(PurePosixPath(path).name.lower()) in _BINARY_EXTENSIONS


def _extension(name: str) -> str:
    return name.rpartition(".")[2] if "." in name.lstrip(".") else ""
