"""Errors as HTTP answers: one shape, `{"error": {"type", "message", …}}`, whatever went wrong."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from sqlalchemy.exc import DataError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.utils import ClientDisconnected

from bottega.core.clock import new_id
from bottega.core.db.failures import storage_error
from bottega.errors import BottegaError, InvalidInput, MalformedJson

log = structlog.get_logger()


class ErrorDetail(BaseModel, extra="allow"):
    """What went wrong; some errors add fields, such as `valid_options` or `retry_after`."""

    type: str
    message: str


class ErrorBody(BaseModel):
    error: ErrorDetail


#: For `responses=` of a router, so that the OpenAPI document shows the shape of every error.
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": ErrorBody, "description": "The request cannot be done as it is."},
    "5XX": {"model": ErrorBody, "description": "The server could not do it."},
}


def headers_of(error: BottegaError) -> dict[str, str]:
    headers = {}
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if "retry_after" in error.details:
        headers["Retry-After"] = str(error.details["retry_after"])
    return headers


def respond(error: BottegaError) -> JSONResponse:
    return JSONResponse(error.body(), error.status, headers_of(error))


async def refuse(error: BottegaError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the error from plain ASGI; a WebSocket's upgrade is denied with the same."""
    log.info("request.refused", path=scope["path"], error=error.type, why=error.message)
    await respond(error)(scope, receive, send)


def explain_validation(problems: Sequence[Any]) -> InvalidInput:
    """Pydantic's findings as one sentence, and field by field."""
    fields = [
        {"field": ".".join(str(part) for part in problem["loc"]), "problem": problem["msg"]}
        for problem in problems
    ]
    message = "; ".join(f"{item['field'] or 'value'}: {item['problem']}" for item in fields)
    return InvalidInput(message, fields=fields)


def handle_errors(app: FastAPI) -> None:
    """Register what turns an exception of a route into an answer."""
    app.add_exception_handler(BottegaError, _known_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)


async def _known_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, BottegaError)
    return respond(error)


async def _invalid_request(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = error.errors()
    broken = next((item for item in problems if item["type"] == "json_invalid"), None)
    if broken is None:
        return respond(explain_validation(problems))
    position = broken["loc"][-1]
    return respond(
        MalformedJson(
            f"The body is not JSON: {broken['ctx']['error']} at character {position}.",
            position=position,
        )
    )


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    messages = {
        HTTPStatus.NOT_FOUND: f"There is nothing at {request.url.path}. /docs lists what there is.",
        HTTPStatus.METHOD_NOT_ALLOWED: f"{request.url.path} does not take {request.method}; see "
        "the Allow header.",
    }
    detail = error.detail if error.detail != status.phrase else messages.get(status, error.detail)
    type_ = status.phrase.lower().replace(" ", "_")
    body = {"error": {"type": type_, "message": detail}}
    return JSONResponse(body, status, error.headers)


class LastResort:
    """Any other exception becomes a 500 that names a reference, under which the log has it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watching(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, watching)
        except Exception as failure:
            if is_gone(failure):
                log.info("request.abandoned", path=scope.get("path"))
                return
            reference = new_id()
            error = known_error(failure)
            if started and error is not None and error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                # A refusal that comes too late to be said: the answer ends here.
                log.info("request.refused", path=scope.get("path"), error=error.type)
                return
            if error is None or started:
                log.exception("request.failed", path=scope.get("path"), reference=reference)
            if started or scope["type"] == "lifespan":
                raise
            error = error or BottegaError(
                "Something went wrong inside the server. Its log has the details under this "
                f"reference: {reference}",
                reference=reference,
            )
            await respond(error)(scope, receive, send)


def is_gone(failure: BaseException) -> bool:
    """Whether it says no more than that the client went away."""
    if isinstance(failure, BaseExceptionGroup):
        return all(is_gone(each) for each in failure.exceptions)
    return isinstance(failure, ClientDisconnect | ClientDisconnected)


def known_error(failure: Exception) -> BottegaError | None:
    """Ours, what a library met of a full disk or a lost database, or a text that nothing can
    store; `None` if it is neither."""
    if isinstance(failure, BottegaError):
        return failure
    return storage_error(failure) or _unwritable_text(failure)


def _unwritable_text(failure: Exception) -> InvalidInput | None:
    """JSON can say what neither UTF-8 nor PostgreSQL can."""
    if isinstance(failure, UnicodeEncodeError):
        return InvalidInput(
            "A text contains half of a surrogate pair (\\ud800 to \\udfff), which cannot be "
            "written. Send whole characters."
        )
    if isinstance(failure, DataError):
        return InvalidInput(
            f"The database cannot store a value that was sent: {str(failure.orig).strip()}"
        )
    return None
