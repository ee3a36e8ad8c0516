"""What a room's commands stand on: the REST API as an object, and printing its answers.

The command line puts one in `typer.Context.obj`: over HTTP when a server runs, in its own process
when none does. A room's `commands.py` knows only this.
"""

import json
import sys
from collections.abc import Callable
from typing import Any, Protocol


class Api(Protocol):
    """Synchronous. Returns decoded JSON; an error of the server is raised as its `BottegaError`."""

    # The decoded JSON is whatever the route returns, hence `Any`.
    def get(self, path: str, **params: Any) -> Any:
        """Parameters that are `None` are left out."""
        ...

    def post(self, path: str, json: Any = None, **params: Any) -> Any: ...

    def send(self, path: str, content: bytes, content_type: str) -> Any:
        """Post a body as it is."""
        ...

    def put(self, path: str, json: Any = None, **params: Any) -> Any: ...

    def patch(self, path: str, json: Any = None, **params: Any) -> Any: ...

    def delete(self, path: str, **params: Any) -> Any: ...


#: What the API answered, decoded.
Answer = dict[str, Any]


def present(answer: Answer, show: Callable[[Answer], None], *, as_json: bool) -> None:
    """As JSON for scripts, or as `show` prints it for people."""
    if as_json:
        sys.stdout.write(json.dumps(answer, indent=2, ensure_ascii=False) + "\n")
    else:
        show(answer)
