"""Messages from rooms to all connected WebSocket clients.

Rooms know no door: the server attaches its own broadcast when it starts. Without a server nothing
is attached, and a broadcast reaches nobody.
"""

from typing import Any, Protocol

from pydantic import BaseModel


class Broadcast(Protocol):
    """Sends a message to the clients that it is meant for; does not wait for them."""

    def __call__(
        self,
        type: str,
        payload: BaseModel | dict[str, Any],
        *,
        user_id: str | None = None,
        project: str | None = None,
    ) -> None: ...


class Broadcaster:
    def __init__(self) -> None:
        self._broadcasts: list[Broadcast] = []

    def attach(self, broadcast: Broadcast) -> None:
        self._broadcasts.append(broadcast)

    def broadcast(
        self,
        type: str,
        payload: BaseModel | dict[str, Any],
        *,
        user_id: str | None = None,
        project: str | None = None,
    ) -> None:
        """Send to every client, or to those of one user, or to those that show one project."""
        for broadcast in self._broadcasts:
            broadcast(type, payload, user_id=user_id, project=project)
