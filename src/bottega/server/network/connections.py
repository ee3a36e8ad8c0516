"""The open sockets: how many there may be, and which make way for another.

A socket that waits for a request (one that sent no headers yet, or is kept alive) can be closed
without harm. When there are too many, whoever has waited longest goes and the newcomer is let in,
so that sockets that say nothing shut nobody out. When all of them are at work, newcomers get a
place in the reserve: there only the owner of the house is served, and `/health`.
"""

from collections import Counter
from collections.abc import Callable
from enum import Enum, auto

from bottega.server.limits import network_of
from bottega.server.network.proxies import TrustedProxies
from bottega.server.network.quotas import NetworkLimits

#: Sockets beyond the limit, for the owner and for `/health`.
RESERVE = 64
#: In the scope of a request that came by one of them.
RESERVED = "bottega.reserved"


#: Closes a connection that waits, because another is let in instead.
MakeWay = Callable[[], None]


class SocketPlace(Enum):
    OPEN = auto()
    RESERVE = auto()
    #: There is none, not even in the reserve.
    NONE = auto()


class Connections:
    """On the event loop's thread only."""

    def __init__(
        self, limits: NetworkLimits | None = None, proxies: TrustedProxies | None = None
    ) -> None:
        """Behind trusted proxies are many people: no limit for each address counts for them."""
        limits = limits or NetworkLimits()
        self.most = limits.connections
        #: How long a socket may take to say what it wants.
        self.half_open_seconds = limits.half_open_seconds
        self._per_address = limits.connections_per_address
        self._proxies = proxies or TrustedProxies()
        #: The address of each, by its transport.
        self._open: dict[object, str] = {}
        self._at: Counter[str] = Counter()
        #: By address; of each, the one that waits longest is first.
        self._waiting: dict[str, dict[object, MakeWay]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def join(self, transport: object, address: str) -> SocketPlace:
        if not self._proxies.trusts(address):
            address = network_of(address)
        self._open[transport] = address
        self._at[address] += 1
        if not self._is_crowded(address) or self._evict(address):
            return SocketPlace.OPEN
        return SocketPlace.RESERVE if len(self) <= self.most + RESERVE else SocketPlace.NONE

    def leave(self, transport: object) -> None:
        if transport not in self._open:
            return
        self.work(transport)
        address = self._open.pop(transport)
        self._at[address] -= 1
        if not self._at[address]:
            del self._at[address]

    def wait(self, transport: object, make_way: MakeWay) -> None:
        """It has nothing to do, from now on."""
        if transport in self._open:
            self._waiting.setdefault(self._open[transport], {})[transport] = make_way

    def work(self, transport: object) -> None:
        """It has something to do."""
        address = self._open.get(transport, "")
        waiting = self._waiting.get(address, {})
        waiting.pop(transport, None)
        if not waiting:
            self._waiting.pop(address, None)

    def _is_crowded(self, address: str) -> bool:
        return len(self) > self.most or self._is_crowd(address)

    def _is_crowd(self, address: str) -> bool:
        return self._at[address] > self._per_address and not self._proxies.trusts(address)

    def _evict(self, address: str) -> bool:
        """Close whoever has waited longest where most wait; whether anybody did."""
        crowd = address if self._is_crowd(address) else self._largest_crowd()
        waiting = self._waiting.get(crowd)
        if not waiting:
            return False
        transport, make_way = next(iter(waiting.items()))
        self.leave(transport)
        make_way()
        return True

    def _largest_crowd(self) -> str:
        return max(self._waiting, key=lambda address: len(self._waiting[address]), default="")
