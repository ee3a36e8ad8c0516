"""Claude Code's own `claude mcp`, for the file that it writes itself all the time.

A running Claude Code holds `~/.claude.json` and writes it back; its own command knows how to
change the file beside it. A project's `.mcp.json` is a file like any other and needs no program.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bottega.cli.mcp_clients.config_file import ConfigFile
from bottega.cli.mcp_clients.formats import NAME, Entry
from bottega.errors import Unavailable

SECONDS = 60
UPDATE = "npm install -g @anthropic-ai/claude-code"


def find() -> str | None:
    return shutil.which("claude")


def put(program: str, file: ConfigFile, entry: Entry) -> Path | None:
    """Returns the copy of the file that was made before, if there was one."""
    with _copied(file, entry) as copy:
        if file.entry() is not None:
            _run(program, "remove", "--scope", "user", NAME)
        headers = [f"--header={name}: {value}" for name, value in entry.get("headers", {}).items()]
        _run(program, "add", "--scope", "user", "--transport", "http", NAME, entry["url"], *headers)
        _require(file, entry)
    return copy


def take_out(program: str, file: ConfigFile, entry: Entry) -> Path | None:
    with _copied(file, entry) as copy:
        _run(program, "remove", "--scope", "user", NAME)
    return copy


@contextmanager
def _copied(file: ConfigFile, entry: Entry) -> Iterator[Path | None]:
    """With a copy, which is named if something failed half-way and goes if nothing was changed."""
    copy = file.copy(entry) if file.path.exists() else None
    try:
        yield copy
    except Unavailable as error:
        if copy is None:
            raise
        if copy.read_bytes() == file.path.read_bytes():
            copy.unlink()
            raise
        raise Unavailable(f"{error.message}\nThe file as it was before: {copy}") from None


def _require(file: ConfigFile, entry: Entry) -> None:
    if file.entry() != entry:
        raise Unavailable(
            f"Claude Code did not write the entry into {file.path}. This is what belongs there:\n"
            f"{file.format.snippet(entry)}"
        )


def _run(program: str, *arguments: str) -> None:
    try:
        ran = subprocess.run(  # noqa: S603
            [program, "mcp", *arguments],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{program} cannot be run: {error}. Update it with `{UPDATE}`.") from None
    if ran.returncode != 0:
        said = (ran.stderr or ran.stdout).strip() or f"exit code {ran.returncode}"
        raise Unavailable(
            f"`claude mcp {' '.join(arguments)}` failed: {said}\n"
            f"An old Claude Code knows no HTTP servers: update it with `{UPDATE}`, or use "
            "`--scope project`, which needs no program."
        )
