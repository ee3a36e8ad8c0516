"""What this machine offers to lock a program in, found out by trying."""

import json
import sys
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import structlog

from bottega.core.isolation.confinement.measures import REQUIRED, Measure
from bottega.core.isolation.finished import Finished, Limits
from bottega.core.isolation.launcher import NOT_ISOLATED
from bottega.core.isolation.process import run_process

log = structlog.get_logger()

_SELFTEST = Path(__file__).with_name("selftest.py")


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
