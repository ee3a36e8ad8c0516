"""What went wrong with a request that is no tool call, as the protocol's own errors.

A tool's error is a result, for the model to read. A resource, a prompt or a completion has no such
place: there the error is the answer, with our body in its data.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from bottega.errors import BottegaError, NotFound
from bottega.server.mcp.calls import internal_error

#: What an unknown resource was called until the revision of 2026-07-28.
RESOURCE_NOT_FOUND = -32002


@contextmanager
def refusing(room: str, what: str) -> Iterator[None]:
    try:
        yield
    except BottegaError as error:
        code = INTERNAL_ERROR if error.status >= 500 else INVALID_PARAMS
        raise MCPError(code, error.message, error.body()) from None
    except MCPError:
        raise
    except Exception:
        failure = internal_error(room or "mcp", what)
        raise MCPError(INTERNAL_ERROR, failure.message, failure.body()) from None


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
