"""Giving away what the user has, root above all, and setting the limits that the kernel keeps."""

import ctypes
import os
import resource
import signal

from bottega.core.isolation.kernel import checked, libc, prctl

_SET_PARENT_DEATH_SIGNAL = 1
_SET_DUMPABLE = 4
_SET_NO_NEW_PRIVILEGES = 38

_MALLOC_ARENAS = -8
_CAPABILITIES_VERSION_3 = 0x20080522

_MAX_THREADS = 32
_MAX_OPEN_FILES = 64
#: Far above every real user, so that the count of its processes is only ours.
_FIRST_UNUSED_USER = 0x40000000


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def limit_threads(reader: int) -> None:
    """Needs the namespaces, unless we are root: else all of the user's processes would count.

    Root becomes `reader`, who can read the interpreter's files: in a private folder, below the
    temporary one for example, they are somebody's, and root without its rights has no way in.
    """
    if os.geteuid() == 0:
        # The limit does not bind root's processes, and whose a process is, the real user says.
        os.setresuid(_FIRST_UNUSED_USER + os.getpid(), reader, reader)
    _limit(resource.RLIMIT_NPROC, _MAX_THREADS)


def limit_resources(cpu_seconds: int, memory_bytes: int, file_bytes: int) -> None:
    # The signal at the limit can be ignored; the one a second later cannot.
    _limit(resource.RLIMIT_CPU, cpu_seconds, grace=1)
    if hasattr(libc, "mallopt"):
        # glibc sets 64 MiB of addresses aside for each thread, and addresses are what is counted.
        libc.mallopt(_MALLOC_ARENAS, 1)
    _limit(resource.RLIMIT_AS, memory_bytes)
    _limit(resource.RLIMIT_FSIZE, file_bytes)
    _limit(resource.RLIMIT_NOFILE, _MAX_OPEN_FILES)
    _limit(resource.RLIMIT_CORE, 0)


def drop_privileges() -> None:
    header = _CapabilityHeader(_CAPABILITIES_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable: twice 32 bits each
    checked(libc.capset(ctypes.byref(header), none), "capset")
    prctl("no new privileges", _SET_NO_NEW_PRIVILEGES, 1)
    prctl("not dumpable", _SET_DUMPABLE, 0)


def die_with(parent: int) -> None:
    """Nobody outlives a server that was killed. After the namespaces: entering them resets it."""
    prctl("parent death signal", _SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        raise ProcessLookupError(f"process {parent}, which started this one, is gone")


def _limit(what: int, value: int, *, grace: int = 0) -> None:
    hard = resource.getrlimit(what)[1]
    bound = value + grace if hard == resource.RLIM_INFINITY else min(value + grace, hard)
    resource.setrlimit(what, (min(value, bound), bound))
