"""How much, how fast and how slowly: bounds on what one client can ask of the server."""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.errors import BottegaError, RequestTimeout, TooLarge, TooMany
from bottega.server.errors import refuse, respond

#: Clients remembered by a limiter; beyond that the one seen longest ago starts afresh.
REMEMBERED_CLIENTS = 10_000
#: Seconds by which sums of floating-point numbers may be off.
ROUNDING = 1e-6


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

    def check(self, client: str, doing: str) -> None:
        if wait := self.wait(client):
            seconds = math.ceil(wait)
            raise TooMany(
                f"Too many {doing} from {client}: try again in {seconds} s.", retry_after=seconds
            )


def client_of(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else "unknown"


class RateLimit:
    """Bounds the requests (WebSocket upgrades too) of one client address."""

    def __init__(self, app: ASGIApp, rate: float) -> None:
        self.app = app
        self._limiter = RateLimiter(rate, burst=2 * rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            try:
                self._limiter.check(client_of(scope), "requests")
            except TooMany as error:
                await refuse(error, scope, receive, send)
                return
        await self.app(scope, receive, send)


class BodyLimit:
    """Bounds the size of a request's body, and the time it may take to arrive."""

    def __init__(
        self, app: ASGIApp, max_bytes: int, seconds: float, large: Mapping[str, int] | None = None
    ) -> None:
        """`large` are paths with a bound of their own, above the usual one."""
        self.app = app
        self.max_bytes = max_bytes
        self.seconds = seconds
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
        await _Body(self.app, most, self.seconds, receive, send).pass_on(scope)


def _exceeded(size: int, most: int) -> TooLarge:
    return TooLarge(
        f"The body has {size} bytes or more; this server takes {most}. Send less, or raise "
        "BOTTEGA_MAX_BODY_BYTES.",
        limit=most,
    )


class _Body:
    """One request's body on its way in.

    An application that meets an error while it reads may turn it into an answer of its own: once
    a bound is broken, ours goes out instead.
    """

    def __init__(
        self, app: ASGIApp, most: int, seconds: float, receive: Receive, send: Send
    ) -> None:
        self._app = app
        self._most = most
        self._seconds = seconds
        self._receive = receive
        self._send = send
        self._size = 0
        self._complete = False
        self._answered = False
        self._error: BottegaError | None = None
        self._deadline = asyncio.get_running_loop().time() + seconds

    async def pass_on(self, scope: Scope) -> None:
        try:
            await self._app(scope, self.receive, self.send)
        except Exception:
            if self._error is None:
                raise
        if self._error is not None and not self._answered:
            await respond(self._error)(scope, self._receive, self._send)

    async def receive(self) -> Message:
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            self._error = RequestTimeout(f"The body did not arrive within {self._seconds:g} s.")
            raise self._error from None
        self._size += len(message.get("body", b""))
        if self._size > self._most:
            self._error = _exceeded(self._size, self._most)
            raise self._error
        self._complete = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        if self._error is None or self._answered:
            self._answered = True
            await self._send(message)
