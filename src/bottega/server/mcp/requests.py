"""Requests of an MCP server: who makes one, what their client can do, and how it is refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.responses import JSONResponse

from bottega.core.doors.callers import caller_of
from bottega.core.rooms import Caller, Door
from bottega.errors import BottegaError, NotFound
from bottega.server.errors import headers_of, known_error
from bottega.server.mcp.calls import internal_error
from bottega.server.mcp.sessions import client_name

Context = ServerRequestContext[Any, Any]


def caller_in(context: Context) -> Caller:
    # Over stdio there is no request: whoever started the process is the local user.
    scope = context.request.scope if context.request is not None else {}
    return caller_of(scope, Door.MCP, client_name(context.session))


def can_be_asked(context: Context) -> bool:
    """Whether the client shows forms. One that names no kind means them."""
    can = context.session.client_capabilities
    if can is None or can.elicitation is None:
        return False
    return can.elicitation.form is not None or can.elicitation.url is None


def is_stateless(context: Context) -> bool:
    """Of the era in which a server answers and never asks by itself."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


#: What an unknown resource was called until the revision of 2026-07-28.
RESOURCE_NOT_FOUND = -32002


def refuse_request(error: BottegaError) -> JSONResponse:
    """Before the SDK has read it: an error of JSON-RPC, by the HTTP status that fits."""
    failure = {"code": INTERNAL_ERROR, "message": error.message, "data": error.body()}
    body = {"jsonrpc": "2.0", "id": None, "error": failure}
    return JSONResponse(body, error.status, headers_of(error))


@contextmanager
def refusing(room: str, what: str) -> Iterator[None]:
    """Turns what goes wrong with a request that is no tool call into the protocol's own error.

    A tool's error is a result, for the model to read. A resource, a prompt or a completion has no
    such place: there the error is the answer, with our body in its data.
    """
    try:
        yield
    except MCPError:
        raise
    except Exception as failure:
        error = known_error(failure) or internal_error(room or "mcp", what)
        code = INTERNAL_ERROR if error.status >= 500 else INVALID_PARAMS
        raise MCPError(code, error.message, error.body()) from None


@contextmanager
def refusing_resource(room: str, uri: str, protocol_version: str) -> Iterator[None]:
    """The same, and what is not there by the code that the revision has for it."""
    with refusing(room, uri):
        try:
            yield
        except NotFound as error:
            modern = protocol_version in MODERN_PROTOCOL_VERSIONS
            code = INVALID_PARAMS if modern else RESOURCE_NOT_FOUND
            raise MCPError(code, error.message, {"uri": uri, **error.body()}) from None
