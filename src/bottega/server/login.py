"""The web app's passcode: signing in with it, from the sign-in page's form or with JSON, and
signing out. Whoever gives it is signed in (`core/sign_ins.py`).

What is kept with a sign-in as its proof is made from the passcode and a secret of the installation,
so a new passcode signs everybody out.
"""

import asyncio
import hashlib
import hmac
import math
import time
from collections import OrderedDict
from contextlib import suppress
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Literal, TypedDict
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse, RedirectResponse, Response

from bottega.core.doors.callers import USER_ID
from bottega.core.sign_ins import LIFETIME, SignIns
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, NotFound, TooMany, Unauthorized
from bottega.server.errors import explain_validation
from bottega.server.limits import REMEMBERED_CLIENTS, RateLimiter, client_of, network_of
from bottega.server.revocation import CREDENTIAL, Credential, sign_in_credential
from bottega.server.static import sign_in_page

COOKIE = "bottega_session"

#: Attempts that one client, and all clients together, have at once and then win back a minute.
#: A site of IPv6, which has 65,536 networks, has as many as all together.
ATTEMPTS = 5
ATTEMPTS_OF_ALL = 30
#: Seconds for which a client that failed is one of those who use up what all have together.
FAILURE_SECONDS = 300.0
#: Seconds that each of the others takes when that is used up, one after the other.
SLOW_SECONDS = 0.25
#: Bits of an IPv6 address that say at which site it is.
SITE = 48


class Passcode:
    def __init__(self, passcode: str, secret: bytes) -> None:
        self._passcode = passcode.encode()
        key = hashlib.scrypt(self._passcode, salt=secret, n=2**14, r=8, p=1, dklen=32)
        #: Says that this passcode was given, and not which it is.
        self.proof = key.hex()
        self._each = RateLimiter(ATTEMPTS / 60, ATTEMPTS)
        self._sites = RateLimiter(ATTEMPTS_OF_ALL / 60, ATTEMPTS_OF_ALL)
        self._all = RateLimiter(ATTEMPTS_OF_ALL / 60, ATTEMPTS_OF_ALL)
        #: When each client that failed lately did so.
        self._failed: OrderedDict[str, float] = OrderedDict()
        self._line = asyncio.Lock()

    async def check(self, attempt: str, address: str) -> None:
        """Raises an error for a wrong passcode, and for too many attempts.

        Others' failures never refuse a client that has none: they would keep the owner out.
        """
        client, site = network_of(address), network_of(address, SITE)
        self._each.check(client, "sign-in attempts")
        if site != client:
            self._sites.check(site, "sign-in attempts")
        if wait := self._all.wait("all clients"):
            await self._slow_down(client, math.ceil(wait))
        if not hmac.compare_digest(attempt.encode(), self._passcode):
            self._note_failure(client)
            raise Unauthorized("That is not the passcode. It is the value of BOTTEGA_PASSCODE.")

        self._failed.pop(client, None)

    async def _slow_down(self, client: str, seconds: int) -> None:
        if time.monotonic() - self._failed.get(client, -math.inf) < FAILURE_SECONDS:
            raise TooMany(
                f"Too many sign-in attempts have failed, some of {client}: try again in "
                f"{seconds} s.",
                retry_after=seconds,
            )
        async with self._line:
            await asyncio.sleep(SLOW_SECONDS)

    def _note_failure(self, client: str) -> None:
        self._failed[client] = time.monotonic()
        self._failed.move_to_end(client)
        if len(self._failed) > REMEMBERED_CLIENTS:
            self._failed.popitem(last=False)


def read_cookie(header: str) -> str | None:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return morsel.value if morsel else None


class SignIn(BaseModel):
    passcode: str


def login_routes(passcode: Passcode | None, sign_ins: SignIns) -> APIRouter:
    router = APIRouter(tags=["sign-in"])

    @router.post("/login", openapi_extra=_documented_body())
    async def sign_in(request: Request) -> Response:
        """Give the passcode, get the cookie."""
        if passcode is None:
            raise NotFound("There is no passcode to sign in with: BOTTEGA_PASSCODE is not set.")
        is_form = request.headers.get("content-type", "").startswith("application/x-www-form")
        body = await request.body()
        try:
            await passcode.check(_attempt(body, is_form), client_of(request.scope))
        except BottegaError as error:
            if is_form:
                return sign_in_page(True, error.message, error.status)
            raise
        response: Response = JSONResponse({"signed_in": True})
        if is_form:
            response = RedirectResponse("/", HTTPStatus.SEE_OTHER)
        cookie = await sign_ins.begin(
            LOCAL_USER,
            proof=passcode.proof,
            address=client_of(request.scope),
            agent=request.headers.get("user-agent", ""),
        )
        lifetime = int(LIFETIME.total_seconds())
        response.set_cookie(COOKIE, cookie, lifetime, **_attributes(request))
        return response

    @router.post("/logout")
    async def sign_out(request: Request) -> Response:
        """Forget the cookie: it is refused from now on, and what it let in is ended."""
        sign_in_id = sign_in_of(request)
        if sign_in_id is not None:
            with suppress(NotFound):  # another window was faster
                await sign_ins.end(sign_in_id, user_id=request.scope[USER_ID])
        response = JSONResponse({"signed_in": False})
        response.delete_cookie(COOKIE, **_attributes(request))
        return response

    return router


class CookieAttributes(TypedDict):
    httponly: bool
    samesite: Literal["lax"]
    secure: bool


def _attributes(request: Request) -> CookieAttributes:
    """Never for scripts; over https, as the browser sees it, for https only.

    Of other sites it goes with their links alone, because people come back from a source's sign-in
    by one. What they send by a form or a script has no cookie, and an `Origin` that is refused.
    """
    is_secure = request.url.scheme == "https"
    return {"httponly": True, "samesite": "lax", "secure": is_secure}


def sign_in_of(request: Request) -> str | None:
    """The one by which the request came in, if it did by a cookie."""
    credential: Credential | None = request.scope.get(CREDENTIAL)
    prefix = sign_in_credential("")
    if credential is None or not credential.id.startswith(prefix):
        return None
    return credential.id.removeprefix(prefix)


def _attempt(body: bytes, is_form: bool) -> str:
    if is_form:
        return parse_qs(body.decode("utf-8", "replace")).get("passcode", [""])[0]
    try:
        return SignIn.model_validate_json(body).passcode
    except ValidationError as error:
        raise explain_validation(error.errors(include_url=False)) from None


def _documented_body() -> dict[str, object]:
    schema = SignIn.model_json_schema()
    content = {
        "application/json": {"schema": schema},
        "application/x-www-form-urlencoded": {"schema": schema},
    }
    return {"requestBody": {"required": True, "content": content}}
