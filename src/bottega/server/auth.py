"""Who is calling, on every door: a bearer token, the passcode's cookie, or the local user.

On loopback nobody has to say who they are, unless a token or a passcode is set. Whoever shows a
token is that token's user, and a wrong token is refused everywhere: it never falls back to the
local user.
"""

import hmac
from dataclasses import dataclass
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from bottega.core.callers import USER_ID
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, Unauthorized
from bottega.server.errors import refuse
from bottega.server.passcode import Passcode, read_cookie
from bottega.server.static import sign_in_page

#: A browser's WebSocket cannot send an `Authorization` header: it offers `bottega` and
#: `bottega.bearer.TOKEN` as subprotocols. Never a query parameter: URLs end up in logs.
SUBPROTOCOL = "bottega"
BEARER_SUBPROTOCOL = "bottega.bearer."

#: Open to everybody: they say little, or are needed to sign in.
OPEN_PATHS = frozenset({"/health", "/api/login", "/favicon.svg"})
OPEN_FOLDERS = ("/pages/",)


class TokenVerifier(Protocol):
    async def verify(self, secret: str) -> str | None:
        """Whose token it is."""
        ...


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the server accepts."""

    #: Nobody comes in without showing something.
    required: bool = False
    #: Tokens of the local user: the configured one, and the one of this process's `server.json`.
    tokens: tuple[str, ...] = ()
    #: Tokens that were issued to users.
    issued: TokenVerifier | None = None
    passcode: Passcode | None = None

    async def user_of_token(self, token: str) -> str | None:
        given = token.encode()
        # Every one is compared, so that the time taken tells nothing.
        if sum(hmac.compare_digest(given, own.encode()) for own in self.tokens):
            return LOCAL_USER
        return await self.issued.verify(token) if self.issued else None

    def user_of_cookie(self, cookie: str) -> str | None:
        value = read_cookie(cookie) if self.passcode else None
        return self.passcode.user_of(value) if self.passcode and value else None


class Authentication:
    def __init__(self, app: ASGIApp, credentials: Credentials) -> None:
        self.app = app
        self._credentials = credentials

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        try:
            user_id = await self._identify(scope, headers)
        except BottegaError as error:
            await refuse(error, scope, receive, send)
            return
        scope[USER_ID] = user_id
        if user_id is not None or _is_open(scope["path"]):
            await self.app(scope, receive, send)
        elif _wants_page(scope, headers):
            has_passcode = self._credentials.passcode is not None
            await sign_in_page(has_passcode)(scope, receive, send)
        else:
            await refuse(_missing(), scope, receive, send)

    async def _identify(self, scope: Scope, headers: dict[bytes, bytes]) -> str | None:
        token = _bearer(scope, headers)
        if token is not None:
            user_id = await self._credentials.user_of_token(token)
            if user_id is None:
                raise Unauthorized("This token is not valid: it is wrong, or was revoked.")
            return user_id
        user_id = self._credentials.user_of_cookie(headers.get(b"cookie", b"").decode("latin-1"))
        return user_id or (None if self._credentials.required else LOCAL_USER)


def _bearer(scope: Scope, headers: dict[bytes, bytes]) -> str | None:
    given = headers.get(b"authorization", b"").decode("utf-8", "replace")
    scheme, _, token = given.partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    for offered in scope.get("subprotocols", ()):
        if offered.startswith(BEARER_SUBPROTOCOL):
            return str(offered.removeprefix(BEARER_SUBPROTOCOL))
    return None


def _missing() -> Unauthorized:
    return Unauthorized("Say who you are: send `Authorization: Bearer TOKEN`, or sign in at /.")


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDERS)


def _wants_page(scope: Scope, headers: dict[bytes, bytes]) -> bool:
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return False
    return b"text/html" in headers.get(b"accept", b"") and not scope["path"].startswith("/api/")
