"""Signing in with the passcode, from the sign-in page's form or with JSON, and signing out."""

from http import HTTPStatus
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import JSONResponse, RedirectResponse, Response

from bottega.errors import BottegaError, NotFound
from bottega.server.errors import explain_validation
from bottega.server.limits import client_of
from bottega.server.passcode import COOKIE, LIFETIME, Passcode
from bottega.server.static import sign_in_page


class SignIn(BaseModel):
    passcode: str


def login_routes(passcode: Passcode | None) -> APIRouter:
    router = APIRouter(tags=["sign-in"])

    @router.post("/login", openapi_extra=_documented_body())
    async def sign_in(request: Request) -> Response:
        """Give the passcode, get the cookie."""
        if passcode is None:
            raise NotFound("There is no passcode to sign in with: BOTTEGA_PASSCODE is not set.")
        is_form = request.headers.get("content-type", "").startswith("application/x-www-form")
        body = await request.body()
        try:
            cookie = passcode.sign_in(_attempt(body, is_form), client_of(request.scope))
        except BottegaError as error:
            if is_form:
                return sign_in_page(True, error.message, error.status)
            raise
        response: Response = JSONResponse({"signed_in": True})
        if is_form:
            response = RedirectResponse("/", HTTPStatus.SEE_OTHER)
        is_secure = request.url.scheme == "https"
        response.set_cookie(
            COOKIE, cookie, LIFETIME, httponly=True, samesite="strict", secure=is_secure
        )
        return response

    @router.post("/logout")
    async def sign_out() -> Response:
        """Forget the cookie."""
        response = JSONResponse({"signed_in": False})
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response

    return router


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
