"""Every error a caller can meet, in one tree.

    BottegaError
    ├── InvalidInput        the caller's words are wrong: say which, and what would be right
    ├── MalformedJson       not even JSON
    ├── NotFound            no such thing
    ├── Conflict            it exists already, or is in a state that forbids this
    ├── InsufficientData    too little is known yet to answer
    ├── Unauthorized        no token, or a wrong one
    ├── Forbidden           known, but not allowed: another's data, a path outside the root
    ├── TooLarge            over a size limit
    ├── TooMany             over a rate limit; `retry_after` seconds
    ├── RequestTimeout      the request took too long to arrive
    ├── BudgetExceeded      the money set aside for this is spent
    ├── Unavailable         a part that is configured does not answer
    │   └── StorageUnavailable  the disk is full or read-only, or the database is away
    ├── Cancelled           a person or the server stopped it
    ├── ModelError          a model call failed
    │   ├── ApiRefusalError     the model refused
    │   └── ApiMaxTokensError   the answer was cut off
    └── ConfigurationError  a setting is missing or wrong: ends start-up with exit code 1

An error is raised once, with a message that says what is wrong, with what value and what to do;
each door maps it once (`server/errors.py`, `server/mcp.py`, `server/websocket.py`, `cli/main.py`).
"""

from typing import Any, ClassVar


class BottegaError(Exception):
    #: The error's name on every wire: `{"error": {"type", "message"}}`.
    type: ClassVar[str] = "internal_error"
    #: The HTTP status that fits it.
    status: ClassVar[int] = 500

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        #: Extra fields for the wire, such as `valid_options` or `retry_after`.
        self.details = details

    def body(self) -> dict[str, Any]:
        return {"error": {"type": self.type, "message": self.message, **self.details}}


class InvalidInput(BottegaError):
    type = "validation_error"
    status = 422


class MalformedJson(BottegaError):
    type = "malformed_json"
    status = 400


class NotFound(BottegaError):
    type = "not_found"
    status = 404


class Conflict(BottegaError):
    type = "conflict"
    status = 409


class InsufficientData(BottegaError):
    type = "insufficient_data"
    status = 409


class Unauthorized(BottegaError):
    type = "unauthorized"
    status = 401


class Forbidden(BottegaError):
    type = "forbidden"
    status = 403


class TooLarge(BottegaError):
    type = "too_large"
    status = 413


class TooMany(BottegaError):
    type = "too_many_requests"
    status = 429


class RequestTimeout(BottegaError):
    type = "timeout"
    status = 408


class BudgetExceeded(BottegaError):
    type = "budget_exceeded"
    status = 402


class Unavailable(BottegaError):
    type = "unavailable"
    status = 503


class StorageUnavailable(Unavailable):
    """Its details: which `part`, the `reason`, and seconds to `retry_after`."""

    type = "storage_unavailable"


class Cancelled(BottegaError):
    type = "cancelled"
    status = 409


class ModelError(BottegaError):
    type = "model_error"
    status = 502


class ApiRefusalError(ModelError):
    type = "model_refusal"


class ApiMaxTokensError(ModelError):
    type = "model_max_tokens"


class ConfigurationError(BottegaError):
    type = "configuration_error"
    status = 500
