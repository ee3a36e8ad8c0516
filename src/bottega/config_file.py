"""The person's own file of settings: `~/.config/bottega/config.toml`, a `name = value` a line.

It lies outside every project, so that nothing a project brings can configure Bottega. Names are
those of the environment variables, in either case. It may hold keys, so it is written for its owner
alone.
"""

import json
import os
import re
import secrets
import stat
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from bottega.errors import ConfigurationError

#: What a `.env` is searched for names; ours are at its head if they are there at all.
_LONGEST_DOTENV = 256 * 1024
_DOTENV_NAME = re.compile(r"^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=", re.MULTILINE)


def read_config(path: Path, known: Iterable[str]) -> dict[str, Any]:
    """The settings in the file by their lower-case names; none if there is no file.

    Raises `ConfigurationError`, with the file's name, for one that cannot be read or has a name
    that is not in `known`.
    """
    names = set(known)
    found: dict[str, Any] = {}
    for name, value in _parsed(path).items():
        lower = name.lower()
        if lower not in names:
            nearest = get_close_matches(lower, sorted(names), 1)
            hint = f" Did you mean {nearest[0].upper()}?" if nearest else ""
            raise ConfigurationError(f"{path}: there is no setting {name!r}.{hint}")
        if lower in found:
            raise ConfigurationError(f"{path}: {lower.upper()} is there twice.")
        found[lower] = value
    return found


def write_config(path: Path, settings: Mapping[str, Any]) -> None:
    """Make the file say these settings, and no others; comments and order are kept.

    Readable by its owner alone. Raises `ConfigurationError` if it cannot be written.
    """
    path = path.resolve()
    old = _parsed(path)
    text = path.read_text(encoding="utf-8") if old else ""
    lines = [line for line in text.rstrip("\n").split("\n") if not _is_other(line, old, settings)]
    kept = {name.lower() for name, value in old.items() if settings.get(name.lower()) == value}
    lines += [f"{name} = {_toml(value)}" for name, value in settings.items() if name not in kept]
    text = "\n".join(lines).lstrip("\n") + "\n"
    if not _says(text, settings):
        # A value over several lines was cut: then without the comments.
        text = "".join(f"{name} = {_toml(value)}\n" for name, value in settings.items())
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(file, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(file)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}.") from None


def is_open_to_others(path: Path) -> bool:
    """Whether other users of this machine may read or change the file."""
    with suppress(OSError):
        return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    return False


def names_in_dotenv(folder: Path, known: Iterable[str]) -> list[str]:
    """Which of our settings a folder's `.env` names, upper case: they are ignored."""
    file = folder / ".env"
    with suppress(OSError):
        if file.is_file():
            with file.open(encoding="utf-8", errors="replace") as stream:
                text = stream.read(_LONGEST_DOTENV)
            named = {name.lower() for name in _DOTENV_NAME.findall(text)}
            return [name.upper() for name in known if name in named]
    return []


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return _loads(path.read_text(encoding="utf-8"), path)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not UTF-8 text.") from None


def _loads(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: {error}.") from None


def _says(text: str, settings: Mapping[str, Any]) -> bool:
    with suppress(tomllib.TOMLDecodeError):
        return {name.lower(): value for name, value in tomllib.loads(text).items()} == settings
    return False


def _is_other(line: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a line sets something that will be said otherwise, or no longer."""
    found = re.match(r"""\s*["']?([A-Za-z_][A-Za-z0-9_]*)["']?\s*=""", line)
    if found is None:
        return False
    name = found[1].lower()
    before = {known.lower(): value for known, value in old.items()}
    return name in before and (name not in new or new[name] != before[name])


def _toml(value: Any) -> str:
    if isinstance(value, bool | int | float):
        return str(value).lower()
    # TOML's strings are JSON's, save for one character that must be written in full.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
