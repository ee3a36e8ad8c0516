"""How much of the house one caller may hold at once: requests, WebSockets, streams, bodies.

A holder is a user or, for somebody who has not said who they are, an address. The owner of the
house is not counted: others are held back before there is nothing left for the owner.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from starlette.types import Scope

from bottega.core.doors.callers import USER_ID
from bottega.core.users import LOCAL_USER
from bottega.errors import TooMany
from bottega.server.limits import client_of, network_of

#: Seconds after which somebody who holds too much may look again.
RETRY_AFTER = 5

#: Of what there is for all, the share that only the owner may take.
OWNERS_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class NetworkLimits:
    #: Open sockets; beyond them only the owner is let in, and `/health` answered.
    connections: int = 2_000
    connections_per_address: int = 1_000
    #: Requests under way.
    requests_per_user: int = 100
    websockets_per_user: int = 50
    #: Event streams.
    streams_per_user: int = 50
    #: Seconds that a request's headers may take, and that its body may stand still.
    half_open_seconds: float = 10.0


class Holder(NamedTuple):
    #: A user's id, or an address.
    name: str
    is_owner: bool = False


def holder_of(scope: Scope) -> Holder:
    user_id = scope.get(USER_ID)
    if user_id is None:
        return Holder(f"address {network_of(client_of(scope))}")
    return Holder(user_id, user_id == LOCAL_USER)


class Quota:
    """Counts what is held. On the event loop's thread only."""

    def __init__(self, what: str, setting: str, *, each: int, together: int | None = None) -> None:
        """`each` is the most of one holder; `together` of all holders but the owner."""
        self._what = what
        self._setting = setting
        self.each = each
        self._together = together
        self._held: Counter[str] = Counter()

    def __len__(self) -> int:
        """What is held by others than the owner."""
        return self._held.total()

    def take(self, holder: Holder, amount: int = 1) -> None:
        """Note that the holder has so much more; raises `TooMany` where that is too much."""
        if holder.is_owner:
            return
        if self._held[holder.name] + amount > self.each:
            raise self._refusal(f"{self.each:,} {self._what} at once are the most for one caller")
        if self._together is not None and len(self) + amount > self._together:
            raise self._refusal(f"All callers together have {self._together:,} {self._what}")
        self._held[holder.name] += amount

    def give_back(self, holder: Holder, amount: int = 1) -> None:
        if holder.is_owner:
            return
        self._held[holder.name] -= amount
        if self._held[holder.name] <= 0:
            del self._held[holder.name]

    @contextmanager
    def held(self, holder: Holder) -> Iterator[None]:
        self.take(holder)
        try:
            yield
        finally:
            self.give_back(holder)

    def _refusal(self, problem: str) -> TooMany:
        return TooMany(
            f"{problem}. End some and try again; the owner of the house can raise {self._setting}.",
            limit=self.each,
            setting=self._setting,
            retry_after=RETRY_AFTER,
        )


def left_to_others(most: int) -> int:
    """Of so many for all, those that others than the owner may have."""
    return most - max(1, int(most * OWNERS_SHARE))
