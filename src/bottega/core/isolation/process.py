"""One isolated process: started, fed, watched, and gone when the caller goes on.

A thread of its own waits for it. An event loop could, but uvloop hands inheritable descriptors on
to a child and leaves a cancelled one unreaped.
"""

import asyncio
import os
import selectors
import signal
import sys
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired

from bottega.core.isolation.launcher import NOT_PERMITTED, OUT_OF_MEMORY, Measure, Order

MEBIBYTE = 1024 * 1024

_SOURCE = Path(__file__).parents[3]
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from bottega.core.isolation.launcher import launch; launch(sys.argv[2])"
)
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    cpu_seconds: int = 5
    wall_seconds: float = 10
    memory_bytes: int = 256 * MEBIBYTE
    #: Of standard output and of standard error, each.
    output_bytes: int = MEBIBYTE
    #: All files of the scratch directory together.
    file_bytes: int = MEBIBYTE


class StopReason(StrEnum):
    #: It was still there when the time on the clock was up.
    TIMEOUT = "timeout"
    #: It used up its computing time.
    CPU = "cpu"
    MEMORY = "memory"
    OUTPUT = "output"
    #: It tried what no isolated program may do.
    FORBIDDEN = "forbidden"
    #: The interpreter itself fell over.
    CRASH = "crash"


@dataclass(frozen=True, slots=True)
class Finished:
    #: None if a signal ended it.
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    #: None if it came to an end by itself.
    stopped: StopReason | None
    #: Seconds on the clock, start of the interpreter included.
    duration: float


async def run_process(
    program: Path, stdin: bytes, limits: Limits, without: Collection[Measure] = ()
) -> Finished:
    """Does not ask whether the machine is fit for it: the launcher ends where it is not."""
    process = _Process(limits)
    end = asyncio.ensure_future(asyncio.to_thread(process.run, program, stdin, without))
    try:
        return await asyncio.shield(end)
    except asyncio.CancelledError:
        process.cancel()
        await asyncio.wait([end])
        raise


class _Process:
    """Reads what the program says, and kills it when it says too much or takes too long."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._popen: Popen[bytes] | None = None
        self._is_cancelled = False
        self._stopped: StopReason | None = None
        self._deadline = 0.0

    def run(self, program: Path, stdin: bytes, without: Collection[Measure]) -> Finished:
        started = time.monotonic()
        self._deadline = started + self._limits.wall_seconds
        with (
            tempfile.TemporaryDirectory(prefix="bottega-isolated-") as directory,
            _start(program, directory, self._limits, without) as popen,
        ):
            self._popen = popen
            if self._is_cancelled:
                popen.kill()
            stdout, stderr = self._talk(popen, stdin)
            code = self._wait(popen)
        return Finished(
            exit_code=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            stdout=stdout,
            stderr=stderr,
            stopped=self._stopped or _reason(code),
            duration=time.monotonic() - started,
        )

    def cancel(self) -> None:
        """Called from another thread, perhaps before there is a process."""
        self._is_cancelled = True
        if self._popen is not None:
            self._popen.kill()

    def _talk(self, popen: Popen[bytes], stdin: bytes) -> tuple[bytes, bytes]:
        assert popen.stdin is not None
        assert popen.stdout is not None
        assert popen.stderr is not None
        stdout, stderr = bytearray(), bytearray()
        unsent = memoryview(stdin)
        os.set_blocking(popen.stdin.fileno(), False)
        with selectors.DefaultSelector() as pipes:
            pipes.register(popen.stdin, selectors.EVENT_WRITE)
            pipes.register(popen.stdout, selectors.EVENT_READ, stdout)
            pipes.register(popen.stderr, selectors.EVENT_READ, stderr)
            while pipes.get_map():
                for key, _ in self._select(pipes):
                    if key.fileobj is popen.stdin:
                        unsent = _send(key.fd, unsent)
                        is_open = bool(unsent)
                    else:
                        is_open = self._keep(key.fd, key.data)
                    if not is_open:
                        pipes.unregister(key.fileobj)
                        if key.fileobj is popen.stdin:
                            # The program may be reading until its input is closed.
                            popen.stdin.close()
        return bytes(stdout), bytes(stderr)

    def _select(self, pipes: selectors.BaseSelector) -> list[tuple[selectors.SelectorKey, int]]:
        # Once it is killed, its ends of the pipes are closed and nothing has to be timed.
        left = None if self._stopped else max(0, self._deadline - time.monotonic())
        ready = pipes.select(left)
        if not ready:
            self._stop(StopReason.TIMEOUT)
        return ready

    def _keep(self, descriptor: int, kept: bytearray) -> bool:
        """Whether there may be more to read."""
        chunk = os.read(descriptor, _CHUNK)
        room = self._limits.output_bytes - len(kept)
        kept += chunk[:room]
        if len(chunk) > room:
            self._stop(StopReason.OUTPUT)
        return bool(chunk)

    def _wait(self, popen: Popen[bytes]) -> int:
        """A program may close its pipes and stay."""
        try:
            return popen.wait(max(0, self._deadline - time.monotonic()))
        except TimeoutExpired:
            self._stop(StopReason.TIMEOUT)
            return popen.wait()

    def _stop(self, reason: StopReason) -> None:
        # Killing one is killing all: it could never start another.
        if self._popen is not None and self._stopped is None:
            self._stopped = reason
            self._popen.kill()


def _send(descriptor: int, unsent: memoryview) -> memoryview:
    """What is left to send; nothing, once the program does not listen any more."""
    try:
        return unsent[os.write(descriptor, unsent[:_CHUNK]) :]
    except BrokenPipeError:
        return unsent[:0]


def _start(
    program: Path, directory: str, limits: Limits, without: Collection[Measure]
) -> Popen[bytes]:
    order = Order(
        program=str(program),
        directory=directory,
        parent=os.getpid(),
        cpu_seconds=limits.cpu_seconds,
        memory_bytes=limits.memory_bytes,
        file_bytes=limits.file_bytes,
        without=sorted(without),
    )
    # Alone, with nothing of ours: no environment, no site packages, no descriptor but three pipes.
    options = ("-I", "-S", "-B", "-X", "utf8")
    return Popen(  # noqa: S603 - our own interpreter and launcher
        [sys.executable, *options, "-c", _BOOT, str(_SOURCE), order.as_json()],
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        bufsize=0,
        cwd=directory,
        env={"HOME": directory, "TMPDIR": directory},
        start_new_session=True,
    )


def _reason(code: int) -> StopReason | None:
    """Why a process ended that nobody stopped. A negative code is a signal's."""
    if code >= 0:
        by_code = {OUT_OF_MEMORY: StopReason.MEMORY, NOT_PERMITTED: StopReason.FORBIDDEN}
        return by_code.get(code)
    by_signal: dict[int, StopReason] = {
        signal.SIGSYS: StopReason.FORBIDDEN,
        signal.SIGXCPU: StopReason.CPU,
        signal.SIGKILL: StopReason.CPU,
    }
    return by_signal.get(-code, StopReason.CRASH)
