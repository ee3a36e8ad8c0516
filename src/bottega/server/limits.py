"""Limits on what one client can ask of the server: request rate, body size and time.

What a caller may have at once is counted in `network/quotas.py`.
"""

import asyncio
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.errors import BottegaError, RequestTimeout, TooLarge, TooMany
from bottega.server.errors import refuse, respond

#: Clients remembered by a limiter; beyond that the one seen longest ago starts afresh.
REMEMBERED_CLIENTS = 10_000
#: Seconds by which sums of floating-point numbers may be off.
ROUNDING = 1e-6

#: Notes that so many bytes more have arrived; raises an error where that is too much.
Take = Callable[[int], None]


class RateLimiter:
    """A token bucket for each client, kept as one number: when its bucket will be full again."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._interval = 1 / rate
        self._tolerance = burst / rate
        self._clock = clock
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._full_at)

    def wait(self, client: str) -> float:
        """Take one token: 0 if there was one, else the seconds until there will be."""
        now = self._clock()
        full_at = max(now, self._full_at.get(client, now)) + self._interval
        wait = full_at - now - self._tolerance
        if wait > ROUNDING:
            return wait
        self._full_at[client] = full_at
        self._full_at.move_to_end(client)
        if len(self._full_at) > REMEMBERED_CLIENTS:
            self._full_at.popitem(last=False)
        return 0

    def check(self, client: str, doing: str, setting: str | None = None) -> None:
        if wait := self.wait(client):
            seconds = math.ceil(wait)
            more = f" The owner of the house can raise {setting}." if setting else ""
            raise TooMany(
                f"Too many {doing} from {client}: try again in {seconds} s.{more}",
                retry_after=seconds,
            )


def client_of(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else "unknown"


@lru_cache(maxsize=REMEMBERED_CLIENTS)
def network_of(address: str, bits: int = 64) -> str:
    """What an address is counted as: IPv4 by itself, IPv6 by its network, of which whoever has
    one address has all."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address) or known.is_loopback:
        return address
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((int(known), bits), strict=False))


class BodyLimit:
    """Bounds the size of a request's body, and the time it may take to arrive or stand still."""

    def __init__(
        self,
        app: ASGIApp,
        max_bytes: int,
        seconds: float,
        still: float,
        take: Callable[[Scope], AbstractContextManager[Take]],
        large: Mapping[str, int] | None = None,
    ) -> None:
        """`still` is the longest pause; `large` are paths with a bound above the usual one.

        `take` opens the account of what a caller's bodies hold together.
        """
        self.app = app
        self.max_bytes = max_bytes
        self.seconds = seconds
        self._still = still
        self._take = take
        self._large = large or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = max(self.max_bytes, self._large.get(scope["path"], 0))
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > most:
            await refuse(_exceeded(int(announced), most), scope, receive, send)
            return
        with self._take(scope) as take:
            deadline = asyncio.get_running_loop().time() + self.seconds
            body = _Body(self.app, most, self.seconds, self._still, take, receive, send, deadline)
            await body.pass_on(scope)


def _exceeded(size: int, most: int) -> TooLarge:
    return TooLarge(
        f"The body has {size} bytes or more; this server takes {most}. Send less, or raise "
        "BOTTEGA_MAX_BODY_BYTES.",
        limit=most,
    )


@dataclass(slots=True)
class _Body:
    """One request's body on its way in.

    An application that meets an error while it reads may turn it into an answer of its own: once
    a bound is broken, ours goes out instead.
    """

    app: ASGIApp
    most: int
    seconds: float
    still: float
    take: Take
    source: Receive
    target: Send
    deadline: float
    size: int = 0
    is_complete: bool = False
    is_answered: bool = False
    error: BottegaError | None = None

    async def pass_on(self, scope: Scope) -> None:
        try:
            await self.app(scope, self.receive, self.send)
        except Exception:
            if self.error is None:
                raise
        if self.error is not None and not self.is_answered:
            answer = respond(self.error)
            if isinstance(self.error, RequestTimeout):
                # Whoever does not send the rest does not get to keep the connection.
                answer.headers["Connection"] = "close"
            await answer(scope, self.source, self.target)

    async def receive(self) -> Message:
        if self.is_complete:
            return await self.source()
        try:
            message = await self._next()
            self.size += len(message.get("body", b""))
            if self.size > self.most:
                raise _exceeded(self.size, self.most)
            self.take(len(message.get("body", b"")))
        except BottegaError as error:
            self.error = error
            raise
        self.is_complete = not message.get("more_body", False)
        return message

    async def _next(self) -> Message:
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(min(self.deadline, now + self.still)):
                return await self.source()
        except TimeoutError:
            raise RequestTimeout(
                f"The body did not arrive within {self.seconds:g} s, or stood still for "
                f"{self.still:g} s."
            ) from None

    async def send(self, message: Message) -> None:
        if self.error is None or self.is_answered:
            self.is_answered = True
            await self.target(message)
