"""A real Chroma server, from the `chromadb` wheel, on a port and in a folder of its own."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

DATABASE = "/api/v2/tenants/default_tenant/databases/default_database"
START_TIMEOUT = 60.0


class ChromaServer:
    """Can be stopped and started again on the same port, as servers are."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = Path(sys.executable).parent / "chroma"
        self._process = subprocess.Popen(
            [program, "run", "--path", self._directory, "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_until_it_answers(self._process)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def documents(self, collection: str) -> list[dict[str, Any]]:
        """What a collection really holds, asked without any code of ours."""
        [found] = [c for c in self._get("/collections").json() if c["name"] == collection]
        path = f"{self.url}{DATABASE}/collections/{found['id']}/get"
        body = {"include": ["documents", "metadatas"]}
        held = httpx.post(path, json=body, trust_env=False).raise_for_status().json()
        columns = zip(held["ids"], held["documents"], held["metadatas"], strict=True)
        return [{"id": i, "document": d, "metadata": m} for i, d, m in columns]

    def collections(self) -> list[str]:
        return [found["name"] for found in self._get("/collections").json()]

    def delete_collection(self, name: str) -> None:
        """As somebody else might, behind our back."""
        httpx.delete(f"{self.url}{DATABASE}/collections/{name}", trust_env=False)

    def _get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.url}{DATABASE}{path}", trust_env=False).raise_for_status()

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline and process.poll() is None:
            try:
                httpx.get(f"{self.url}/api/v2/heartbeat", trust_env=False).raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.05)
            else:
                return
        self.stop()
        raise RuntimeError("the Chroma server did not start")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
