"""A shell for one command: without a network, without privileges and without our environment.

Nothing of ours but its standard input, which is empty, reaches it: no keys, no home. It can read
what the server's user can read, and works for a short while. Where the machine cannot cut its
network off, nothing is run.
"""

import json
import os
import sys
from pathlib import Path

from bottega.core import programs
from bottega.core.programs import Finished
from bottega.errors import RequestTimeout, Unavailable

SECONDS = 30.0
MOST_OUTPUT = 64 * 1024
CPU_SECONDS, MEMORY_BYTES, FILE_BYTES = 20, 1024**3, 64 * 1024**2

#: By these two, a shell that could not be confined is told from a command that failed.
NOT_CONFINED, NOT_CONFINED_WORDS = 70, "not confined: "

_SOURCE = Path(__file__).parents[3]
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from bottega.assistant.tools.shell import become_shell; become_shell(sys.argv[2])"
)


async def run_shell(command: str, folder: Path, *, seconds: float = SECONDS) -> Finished:
    if sys.platform != "linux":
        raise Unavailable(
            f"The command was not run: a network can be cut off on Linux only, and this is "
            f"{sys.platform}."
        )
    order = json.dumps({"command": command, "parent": os.getpid()})
    try:
        done = await programs.run(
            [sys.executable, "-I", "-c", _BOOT, str(_SOURCE), order],
            folder,
            seconds,
            max_output=MOST_OUTPUT,
            environment={
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "LANG": "C.UTF-8",
                "HOME": str(folder),
            },
        )
    except TimeoutError:
        raise RequestTimeout(f"The command took longer than {seconds:g} seconds.") from None
    if done.code == NOT_CONFINED and done.errors.startswith(NOT_CONFINED_WORDS):
        reason = done.errors.removeprefix(NOT_CONFINED_WORDS).strip()
        raise Unavailable(f"The command was not run: its shell could not be confined ({reason}).")
    return done


def become_shell(order_json: str) -> None:
    """In a process of its own, which is the shell from then on."""
    from bottega.core.isolation.measures import (
        die_with,
        drop_privileges,
        enter_namespaces,
        limit_resources,
    )

    order = json.loads(order_json)
    try:
        enter_namespaces()
        limit_resources(CPU_SECONDS, MEMORY_BYTES, FILE_BYTES)
        die_with(order["parent"])
        drop_privileges()
    except OSError as error:
        sys.stderr.write(f"{NOT_CONFINED_WORDS}{error}")
        sys.exit(NOT_CONFINED)
    os.execv("/bin/bash", ["bash", "--noprofile", "--norc", "-c", order["command"]])  # noqa: S606
