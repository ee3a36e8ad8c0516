"""What a caller may have under way at once, checked when it is known who calls.

`/health` is always answered, and the owner of the house always let in. A request becomes a stream
when its answer is one; only a `GET` does, because one that may have changed something is not to be
refused half-way.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.core.doors.callers import USER_ID
from bottega.core.llm.payers import paid_by
from bottega.core.users import LOCAL_USER
from bottega.errors import TooMany, Unavailable
from bottega.server.errors import refuse, respond
from bottega.server.limits import RateLimiter, Take
from bottega.server.network.connections import RESERVED
from bottega.server.network.quotas import (
    RETRY_AFTER,
    Holder,
    NetworkLimits,
    Quota,
    holder_of,
    left_to_others,
)

HEALTH = "/health"
RATE_SETTING = "BOTTEGA_RATE_LIMIT"


class Quotas:
    """The counts of one server."""

    def __init__(self, limits: NetworkLimits, max_streams: int, body_bytes: int) -> None:
        self.requests = Quota(
            "requests under way", "BOTTEGA_MAX_REQUESTS_PER_USER", each=limits.requests_per_user
        )
        self.websockets = Quota(
            "WebSockets", "BOTTEGA_MAX_WEBSOCKETS_PER_USER", each=limits.websockets_per_user
        )
        self.streams = Quota(
            "event streams",
            "BOTTEGA_MAX_STREAMS_PER_USER",
            each=limits.streams_per_user,
            together=left_to_others(max_streams),
        )
        self.bodies = Quota(
            "bytes of request bodies",
            "BOTTEGA_MAX_BODY_BYTES",
            each=body_bytes,
        )

    @contextmanager
    def taking_body(self, scope: Scope) -> Iterator[Take]:
        """Counts the bytes of a body until its request is answered."""
        holder, taken = holder_of(scope), 0

        def take(size: int) -> None:
            nonlocal taken
            self.bodies.take(holder, size)
            taken += size

        try:
            yield take
        finally:
            self.bodies.give_back(holder, taken)

    def count(self) -> dict[str, int]:
        """What others than the owner hold now."""
        return {
            "requests": len(self.requests),
            "websockets": len(self.websockets),
            "streams": len(self.streams),
            "body_bytes": len(self.bodies),
        }


class Admission:
    def __init__(self, app: ASGIApp, quotas: Quotas, limiter: RateLimiter) -> None:
        self.app = app
        self._quotas = quotas
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or scope["path"] == HEALTH:
            await self.app(scope, receive, send)
            return
        holder = holder_of(scope)
        with ExitStack() as held, paid_by(scope.get(USER_ID) or LOCAL_USER):
            try:
                self._check(scope, holder)
                quota = self._quotas.requests
                if scope["type"] == "websocket":
                    quota = self._quotas.websockets
                held.enter_context(quota.held(holder))
            except TooMany as error:
                await refuse(error, scope, receive, send)
                return
            except Unavailable as error:
                await refuse(error, scope, receive, _closing(send))
                return
            if scope["type"] == "http" and scope["method"] == "GET":
                await self._follow(scope, receive, send, holder, held)
            else:
                await self.app(scope, receive, send)

    def _check(self, scope: Scope, holder: Holder) -> None:
        if scope.get("state", {}).get(RESERVED) and not holder.is_owner:
            raise Unavailable(
                "All connections of this server are in use. Try again later; its owner can raise "
                "BOTTEGA_MAX_CONNECTIONS.",
                setting="BOTTEGA_MAX_CONNECTIONS",
                retry_after=RETRY_AFTER,
            )
        self._limiter.check(holder.name, "requests", RATE_SETTING)

    async def _follow(
        self, scope: Scope, receive: Receive, send: Send, holder: Holder, held: ExitStack
    ) -> None:
        """Answer a request that may turn out to be a stream."""
        refused: TooMany | None = None
        with anyio.CancelScope() as running:

            async def send_on(message: Message) -> None:
                nonlocal refused
                if refused is not None:
                    return
                if _begins_stream(message):
                    held.close()
                    try:
                        held.enter_context(self._quotas.streams.held(holder))
                    except TooMany as error:
                        refused = error
                        running.cancel()
                        return
                await send(message)

            await self.app(scope, receive, send_on)
        if refused is not None:
            await respond(refused)(scope, receive, send)


def _closing(send: Send) -> Send:
    """The connection ends with the answer: the next one may have a better place."""

    async def send_on(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
        await send(message)

    return send_on


def _begins_stream(message: Message) -> bool:
    if message["type"] != "http.response.start":
        return False
    kinds = [value for name, value in message.get("headers", ()) if name == b"content-type"]
    return any(kind.startswith(b"text/event-stream") for kind in kinds)
