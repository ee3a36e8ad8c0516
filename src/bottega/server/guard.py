"""The `Host` and `Origin` check, on every door.

A page on the internet can make a browser talk to this machine. Two headers give it away: `Origin`
names the page, and after DNS rebinding `Host` still names the attacker's domain. Programs send no
`Origin`, so its absence is welcome.
"""

import ipaddress
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega.errors import Forbidden
from bottega.server.errors import refuse

DEFAULT_PORTS = {"http": 80, "https": 443}


class Authority(NamedTuple):
    """The `name:port` of a URL."""

    name: str
    port: int | None

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, text: str) -> "Authority | None":
        try:
            parts = urlsplit(f"//{text}")
            port = parts.port
        except ValueError:
            return None
        if not parts.hostname or parts.netloc != text or "@" in text:
            return None
        return cls(parts.hostname.rstrip("."), port)


@lru_cache(maxsize=1024)
def is_loopback(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class Guard:
    def __init__(self, app: ASGIApp, allowed_hosts: Iterable[str] = ()) -> None:
        """`allowed_hosts` are names, or `name:port` to mean that port only."""
        self.app = app
        self._allowed = {parsed for host in allowed_hosts if (parsed := Authority.parse(host))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        error = self._objection(scope)
        if error is None:
            await self.app(scope, receive, send)
        else:
            await refuse(error, scope, receive, send)

    def _objection(self, scope: Scope) -> Forbidden | None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        host = Authority.parse(hosts[0].decode("latin-1")) if len(hosts) == 1 else None
        if host is None or not self._is_ours(host, scope):
            named = ", ".join(value.decode("latin-1") for value in hosts) or "none"
            return Forbidden(
                f"This server does not answer to the host {named!r}. If it should, add the name "
                "to BOTTEGA_ALLOWED_HOSTS."
            )
        if any(not self._is_welcome(origin.decode("latin-1"), host) for origin in origins):
            return Forbidden(
                f"Pages from {origins[0].decode('latin-1')!r} may not talk to this server. If "
                "they should, add their host to BOTTEGA_ALLOWED_HOSTS."
            )
        return None

    def _is_ours(self, host: Authority, scope: Scope) -> bool:
        if is_loopback(host.name) or self._is_allowed(host):
            return True
        # The address the client really reached: an address cannot be rebound, only a name can.
        server = scope.get("server")
        return server is not None and host.name == server[0]

    def _is_welcome(self, origin: str, host: Authority) -> bool:
        scheme, separator, rest = origin.partition("://")
        page = Authority.parse(rest)
        if not separator or page is None:
            return False
        default = DEFAULT_PORTS.get(scheme)
        same_port = (page.port or default) == (host.port or default)
        return (page.name == host.name and same_port) or self._is_allowed(page)

    def _is_allowed(self, given: Authority) -> bool:
        return given in self._allowed or Authority(given.name, None) in self._allowed


#: Inline styles are allowed because the editor and the dialogs of the web app set them.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # `no-referrer` would make a form's Origin `null`, which the guard refuses.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
FOR_PAGES = [(b"content-security-policy", CONTENT_SECURITY_POLICY.encode())]
#: What the API says is personal and may change: it belongs in no cache.
FOR_API = [(b"cache-control", b"no-store")]


class SecurityHeaders:
    """Headers that tell browsers what our pages may do, on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = dict(message.get("headers", ()))
                extra = ALWAYS
                if given.get(b"content-type", b"").startswith(b"text/html"):
                    extra = extra + FOR_PAGES
                if scope["path"].startswith("/api/") and b"cache-control" not in given:
                    extra = extra + FOR_API
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        await self.app(scope, receive, adding)
