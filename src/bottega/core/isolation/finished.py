"""What an isolated program may use, and how it ended."""

from dataclasses import dataclass
from enum import StrEnum

MEBIBYTE = 1024 * 1024


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
