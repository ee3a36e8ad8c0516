"""What happens to those who are inside when the credential by which they came in is revoked, or
gets another role.

Every request that shows a token or a cookie carries its `Credential` in the scope, beside the
user's id. Whatever stays open longer than a request (a WebSocket, an event stream, an MCP session)
watches it, and is ended the moment the credential is: by this process, or by another through the
bus.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import anyio
import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Where authentication leaves the `Credential`, if what was shown can be revoked.
CREDENTIAL = "bottega.credential"

#: Close code of a WebSocket whose credential is no longer good.
REVOKED_CODE = 4401
REVOKED_REASON = "the token was revoked or changed, or its owner signed out"

#: Ended credentials that are remembered: until what was let in just before has begun to watch.
_REMEMBERED = 10_000

OnEnd = Callable[[], None]

log = structlog.get_logger()


def token_credential(token_id: str) -> str:
    return f"token:{token_id}"


def sign_in_credential(sign_in_id: str) -> str:
    return f"sign-in:{sign_in_id}"


@dataclass(slots=True)
class Revocations:
    """Who watches which credential. On the event loop's thread only."""

    _watching: dict[str, dict[object, OnEnd]] = field(default_factory=dict)
    _ended: dict[str, None] = field(default_factory=dict)
    #: Credentials that were changed, with the number of the change.
    _changed: dict[str, int] = field(default_factory=dict)
    #: How many changes there were.
    changes: int = 0

    def end(self, credential: str) -> None:
        """End everything that came in with it, and let in nothing more."""
        self._ended[credential] = None
        _limit(self._ended)
        self._close(credential)

    def change(self, credential: str) -> None:
        """End everything that came in with it: it may come in again, as what it is now."""
        self.changes += 1
        self._changed[credential] = self.changes
        _limit(self._changed)
        self._close(credential)

    def _close(self, credential: str) -> None:
        watching = self._watching.pop(credential, {})
        if watching:
            log.info("credential.ended", open=len(watching), kind=credential.partition(":")[0])
        for on_end in watching.values():
            on_end()

    def is_ended(self, credential: str) -> bool:
        return credential in self._ended

    @contextmanager
    def watch(self, credential: str, on_end: OnEnd, changes: int = 0) -> Iterator[None]:
        """Have `on_end` called when the credential is revoked or changed; at once, if it was since
        there were so many `changes`."""
        if self.is_ended(credential) or self._changed.get(credential, 0) > changes:
            on_end()
        key = object()
        self._watching.setdefault(credential, {})[key] = on_end
        try:
            yield
        finally:
            watching = self._watching.get(credential, {})
            watching.pop(key, None)
            if not watching:
                self._watching.pop(credential, None)


@dataclass(frozen=True, slots=True)
class Credential:
    """What somebody showed to come in."""

    id: str
    _revocations: Revocations = field(repr=False)
    #: How many changes there had been when it was looked at.
    changes: int = 0

    def watch(self, on_end: OnEnd) -> AbstractContextManager[None]:
        return self._revocations.watch(self.id, on_end, self.changes)


def _limit(remembered: dict[str, Any]) -> None:
    if len(remembered) > _REMEMBERED:
        del remembered[next(iter(remembered))]


def watch(scope: Scope, on_end: OnEnd) -> AbstractContextManager[None]:
    """Have `on_end` called when what let this request in is revoked; never, if it cannot be."""
    credential: Credential | None = scope.get(CREDENTIAL)
    return credential.watch(on_end) if credential is not None else nullcontext()


async def end_streams(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request, and cut its answer off when the credential ends if it is an event stream.

    Any other answer is finished: a request that revokes its own token is to hear that it did.
    """
    with anyio.CancelScope() as running:
        is_stream = is_over = False

        def end() -> None:
            nonlocal is_over
            is_over = True
            if is_stream:
                running.cancel()

        async def send_on(message: Message) -> None:
            nonlocal is_stream
            if message["type"] == "http.response.start":
                kind = dict(message.get("headers", ())).get(b"content-type", b"")
                is_stream = kind.startswith(b"text/event-stream")
            await send(message)
            if is_over and is_stream:
                running.cancel()

        with watch(scope, end):
            await app(scope, receive, send_on)
    if running.cancelled_caught:
        await send({"type": "http.response.body", "body": b"", "more_body": False})
