"""The first thing in an isolated process: it locks every door behind itself, then lets one in.

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

from bottega.core.isolation.confinement.measures import REQUIRED, Measure

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
class Taken:
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


def confine(order: Order) -> Taken:
    """Takes every measure that can be had. The order matters: each needs what the next gives up."""
    from bottega.core.isolation.confinement.landlock import restrict_files
    from bottega.core.isolation.confinement.namespaces import enter_namespaces, mount_scratch
    from bottega.core.isolation.confinement.privileges import (
        die_with,
        drop_privileges,
        limit_resources,
        limit_threads,
    )
    from bottega.core.isolation.confinement.seccomp import filter_calls

    taken = Taken([], {})

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
    take(Measure.NAMESPACES, enter_namespaces)
    take(
        Measure.SCRATCH,
        lambda: mount_scratch(order.directory, order.file_bytes),
        Measure.NAMESPACES,
    )
    take(Measure.THREADS, limit_threads, *(() if by_root else (Measure.NAMESPACES,)))
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
        os.path.dirname(os.__file__),  # noqa: PTH120 - as above
        *(f"{prefix}/{name}" for prefix in (sys.base_prefix, "/usr", "") for name in _LIBRARIES),
        *_SYSTEM_FILES,
    ]


def _forget_ourselves() -> None:
    """The program finds an interpreter as if it had just been started."""
    del sys.path[0]
    for name in [name for name in sys.modules if name.split(".")[0] == "bottega"]:
        del sys.modules[name]
