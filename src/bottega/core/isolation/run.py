"""The door: run a Python program in isolation, or not at all."""

import asyncio
from pathlib import Path
from weakref import WeakKeyDictionary

from bottega.core.isolation.finished import Finished, Limits
from bottega.core.isolation.machine import Isolation, isolation
from bottega.core.isolation.process import run_process
from bottega.errors import Unavailable

#: Each may keep a core busy, and the server needs one too.
AT_ONCE = 2

_DEFAULTS = Limits()
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def run_isolated(
    program: Path,
    stdin: bytes = b"",
    limits: Limits = _DEFAULTS,
    *,
    machine: Isolation | None = None,
) -> Finished:
    """Runs the Python file; waits for its turn where others are running.

    `machine` is what the probe found, and is asked for if it is not given. Cancelling the caller
    kills the program.
    """
    machine = machine or await isolation()
    if not machine.available:
        raise Unavailable(
            f"{program.name} was not run: {machine.why}. Nothing is run here without isolation.",
            missing=list(machine.missing),
        )
    async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE)):
        return await run_process(program, stdin, limits)
