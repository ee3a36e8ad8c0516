"""How much memory the process holds when nobody asks anything. Where the C library is another one
than glibc, these do nothing."""

import ctypes
import gc
from contextlib import suppress

_ARENA_MAX = -8


def use_one_arena() -> None:
    """One pool for all threads: glibc would give each its own, and keep it. Call it early."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def return_free_memory() -> None:
    """Give back what loading took and no longer needs."""
    gc.collect()
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
