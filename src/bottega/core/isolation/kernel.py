"""Calls to the C library that raise `OSError` as Python's own do."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(what: str, number: int, *arguments: object) -> int:
    """A system call that the C library has no name for."""
    return checked(libc.syscall(ctypes.c_long(number), *arguments), what)


def prctl(what: str, option: int, *arguments: int) -> None:
    # Unused arguments must be zero, and all of them are as wide as a pointer.
    padded = (*arguments, 0, 0, 0, 0)[:4]
    checked(libc.prctl(option, *map(ctypes.c_ulong, padded)), what)
