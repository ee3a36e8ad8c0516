"""How a command asks the house: the verbs of the REST API, answered in decoded JSON.

The command line puts one in `typer.Context.obj`: over HTTP when a server runs, in its own process
when none does. A room's `commands.py` knows only this.
"""

from typing import Any, Protocol


class Api(Protocol):
    """Synchronous; a refusal is raised as the `BottegaError` that the server met."""

    # The decoded JSON is whatever the route returns, hence `Any`.
    def get(self, path: str, **params: Any) -> Any:
        """Parameters that are `None` are left out."""
        ...

    def post(self, path: str, json: Any = None) -> Any: ...

    def send(self, path: str, content: bytes, content_type: str) -> Any:
        """Post a body as it is."""
        ...

    def patch(self, path: str, json: Any = None) -> Any: ...

    def delete(self, path: str, **params: Any) -> Any: ...
