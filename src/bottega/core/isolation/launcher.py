"""The first thing in an isolated process: it gives up what a program could misuse, then runs one.

`process.py` starts it in a fresh interpreter, with nothing but an order. The program is read and
compiled before the doors are shut and runs in this same process, because a process that may not
start another needs no more than itself.
"""

import builtins
import json
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum

#: Exit codes by which the program's end is told from an ordinary failure.
NOT_ISOLATED = 70
OUT_OF_MEMORY = 71
NOT_PERMITTED = 72

_LIBRARIES = ("lib", "lib64")
_SYSTEM_FILES = (
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/dev/urandom",
)


class Measure(StrEnum):
    """What a process gives up before it runs what nobody trusts. Linux only."""

    #: A network without devices, message queues and mounts of its own.
    NAMESPACES = "namespaces"
    #: A small directory in memory that may be written; without it nothing may.
    SCRATCH = "scratch directory"
    #: Without it only memory bounds the number of threads.
    THREADS = "thread limit"
    LIMITS = "resource limits"
    PRIVILEGES = "no privileges"
    LANDLOCK = "landlock"
    SECCOMP = "seccomp"


#: Without these nothing is run.
REQUIRED = frozenset({Measure.LIMITS, Measure.PRIVILEGES, Measure.LANDLOCK, Measure.SECCOMP})


@dataclass(frozen=True, slots=True)
class Order:
    program: str
    directory: str
    parent: int
    cpu_seconds: int
    memory_bytes: int
    file_bytes: int
    #: Measures to fail at as if the kernel had none: how the probe of a poorer machine is tried.
    without: list[str]

    def as_json(self) -> str:
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True)
class Confinement:
    measures: list[str]
    #: By name, with what the kernel said.
    missing: dict[str, str]

    def as_json(self) -> str:
        return json.dumps(asdict(self))


def launch(order_json: str) -> None:
    order = Order(**json.loads(order_json))
    with open(order.program, "rb") as file:  # noqa: PTH123 - pathlib takes longer than all the rest
        program = compile(file.read(), order.program, "exec")
    taken = confine(order)
    if REQUIRED & taken.missing.keys():
        sys.stderr.write(taken.as_json())
        sys.exit(NOT_ISOLATED)
    _forget_ourselves()
    sys.argv = [order.program, taken.as_json()]
    # Its own copy of the builtins, so that a program can guard itself against code it executes.
    names = {"__name__": "__main__", "__builtins__": dict(vars(builtins))}
    try:
        exec(program, names)  # noqa: S102 - this is what we are here for
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except PermissionError:
        traceback.print_exc()
        sys.exit(NOT_PERMITTED)


def confine(order: Order) -> Confinement:
    """Takes every measure that can be had. The order matters: each needs what the next gives up."""
    from bottega.core.isolation.measures import (
        die_with,
        drop_privileges,
        enter_namespaces,
        limit_resources,
        limit_threads,
        mount_scratch,
        restrict_files,
    )
    from bottega.core.isolation.seccomp import filter_calls

    taken = Confinement([], {})

    def take(measure: Measure, action: Callable[[], None], *needs: Measure) -> None:
        lacking = [need for need in needs if need in taken.missing]
        if lacking or measure in order.without:
            taken.missing[measure] = f"needs {lacking[0]}" if lacking else "left out"
            return
        try:
            action()
        except OSError as error:
            taken.missing[measure] = str(error)
        else:
            taken.measures.append(measure)

    def writable() -> list[str]:
        return ["/dev/null", *([order.directory] if Measure.SCRATCH in taken.measures else [])]

    by_root = os.geteuid() == 0
    # Root without its rights may not be able to read what belongs to somebody else.
    reader = os.stat(_standard_library()).st_uid if by_root else os.geteuid()  # noqa: PTH116
    take(Measure.NAMESPACES, enter_namespaces)
    take(
        Measure.SCRATCH,
        lambda: mount_scratch(order.directory, order.file_bytes, reader),
        Measure.NAMESPACES,
    )
    take(
        Measure.THREADS,
        lambda: limit_threads(reader),
        *(() if by_root else (Measure.NAMESPACES,)),
    )
    take(
        Measure.LIMITS,
        lambda: limit_resources(order.cpu_seconds, order.memory_bytes, order.file_bytes),
    )
    die_with(order.parent)
    take(Measure.PRIVILEGES, drop_privileges)
    take(Measure.LANDLOCK, lambda: restrict_files(readable(order.directory), writable()))
    take(Measure.SECCOMP, filter_calls, Measure.PRIVILEGES)
    return taken


def readable(directory: str) -> list[str]:
    """The interpreter's files and what its modules load: the system's libraries and time zones."""
    return [
        directory,
        _standard_library(),
        *(f"{prefix}/{name}" for prefix in (sys.base_prefix, "/usr", "") for name in _LIBRARIES),
        *_SYSTEM_FILES,
    ]


def _standard_library() -> str:
    return os.path.dirname(os.__file__)  # noqa: PTH120 - as above


def _forget_ourselves() -> None:
    """The program finds an interpreter as if it had just been started."""
    del sys.path[0]
    for name in [name for name in sys.modules if name.split(".")[0] == "bottega"]:
        del sys.modules[name]
