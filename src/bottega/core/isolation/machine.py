"""What this machine offers to isolate a program, found out by trying; and running one with it."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

import structlog

from bottega.core.isolation.launcher import NOT_ISOLATED, REQUIRED, Measure
from bottega.core.isolation.process import Finished, Limits, run_process
from bottega.errors import Unavailable

log = structlog.get_logger()

_SELFTEST = Path(__file__).with_name("selftest.py")
#: Each may keep a core busy, and the server needs one too.
AT_ONCE = 2

_DEFAULTS = Limits()
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Isolation:
    available: bool
    measures: tuple[str, ...]
    missing: tuple[str, ...]
    #: For a person: why nothing is run here. None if it is.
    why: str | None


_known: Isolation | None = None


async def isolation() -> Isolation:
    """Probes once; a machine does not change under a running server."""
    global _known
    if _known is None:
        _known = await probe()
        log.info("isolation.probed", available=_known.available, missing=_known.missing)
    return _known


async def probe(platform: str = sys.platform, without: Collection[Measure] = ()) -> Isolation:
    """Locks a program in that tries the walls. `without` plays a kernel that lacks something."""
    if platform != "linux":
        why = f"programs can be isolated on Linux only, and this is {platform}"
        return Isolation(False, (), tuple(Measure), why)
    with tempfile.NamedTemporaryFile(prefix="bottega-secret-") as secret:
        finished = await run_process(_SELFTEST, secret.name.encode(), Limits(), without)
    if finished.exit_code == NOT_ISOLATED:
        taken = json.loads(finished.stderr)
        lacking = [
            f"{name} ({taken['missing'][name]})" for name in taken["missing"] if name in REQUIRED
        ]
        why = f"this machine does not offer {', '.join(lacking)}"
        return Isolation(False, tuple(taken["measures"]), tuple(taken["missing"]), why)
    if finished.exit_code != 0 or finished.stderr:
        return Isolation(
            False, (), tuple(Measure), f"the self-test failed: {_last_words(finished)}"
        )
    taken = json.loads(finished.stdout)
    return Isolation(True, tuple(taken["measures"]), tuple(taken["missing"]), None)


def _last_words(finished: Finished) -> str:
    words = finished.stderr.decode(errors="replace").strip().splitlines()
    return words[-1] if words else f"it was stopped ({finished.stopped}, {finished.signal})"


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
