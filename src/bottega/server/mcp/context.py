"""Who makes a request of an MCP server, and what their client can do."""

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from bottega.core.doors.callers import caller_of
from bottega.core.rooms import Caller, Door
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
