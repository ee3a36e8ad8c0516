"""Namespaces: a network with no way out, and a scratch directory that exists only for us."""

import os
from ctypes import c_ulong

from bottega.core.isolation.kernel import checked, libc

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
