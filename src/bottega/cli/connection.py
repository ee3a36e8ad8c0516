"""How a command reaches the app: through the running server of its `DATA_DIR`, or in-process.

A server leaves `{DATA_DIR}/server.json` behind while it runs; of several that share the folder, the
newest. With one running, a command asks it
over HTTP; with none, the command builds the same app in its own process and asks that through the
same routes.
"""

import asyncio
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from pydantic import BaseModel, ValidationError

from bottega import errors
from bottega.errors import Conflict
from bottega.settings import Settings

#: A response may take long; connecting may not.
TIMEOUT = httpx.Timeout(300, connect=2)


class ServerFile(BaseModel):
    """What a running server says of itself to the commands of the same user."""

    url: str
    pid: int
    #: Accepted by that server alone, while it runs.
    token: str


def server_file(data_dir: Path) -> Path:
    return data_dir / "server.json"


def announce(data_dir: Path, server: ServerFile) -> None:
    """Write `server.json`, readable by its owner only."""
    path = server_file(data_dir)
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(server.model_dump_json())
    temporary.replace(path)


def withdraw(data_dir: Path, token: str) -> None:
    """Remove `server.json` if it is still of the server with this token.

    Servers in containers that share the folder may all have the same process id.
    """
    server = read_announcement(data_dir)
    if server is not None and server.token == token:
        server_file(data_dir).unlink(missing_ok=True)


def read_announcement(data_dir: Path) -> ServerFile | None:
    try:
        return ServerFile.model_validate_json(server_file(data_dir).read_text())
    except (OSError, ValidationError):
        return None


def find_server(data_dir: Path) -> ServerFile | None:
    """The server that runs on this `DATA_DIR`, if one answers."""
    server = read_announcement(data_dir)
    if server is None:
        return None
    try:
        httpx.get(f"{server.url}/health", timeout=2, trust_env=False).raise_for_status()
    except httpx.HTTPError:
        return None
    return server


class Client:
    """The synchronous `Api` that commands call; errors come back as the errors they were."""

    def __init__(self, request: Callable[..., httpx.Response]) -> None:
        self._request = request

    def get(self, path: str, **params: Any) -> Any:
        given = {name: value for name, value in params.items() if value is not None}
        return self._decode(self._request("GET", path, params=given))

    def post(self, path: str, json: Any = None, **params: Any) -> Any:
        return self._decode(self._request("POST", path, json=json, params=params))

    def put(self, path: str, json: Any = None, **params: Any) -> Any:
        return self._decode(self._request("PUT", path, json=json, params=params))

    def send(self, path: str, content: bytes, content_type: str) -> Any:
        headers = {"Content-Type": content_type}
        return self._decode(self._request("POST", path, content=content, headers=headers))

    def patch(self, path: str, json: Any = None, **params: Any) -> Any:
        return self._decode(self._request("PATCH", path, json=json, params=params))

    def delete(self, path: str, **params: Any) -> Any:
        return self._decode(self._request("DELETE", path, params=params))

    def _decode(self, response: httpx.Response) -> Any:
        if response.is_success:
            return response.json() if response.content else None
        raise error_from(response)


def error_from(response: httpx.Response) -> errors.BottegaError:
    try:
        body = dict(response.json()["error"])
    except (json.JSONDecodeError, KeyError, TypeError, ValueError):
        return errors.Unavailable(f"The server answered {response.status_code} without a reason.")
    kind, message = body.pop("type", ""), body.pop("message", "")
    for error in _every(errors.BottegaError):
        if error.type == kind:
            return error(message, **body)
    return errors.BottegaError(message, **body)


def _every(base: type[errors.BottegaError]) -> Iterator[type[errors.BottegaError]]:
    for error in base.__subclasses__():
        yield error
        yield from _every(error)


@contextmanager
def connect(settings: Settings) -> Iterator[Client]:
    server = find_server(settings.data_dir)
    if server is None:
        with _in_process(settings) as client:
            yield client
        return
    headers = {"Authorization": f"Bearer {server.token}", "User-Agent": "bottega-cli"}
    with httpx.Client(
        base_url=server.url, headers=headers, timeout=TIMEOUT, trust_env=False
    ) as http:
        yield Client(http.request)


@contextmanager
def _in_process(settings: Settings) -> Iterator[Client]:
    """A client of an app that lives as long as the block, on a loop of its own."""
    from bottega.app import App
    from bottega.server.http import create_server

    app = App(settings, serves=False)
    transport = httpx.ASGITransport(create_server(app))
    http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=TIMEOUT)
    with asyncio.Runner() as runner:

        def request(method: str, path: str, **options: Any) -> httpx.Response:
            return runner.run(http.request(method, path, **options))

        try:
            runner.run(app.start())
            yield Client(request)
        finally:
            runner.run(http.aclose())
            runner.run(app.stop())


LOCK_NAME = "server.lock"


@contextmanager
def claim_data_dir(settings: Settings, next_step: str) -> Iterator[None]:
    """Have `DATA_DIR` to this process alone, within the block: a house on SQLite has one server.

    The kernel holds the lock (`server.lock`) for the process and frees it when the process ends,
    however it ends. Of two servers that start in the same moment one gets it. On PostgreSQL there
    is nothing to lock: any number of servers share a `DATA_DIR`.

    Raises `Conflict` that names the process that has it and the `next_step`.
    """
    if not settings.database.startswith("sqlite"):
        yield
        return
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = _lock(settings.data_dir, next_step)
    try:
        yield
    finally:
        os.close(file)


def _lock(data_dir: Path, next_step: str) -> int:
    path = data_dir / LOCK_NAME
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(data_dir, file)
            os.close(file)
            raise Conflict(f"A server runs on {data_dir} already: {holder}. {next_step}") from None
        if _is_same(file, path):
            os.ftruncate(file, 0)
            os.write(file, str(os.getpid()).encode())
            return file
        # A restore put the folder aside between the two calls.
        os.close(file)


def _holder(data_dir: Path, file: int) -> str:
    pid = os.pread(file, 20, 0).decode()
    server = read_announcement(data_dir)
    if server is not None and str(server.pid) == pid:
        return f"{server.url}, process {pid}"
    return f"process {pid}, which is starting or stopping" if pid else "it is just starting"


def _is_same(file: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file), path.stat())
    return False
