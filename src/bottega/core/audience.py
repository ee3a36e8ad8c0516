"""Everyone who looks at the house over WebSocket, as rooms may speak to them.

Rooms know no door: the server attaches its own broadcast when it opens. Without a server nobody
looks, and what is said is said to nobody.
"""

from typing import Any, Protocol

from pydantic import BaseModel


class Broadcast(Protocol):
    def __call__(
        self,
        type: str,
        payload: BaseModel | dict[str, Any],
        *,
        user_id: str | None = None,
        project: str | None = None,
    ) -> None: ...


class Audience:
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
        """Tell everyone, or one user's windows, or those that show one project."""
        for broadcast in self._broadcasts:
            broadcast(type, payload, user_id=user_id, project=project)
