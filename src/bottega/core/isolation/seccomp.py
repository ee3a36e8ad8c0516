"""seccomp: which system calls the kernel still takes from this process, as a BPF program.

The program is a list of blocks, one a call: "if it is this call, decide; else go on". Numbers that
are not listed (those of the x32 interface too) fall through to the end and fail with EPERM.
"""

import os
from collections.abc import Collection
from ctypes import POINTER, Structure, addressof, c_uint8, c_uint16, c_uint32, cast
from errno import ENOSYS, EPERM
from pathlib import Path

from bottega.core.isolation.measures import prctl

_COLUMNS = {"x86_64": 1, "aarch64": 2}
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_REFUSE = 0x00050000 | EPERM
_UNKNOWN = 0x00050000 | ENOSYS

_LOAD = 0x20
_AND = 0x54
_IF_EQUAL = 0x15
_RETURN = 0x06

_NUMBER_AT = 0
_ARCHITECTURE_AT = 4
_ARGUMENTS_AT = 16

_SET_SECCOMP = 22
_MODE_FILTER = 2

_THREAD = 0x00010000
_UNIX = 1
_STREAM = 1
_KIND_OF_SOCKET = 0xF
_ACCESS_MODE = 3

#: Of fcntl: duplicate, close-on-exec and status flags. Not F_SETOWN, which sends signals.
_FCNTL = (0, 1, 2, 3, 4, 1030, 1032)
#: Of ioctl: is it a terminal and how wide, close-on-exec, non-blocking, bytes to read.
_IOCTL = (0x5401, 0x5413, 0x5450, 0x5451, 0x5421, 0x541B)

Instruction = tuple[int, int, int, int]
Block = list[Instruction]


def knows(architecture: str) -> bool:
    return architecture in _COLUMNS


def _read_tables() -> dict[str, list[list[str]]]:
    tables: dict[str, list[list[str]]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            rows = tables[line.strip("[]").partition(":")[0]] = []
        elif line and not line.startswith("#"):
            rows.append(line.split())
    return tables


#: The calls that are allowed, that depend on what is asked, and that are fatal. Read at once:
#: later this process may open no file.
TABLES = _read_tables()


def numbers(table: str, architecture: str) -> dict[str, int]:
    """The calls of a table that this architecture has, in the table's order."""
    column = _COLUMNS[architecture]
    return {row[0]: int(row[column]) for row in TABLES[table] if row[column] != "-"}


class _Instruction(Structure):
    _fields_ = (("code", c_uint16), ("yes", c_uint8), ("no", c_uint8), ("value", c_uint32))


class _Program(Structure):
    _fields_ = (("length", c_uint16), ("instructions", POINTER(_Instruction)))


def filter_calls() -> None:
    """Cannot be taken back. Needs `no new privileges`."""
    architecture = os.uname().machine
    if not knows(architecture):
        raise OSError(ENOSYS, f"the system calls of {architecture} are not known here")
    code = build(architecture, os.getpid())
    instructions = (_Instruction * len(code))(*(_Instruction(*one) for one in code))
    program = _Program(len(code), cast(instructions, POINTER(_Instruction)))
    prctl("seccomp", _SET_SECCOMP, _MODE_FILTER, addressof(program))


def build(architecture: str, process: int) -> Block:
    code = [(_LOAD, 0, 0, _ARCHITECTURE_AT), (_IF_EQUAL, 1, 0, _ARCHITECTURES[architecture])]
    code += [_return(_KILL), (_LOAD, 0, 0, _NUMBER_AT)]
    for number in numbers("allowed", architecture).values():
        code += _when(number, [_return(_ALLOW)])
    decisions = _decisions(process)
    for name, number in numbers("depends", architecture).items():
        code += _when(number, decisions[name])
    for number in numbers("fatal", architecture).values():
        code += _when(number, [_return(_KILL)])
    return [*code, _return(_REFUSE)]


def _decisions(process: int) -> dict[str, Block]:
    return {
        # Before Landlock's third version a file opened for reading could still be emptied.
        "openat": _masked(
            2,
            os.O_TRUNC | _ACCESS_MODE,
            (os.O_TRUNC, os.O_TRUNC | _ACCESS_MODE),
            then=_REFUSE,
            otherwise=_ALLOW,
        ),
        "clone": _masked(0, _THREAD, (_THREAD,), then=_ALLOW, otherwise=_KILL),
        # Its flags are in memory, where a filter cannot look; the C library then uses clone.
        "clone3": [_return(_UNKNOWN)],
        "kill": _one_of(0, (process,), then=_ALLOW, otherwise=_KILL),
        "tgkill": _one_of(0, (process,), then=_ALLOW, otherwise=_KILL),
        # The C library looks for a name service over a Unix socket, and does without.
        "socket": _one_of(0, (_UNIX,), then=_REFUSE, otherwise=_KILL),
        # asyncio wakes itself up through a pair of connected sockets.
        "socketpair": [
            *_demand(0, _UNIX),
            *_masked(1, _KIND_OF_SOCKET, (_STREAM,), then=_ALLOW, otherwise=_REFUSE),
        ],
        "sendto": _is_null(4),
        "fcntl": _one_of(1, _FCNTL, then=_ALLOW, otherwise=_REFUSE),
        "ioctl": _one_of(1, _IOCTL, then=_ALLOW, otherwise=_REFUSE),
        # Limits may be read, not set.
        "prlimit64": _is_null(2),
    }


def _return(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)


def _load(argument: int, *, upper_half: bool = False) -> Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument + 4 * upper_half)


def _when(number: int, block: Block) -> Block:
    return [(_IF_EQUAL, 0, len(block), number), *block]


def _choose(values: Collection[int], then: int, otherwise: int) -> Block:
    block: Block = []
    for value in values:
        block += _when(value, [_return(then)])
    return [*block, _return(otherwise)]


def _one_of(argument: int, values: Collection[int], *, then: int, otherwise: int) -> Block:
    return [_load(argument), *_choose(values, then, otherwise)]


def _masked(
    argument: int, mask: int, values: Collection[int], *, then: int, otherwise: int
) -> Block:
    return [_load(argument), (_AND, 0, 0, mask), *_choose(values, then, otherwise)]


def _demand(argument: int, value: int) -> Block:
    return [_load(argument), (_IF_EQUAL, 1, 0, value), _return(_REFUSE)]


def _is_null(argument: int) -> Block:
    """Allowed only if this pointer is null, in both of its halves."""
    return [
        *_demand(argument, 0),
        _load(argument, upper_half=True),
        (_IF_EQUAL, 1, 0, 0),
        _return(_REFUSE),
        _return(_ALLOW),
    ]
