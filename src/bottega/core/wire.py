"""The envelope's part of the WebSocket protocol, which every room stands on.

JSON as browsers and editors like it: camelCase on the wire, snake_case here.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class Wired(BaseModel):
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


class Problem(Wired):
    """What `connection:error` says."""

    code: str
    message: str
    context: dict[str, Any]
