"""One connected window, as a message handler sees it, that keeps what it is sent."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from bottega.core.rooms import Caller, Door
from bottega.core.users import LOCAL_USER


@dataclass
class Window:
    user_id: str = LOCAL_USER
    id: str = "ws_test"
    state: dict[str, Any] = field(default_factory=dict)
    #: Type, payload, and the id of the message that it answers.
    sent: list[tuple[str, dict[str, Any], str | None]] = field(default_factory=list)

    @property
    def caller(self) -> Caller:
        return Caller(Door.WEBSOCKET, self.user_id)

    def send(
        self, type: str, payload: BaseModel | dict[str, Any], *, reply_to: str | None = None
    ) -> None:
        if isinstance(payload, BaseModel):
            payload = payload.model_dump(mode="json", by_alias=True)
        self.sent.append((type, payload, reply_to))
