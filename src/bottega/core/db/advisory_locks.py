"""The numbers of PostgreSQL's advisory locks, all in one place so that no two mean the same.

Any number does, as long as all servers on one database use the same. A lock that is taken in a
transaction is free at its end; one that is taken on a connection, when the connection ends.
"""

import hashlib
from enum import IntEnum

from sqlalchemy import text


class AdvisoryLock(IntEnum):
    """What only one transaction does at a time."""

    MIGRATION = 7_305_811
    EVENT_LOG = 7_305_812
    VECTORS = 7_305_813
    PRUNING = 7_305_814


#: Waits for the lock of the number `key`, which is held until the transaction ends.
TAKE = text("SELECT pg_advisory_xact_lock(:key)")


def number_of(purpose: str, name: str) -> int:
    """The lock of something with a name; among 2⁶⁴ numbers it meets no other."""
    digest = hashlib.sha256(f"bottega {purpose} {name}".encode()).digest()
    return int.from_bytes(digest[:8], signed=True)
