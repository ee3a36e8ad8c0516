"""The handshake on a WebSocket: `connection:hello`, answered by `connection:init` (FR-053)."""

from collections.abc import Callable

from bottega.core import clock
from bottega.core.rooms import Incoming, Message
from bottega.core.wire import Capabilities, Hello, Init


def hello_message(
    capabilities: Callable[[], Capabilities], feature_flags: dict[str, bool]
) -> Message[Hello]:
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
