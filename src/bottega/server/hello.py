"""The handshake on a WebSocket: `connection:hello`, answered by `connection:init` (FR-053)."""

from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from bottega.core import clock
from bottega.core.rooms import Incoming, Message


class Wired(BaseModel):
    """camelCase on the wire, snake_case here."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class WindowSize(Wired):
    width: int = Field(ge=0)
    height: int = Field(ge=0)


class Hello(Wired):
    """What a client says of itself."""

    version: str
    platform: str
    window_size: WindowSize


class Capabilities(Wired):
    rooms: list[str]
    messages: list[str]


class Init(Wired):
    session_id: str
    capabilities: Capabilities
    feature_flags: dict[str, bool]


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
