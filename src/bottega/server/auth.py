"""Who is calling, on every door: a bearer token, the passcode's cookie, or the local user.

On loopback nobody has to say who they are, unless a token or a passcode is set. Whoever shows a
token is that token's user, and a wrong token is refused everywhere: it never falls back to the
local user.
"""

import hmac
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from bottega.core.doors.callers import GRANT, TOKEN_ID, USER_ID
from bottega.core.roles import OWNERS, Grant
from bottega.core.sign_ins import SignIns
from bottega.core.users import LOCAL_USER, VerifiedToken
from bottega.errors import BottegaError, TooMany, Unauthorized
from bottega.server.errors import refuse
from bottega.server.limits import RateLimiter
from bottega.server.login import Passcode, read_cookie
from bottega.server.network.admission import RATE_SETTING
from bottega.server.network.proxies import FORWARDED_BY_STRANGER
from bottega.server.network.proxies import SETTING as PROXIES_SETTING
from bottega.server.network.quotas import holder_of
from bottega.server.revocation import (
    CREDENTIAL,
    Credential,
    Revocations,
    end_streams,
    sign_in_credential,
    token_credential,
)
from bottega.server.static import sign_in_page

#: A browser's WebSocket cannot send an `Authorization` header: it offers `bottega` and
#: `bottega.bearer.TOKEN` as subprotocols. Never a query parameter: URLs end up in logs.
SUBPROTOCOL = "bottega"
BEARER_SUBPROTOCOL = "bottega.bearer."

#: Open to everybody: they say little, or are needed to sign in.
OPEN_PATHS = frozenset({"/health", "/api/login", "/favicon.svg"})
OPEN_FOLDERS = ("/pages/",)


class TokenVerifier(Protocol):
    async def verify(self, secret: str) -> VerifiedToken | None:
        """Which token it is, and whose; `None` for none that is good."""
        ...


class Identity(NamedTuple):
    #: `None` for somebody who has not said who they are.
    user_id: str | None
    #: What they showed, if it can be revoked while they are inside.
    credential: str | None = None
    grant: Grant = OWNERS
    #: How often the credential had been changed when it was looked at.
    changes: int = 0
    #: Of a token that was issued.
    token_id: str | None = None


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
    sign_ins: SignIns | None = None
    revocations: Revocations = field(default_factory=Revocations)

    async def identify_token(self, token: str) -> Identity | None:
        given = token.encode()
        # Every one is compared, so that the time taken tells nothing.
        if sum(hmac.compare_digest(given, own.encode()) for own in self.tokens):
            return Identity(LOCAL_USER)
        # Noted before the token is read: what changes meanwhile is seen as a change.
        changes = self.revocations.changes
        verified = await self.issued.verify(token) if self.issued else None
        if verified is None:
            return None
        credential = token_credential(verified.token_id)
        user_id, token_id, grant = verified
        return self._live(Identity(user_id, credential, grant, changes, token_id))

    async def identify_cookie(self, header: str) -> Identity | None:
        cookie = read_cookie(header) if header and self.passcode else None
        if cookie is None or self.passcode is None or self.sign_ins is None:
            return None
        found = await self.sign_ins.find(cookie, self.passcode.proof)
        if found is None:
            return None
        return self._live(Identity(found.user_id, sign_in_credential(found.id)))

    def _live(self, found: Identity) -> Identity | None:
        credential = found.credential
        is_ended = credential is not None and self.revocations.is_ended(credential)
        return None if is_ended else found


class Authentication:
    def __init__(self, app: ASGIApp, credentials: Credentials, limiter: RateLimiter) -> None:
        """`limiter` bounds the requests of an address that come to nothing."""
        self.app = app
        self._credentials = credentials
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        try:
            user_id, credential, grant, changes, token_id = await self._identify(scope, headers)
        except BottegaError as error:
            await self._refuse(error, scope, receive, send)
            return
        has_passcode = self._credentials.passcode is not None
        scope[USER_ID], scope[GRANT], scope[TOKEN_ID] = user_id, grant, token_id
        if credential is not None:
            scope[CREDENTIAL] = Credential(credential, self._credentials.revocations, changes)
        if credential is not None and scope["type"] == "http":
            await end_streams(self.app, scope, receive, send)
        elif user_id is not None or _is_open(scope["path"]):
            await self.app(scope, receive, send)
        elif _wants_page(scope, headers) and (has_passcode or FORWARDED_BY_STRANGER not in scope):
            await sign_in_page(has_passcode)(scope, receive, send)
        else:
            await self._refuse(_missing(scope), scope, receive, send)

    async def _refuse(
        self, error: BottegaError, scope: Scope, receive: Receive, send: Send
    ) -> None:
        try:
            self._limiter.check(holder_of(scope).name, "requests", RATE_SETTING)
        except TooMany as too_many:
            error = too_many
        await refuse(error, scope, receive, send)

    async def _identify(self, scope: Scope, headers: dict[bytes, bytes]) -> Identity:
        token = _bearer(scope, headers)
        if token is not None:
            identity = await self._credentials.identify_token(token)
            if identity is None:
                raise Unauthorized("This token is not valid: it is wrong, or was revoked.")
            return identity
        cookie = headers.get(b"cookie", b"").decode("latin-1")
        is_local = not self._credentials.required and FORWARDED_BY_STRANGER not in scope
        nobody = Identity(LOCAL_USER if is_local else None)
        return await self._credentials.identify_cookie(cookie) or nobody


def _bearer(scope: Scope, headers: dict[bytes, bytes]) -> str | None:
    given = headers.get(b"authorization", b"").decode("utf-8", "replace")
    scheme, _, token = given.partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    for offered in scope.get("subprotocols", ()):
        if offered.startswith(BEARER_SUBPROTOCOL):
            return str(offered.removeprefix(BEARER_SUBPROTOCOL))
    return None


def _missing(scope: Scope) -> Unauthorized:
    if FORWARDED_BY_STRANGER in scope:
        return Unauthorized(
            f"A proxy at {scope[FORWARDED_BY_STRANGER]} passed this request on, so it does not "
            "come from this machine's user. Send `Authorization: Bearer TOKEN`. If the proxy is "
            f"yours, name its address in {PROXIES_SETTING} and set BOTTEGA_PASSCODE."
        )
    return Unauthorized("Say who you are: send `Authorization: Bearer TOKEN`, or sign in at /.")


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDERS)


def _wants_page(scope: Scope, headers: dict[bytes, bytes]) -> bool:
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return False
    return b"text/html" in headers.get(b"accept", b"") and not scope["path"].startswith("/api/")
