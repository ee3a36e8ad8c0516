"""Landlock: of all files, only the named ones exist for this process."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from ctypes import Structure, byref, c_int32, c_size_t, c_uint32, c_uint64

from bottega.core.isolation.kernel import syscall

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
