"""Signing in with the passcode, from the sign-in page's form or with JSON, and signing out."""

from contextlib import suppress
from http import HTTPStatus
from typing import Literal, TypedDict
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse, RedirectResponse, Response

from bottega.core.doors.callers import USER_ID
from bottega.core.sign_ins import LIFETIME, SignIns
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, NotFound
from bottega.server.errors import explain_validation
from bottega.server.limits import client_of
from bottega.server.passcode import COOKIE, Passcode
from bottega.server.revocation import CREDENTIAL, Credential, sign_in_credential
from bottega.server.static import sign_in_page


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
