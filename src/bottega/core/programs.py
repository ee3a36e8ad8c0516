"""One run of another program: its output bounded, its time limited, nothing of it left behind."""

import asyncio
import errno
import os
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MAX_OUTPUT = 16 * 1024 * 1024
CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Finished:
    code: int
    output: bytes
    errors: str
    #: It wrote more than `max_output` and was stopped for it.
    flooded: bool = False


async def run(
    command: Sequence[str],
    cwd: Path,
    seconds: float,
    *,
    max_output: int = MAX_OUTPUT,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Raises `OSError` if it cannot be started and `TimeoutError` if it was too slow.

    Without an `environment` of its own it gets ours: a person's tools need to know their home.
    """
    process = await asyncio.create_subprocess_exec(
        located(command[0]),
        *command[1:],
        cwd=cwd,
        env=environment,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        # A group of its own, so that what it starts can be stopped with it.
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            output, errors = await asyncio.gather(
                _read(process, process.stdout, max_output),
                _read(process, process.stderr, max_output),
            )
            code = await process.wait()
    finally:
        if process.returncode is None:
            await _end(process)
    flooded = max(len(output), len(errors)) > max_output
    return Finished(code, output, errors.decode(errors="replace"), flooded)


def find_program(name: str) -> str | None:
    """Where a program is: an absolute path, or found by our PATH without its relative entries. Seen
    from a project's folder, `node_modules/.bin` or an empty one would be the project's own."""
    if Path(name).is_absolute():
        return shutil.which(name)
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    absolute = [entry for entry in entries if Path(entry).is_absolute()]
    return None if "/" in name else shutil.which(name, path=os.pathsep.join(absolute))


def located(program: str) -> str:
    if Path(program).is_absolute():
        return program
    found = find_program(program)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, "there is no such program", program)
    return found


def inherited(*, without: str, **more: str) -> dict[str, str]:
    """Our environment, less what begins with a prefix, plus some."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(without)}
    return ours | more


async def _read(process: Process, pipe: asyncio.StreamReader | None, limit: int) -> bytes:
    """Up to one byte more than the limit, which stops the program."""
    assert pipe is not None
    kept = bytearray()
    while chunk := await pipe.read(CHUNK):
        kept += chunk[: limit + 1 - len(kept)]
        if len(kept) > limit:
            _kill(process)
    return bytes(kept)


async def _end(process: Process) -> None:
    _kill(process)
    # asyncio reports an end only when the pipes are read empty.
    await asyncio.gather(_read(process, process.stdout, 0), _read(process, process.stderr, 0))
    await process.wait()


def _kill(process: Process) -> None:
    # It may be over already, which macOS calls a lack of permission.
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
