"""The router of WebSocket messages: a map from a message's type to who handles it.

Whatever a client sends, it is answered and stays connected: a message that cannot be handled gets
a `connection:error` with `{code, message, context}`.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

import orjson
import structlog
from pydantic import ValidationError

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.doors.authorization import Authorization, names_of
from bottega.core.roles import HOUSE
from bottega.core.rooms import Connection, Incoming, Message
from bottega.core.wire import Capabilities, Hello, Init
from bottega.errors import BottegaError, ConfigurationError
from bottega.server.errors import explain_validation, known_error

log = structlog.get_logger()


class Code(StrEnum):
    """Codes of `connection:error`. Errors of a room have their own: `NOT_FOUND`, `CONFLICT`, …"""

    MALFORMED_JSON = "MALFORMED_JSON"
    INVALID_MESSAGE = "INVALID_MESSAGE"
    INVALID_PAYLOAD = "INVALID_PAYLOAD"
    UNKNOWN_TYPE = "UNKNOWN_TYPE"
    UNSUPPORTED_DATA = "UNSUPPORTED_DATA"
    TOO_LARGE = "TOO_LARGE"
    INTERNAL = "INTERNAL"


class Rejected(Exception):
    """A message that cannot be handled, and why."""

    def __init__(self, code: str, message: str, id: str | None = None, **context: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id
        self.context = context


class MessageRouter:
    def __init__(self, max_bytes: int, authorization: Authorization | None = None) -> None:
        self.max_bytes = max_bytes
        self._authorization = authorization or Authorization()
        self._messages: dict[str, Message[Any]] = {}
        #: The room of each; none for a message that everybody may send.
        self._rooms: dict[str, str | None] = {}

    @property
    def types(self) -> list[str]:
        return sorted(self._messages)

    def add(self, messages: Iterable[Message[Any]], room: str | None = HOUSE) -> None:
        new = {message.type: message for message in messages}
        if taken := new.keys() & self._messages.keys():
            raise ConfigurationError(f"Two rooms handle the message {sorted(taken)[0]!r}.")
        self._messages |= new
        self._rooms |= dict.fromkeys(new, room)

    def remove(self, messages: Iterable[Message[Any]]) -> None:
        for message in messages:
            self._messages.pop(message.type, None)
            self._rooms.pop(message.type, None)

    async def dispatch(self, data: str | bytes, connection: Connection) -> None:
        """Handle one frame's worth of data, and answer what cannot be handled."""
        try:
            incoming, message = await self._understand(data, connection)
        except Rejected as rejected:
            _reject(connection, rejected)
            return
        if message is None:
            log.warning("message.unknown", type=incoming.type, connection=connection.id)
            if incoming.id is not None:
                problem = f"No room handles {incoming.type!r}."
                unknown = Rejected(Code.UNKNOWN_TYPE, problem, incoming.id, type=incoming.type)
                _reject(connection, unknown)
            return
        await _handle(message, incoming)

    async def _understand(
        self, data: str | bytes, connection: Connection
    ) -> tuple[Incoming[Any], Message[Any] | None]:
        type_, payload, id_ = _open_envelope(self._decode(data))
        message = self._messages.get(type_)
        if message is not None:
            await self._authorize(message, payload, connection, id_)
            try:
                payload = message.schema.model_validate(payload)
            except ValidationError as error:
                wrong = explain_validation(error.errors(include_url=False, include_context=False))
                raise Rejected(
                    Code.INVALID_PAYLOAD, wrong.message, id_, type=type_, **wrong.details
                ) from None
        return Incoming(type_, payload, connection, id_), message

    async def _authorize(
        self,
        message: Message[Any],
        payload: dict[str, Any],
        connection: Connection,
        id_: str | None,
    ) -> None:
        room = self._rooms[message.type]
        if room is None:
            return
        try:
            await self._authorization.check(
                connection.caller, message.right, room, payload, names_of(message.schema)
            )
        except BottegaError as error:
            context = {"type": message.type, **error.details}
            raise Rejected(error.type.upper(), error.message, id_, **context) from None

    def _decode(self, data: str | bytes) -> object:
        if isinstance(data, bytes):
            raise Rejected(Code.UNSUPPORTED_DATA, "Send JSON as text; binary frames are not read.")
        # A character is up to four bytes: count exactly only where it can matter.
        if len(data) * 4 > self.max_bytes and (size := len(data.encode())) > self.max_bytes:
            problem = f"The message has {size} bytes; at most {self.max_bytes} are taken."
            raise Rejected(Code.TOO_LARGE, problem, limit=self.max_bytes)
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise Rejected(Code.MALFORMED_JSON, f"This is not JSON: {error}") from None


def hello_message(
    capabilities: Callable[[], Capabilities], feature_flags: dict[str, bool]
) -> Message[Hello]:
    """The handshake: `connection:hello`, answered by `connection:init` (FR-053)."""

    async def greet(incoming: Incoming[Hello]) -> None:
        connection = incoming.connection
        connection.state["hello"] = incoming.payload
        connection.state["greeted_at"] = clock.iso()
        # The sitting at this socket; rooms tell of their own sessions in their own messages.
        incoming.reply(
            "connection:init",
            Init(
                session_id=connection.id,
                capabilities=capabilities(),
                feature_flags=feature_flags,
            ),
        )

    return Message("connection:hello", Hello, greet)


def _open_envelope(envelope: object) -> tuple[str, dict[str, Any], str | None]:
    """FR-049."""
    if not isinstance(envelope, dict):
        raise Rejected(Code.INVALID_MESSAGE, 'A message is an object: {"type": …, "payload": {…}}.')
    id_ = envelope.get("id")
    if not isinstance(id_, str | None):
        raise Rejected(Code.INVALID_MESSAGE, "`id` is text, or absent.")
    type_ = envelope.get("type")
    if not isinstance(type_, str):
        raise Rejected(Code.INVALID_MESSAGE, "`type` is missing or not text.", id_)
    payload = envelope.get("payload")
    if not isinstance(payload, dict):
        problem = "`payload` is missing or not an object."
        raise Rejected(Code.INVALID_PAYLOAD, problem, id_, type=type_)
    return type_, payload, id_


async def _handle(message: Message[Any], incoming: Incoming[Any]) -> None:
    try:
        await message.handle(incoming)
    except Exception as failure:
        error = known_error(failure)
        if error is not None:
            context = {"type": incoming.type, **error.details}
            _reject(
                incoming.connection,
                Rejected(error.type.upper(), error.message, incoming.id, **context),
            )
            return
        reference = new_id()
        log.exception("message.failed", type=incoming.type, reference=reference)
        problem = f"Something went wrong inside the server; its log has it under {reference}."
        context = {"type": incoming.type, "reference": reference}
        _reject(incoming.connection, Rejected(Code.INTERNAL, problem, incoming.id, **context))


def _reject(connection: Connection, rejected: Rejected) -> None:
    log.warning(
        "message.rejected", code=rejected.code, why=rejected.message, connection=connection.id
    )
    connection.send(
        "connection:error",
        {"code": rejected.code, "message": rejected.message, "context": rejected.context},
        reply_to=rejected.id,
    )
