"""The measures that an isolated process takes, by calls to the C library and the kernel that raise
`OSError` as Python's own do: Landlock, namespaces, limits, and giving away what the user has."""

import ctypes
import os
import resource
import signal
import stat
from collections.abc import Iterable
from contextlib import suppress
from ctypes import Structure, byref, c_int32, c_size_t, c_uint32, c_uint64, c_ulong

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


# The same numbers on every architecture.
_CREATE_RULESET = 444
_ADD_RULE = 445
_RESTRICT_SELF = 446

_VERSION_QUESTION = 1
_RULE_PATH_BENEATH = 1

_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIRECTORY = 1 << 3
_REMOVE_DIRECTORY = 1 << 4
_REMOVE_FILE = 1 << 5
_MAKE_DIRECTORY = 1 << 7
_MAKE_FILE = 1 << 8
_MOVE = 1 << 13
_TRUNCATE = 1 << 14

_READ = _READ_FILE | _READ_DIRECTORY
_WRITE = _WRITE_FILE | _REMOVE_DIRECTORY | _REMOVE_FILE | _MAKE_DIRECTORY | _MAKE_FILE
_WRITE |= _MOVE | _TRUNCATE
_OF_A_FILE = _READ_FILE | _WRITE_FILE | _TRUNCATE

#: How many rights over files a version knows; a later one knows those of the last.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NETWORK_SINCE = 4
_SCOPES_SINCE = 6


class _Ruleset(Structure):
    _fields_ = (("files", c_uint64), ("network", c_uint64), ("scopes", c_uint64))


class _PathBeneath(Structure):
    _pack_ = 1
    _fields_ = (("allowed", c_uint64), ("directory", c_int32))


def restrict_files(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Landlock: of all files, only the named ones exist for this process."""
    version = syscall("landlock", _CREATE_RULESET, None, c_size_t(0), c_uint32(_VERSION_QUESTION))
    handled = (1 << _RIGHTS[min(version, max(_RIGHTS))]) - 1
    ruleset = _create_ruleset(version, handled)
    for path in readable:
        _allow(ruleset, path, _READ & handled)
    for path in writable:
        _allow(ruleset, path, (_READ | _WRITE) & handled)
    syscall("landlock", _RESTRICT_SELF, c_int32(ruleset), c_uint32(0))
    os.close(ruleset)


def _create_ruleset(version: int, handled: int) -> int:
    # TCP's bind and connect; abstract sockets and signals to whoever is outside.
    rules = _Ruleset(files=handled, network=0b11, scopes=0b11)
    size = 24 if version >= _SCOPES_SINCE else 16 if version >= _NETWORK_SINCE else 8
    return syscall("landlock", _CREATE_RULESET, byref(rules), c_size_t(size), c_uint32(0))


def _allow(ruleset: int, path: str, rights: int) -> None:
    with suppress(FileNotFoundError):
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
                rights &= _OF_A_FILE
            rule = _PathBeneath(rights, descriptor)
            kind = c_uint32(_RULE_PATH_BENEATH)
            syscall("landlock", _ADD_RULE, c_int32(ruleset), kind, byref(rule), c_uint32(0))
        finally:
            os.close(descriptor)


_NEW_MOUNTS = 0x00020000
_NEW_IPC = 0x08000000
_NEW_USER = 0x10000000
_NEW_NETWORK = 0x40000000

_PRIVATE = 1 << 18
_RECURSIVE = 1 << 14
_NO_SETUID = 1 << 1
_NO_DEVICES = 1 << 2
_NO_PROGRAMS = 1 << 3

_MAX_FILES = 256


def enter_namespaces() -> None:
    """A network with no way out, and mounts that exist only for us."""
    wanted = _NEW_MOUNTS | _NEW_IPC | _NEW_NETWORK
    if os.geteuid() == 0:
        checked(libc.unshare(wanted), "unshare")
        return
    # Who is not root may do this only in a user namespace, and files can be made in there only by
    # a user whom it knows.
    user, group = os.geteuid(), os.getegid()
    checked(libc.unshare(wanted | _NEW_USER), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def mount_scratch(directory: str, size: int, owner: int) -> None:
    """Lays an empty file system of that size over the directory, and enters it."""
    _mount("none", "/", None, _RECURSIVE | _PRIVATE, None)
    options = f"size={size},nr_inodes={_MAX_FILES},mode=700,uid={owner}"
    _mount("scratch", directory, "tmpfs", _NO_SETUID | _NO_DEVICES | _NO_PROGRAMS, options)
    os.chdir(directory)


def _mount(source: str, target: str, kind: str | None, flags: int, options: str | None) -> None:
    texts = [text and text.encode() for text in (source, target, kind, options)]
    result = libc.mount(texts[0], texts[1], texts[2], c_ulong(flags), texts[3])
    checked(result, f"mount {target}")


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


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
