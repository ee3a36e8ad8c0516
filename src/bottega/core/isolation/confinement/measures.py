"""Every measure by its name, and the ones without which nothing is run."""

from enum import StrEnum


class Measure(StrEnum):
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


REQUIRED = frozenset({Measure.LIMITS, Measure.PRIVILEGES, Measure.LANDLOCK, Measure.SECCOMP})
