"""A mixed load through all rooms, and what it was told: each write has a marker of its own.

A write that was acknowledged must be there once. One whose answer never came may be there or not,
but not twice: nothing is sent again.
"""

import asyncio
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

QUESTION = "How much notice must a vessel give before it enters the harbour?"
LIBRARY = "harbour"
#: The owner's, and the web app's: whoever comes by loopback would else be the owner.
TOKEN, PASSCODE = "the-owners-of-chaos", "sesame"
OWNER = {"Authorization": f"Bearer {TOKEN}"}


@dataclass(frozen=True)
class Write:
    """One kind of write: where it goes, and the column in which its marker must be found."""

    room: str
    #: With `{marker}` where the address has it.
    path: str
    body: Callable[[str], dict[str, Any]]
    table: str
    column: str
    method: str = "POST"


WRITES = (
    Write("memory", "/api/memories", lambda m: {"content": f"Note {m}"}, "memories", "content"),
    Write(
        "board",
        "/api/board/knowledge",
        lambda m: {"tier": "global", "category": "pattern", "title": m, "content": f"Known: {m}"},
        "memories",
        "title",
    ),
    Write(
        "coach",
        "/api/coach/sessions",
        lambda m: {"issueTitle": f"Work on {m}"},
        "sessions",
        "title",
    ),
    Write("library", "/api/libraries", lambda m: {"name": m}, "libraries", "name"),
    Write(
        "research", "/api/research/sessions", lambda m: {"title": f"About {m}"}, "sessions", "title"
    ),
    Write(
        "journal",
        "/api/journal/entries",
        lambda m: {
            "session_id": m,
            "domain": "debugging",
            "strategy": "check-assumptions",
            "goal": f"Find out {m}",
            "hypothesis": f"It is {m}",
            "action": "look",
            "prediction": "it shows",
        },
        "journal_experiences",
        "goal",
    ),
    Write(
        "assistant",
        "/api/assistant/memory/file?path=teacher/{marker}.md",
        lambda m: {"text": f"Remembered: {m}"},
        "memory_files",
        "content",
        method="PUT",
    ),
)


@dataclass
class Acknowledged:
    """What the servers said is done."""

    #: Marker → the write that was acknowledged.
    writes: dict[str, Write] = field(default_factory=dict)
    #: Ids of memories, each of which has one event.
    memories: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    #: Journal entries that are started and must be resolved before they are rows.
    entries: list[str] = field(default_factory=list)
    #: How each answer ended: a status, or the transport's error.
    answers: Counter[str] = field(default_factory=Counter)
    #: Answers of 500 and up that do not say why.
    nameless: list[str] = field(default_factory=list)


class Load:
    def __init__(self, urls: list[str], random_: random.Random) -> None:
        self._urls = urls
        self._random = random_
        self._numbers = itertools.count(1)
        self.told = Acknowledged()
        self.followers = [Follower(urls, turn) for turn in range(2)]
        limits = httpx.Limits(max_keepalive_connections=20)
        self.http = httpx.AsyncClient(timeout=20, trust_env=False, limits=limits, headers=OWNER)

    async def write_for_ever(self) -> None:
        while True:
            await self.write(self._random.choice(WRITES))
            await asyncio.sleep(self._random.uniform(0, 0.05))

    async def run_for_ever(self) -> None:
        """Durable runs, one at a time: they are most of the work."""
        while True:
            body = {"question": QUESTION, "library": LIBRARY, "auto_proceed": True}
            answer = await self._ask("POST", "/api/research/runs", body)
            if answer is not None:
                self.told.runs.append(answer["id"] if "id" in answer else answer["run_id"])
            await asyncio.sleep(self._random.uniform(0.5, 3))

    async def plain_paths(self, url: str) -> list[str]:
        """What can be asked for without knowing an id."""
        document = (await self.http.get(f"{url}/openapi.json")).json()
        return [path for path, methods in document["paths"].items() if _is_plain(path, methods)]

    async def read_for_ever(self, paths: list[str]) -> None:
        while True:
            await self.ask("GET", self._random.choice(paths))
            await asyncio.sleep(self._random.uniform(0.1, 0.5))

    async def write(self, write: Write) -> None:
        marker = f"chaos_{next(self._numbers):06}"
        path = write.path.format(marker=marker)
        answer = await self._ask(write.method, path, write.body(marker))
        if answer is None:
            return
        if write.room == "journal":
            self.told.entries.append(marker)
            return
        self.told.writes[marker] = write
        if write.room == "memory":
            self.told.memories.append(answer["id"])

    async def resolve(self, marker: str) -> None:
        """Make a row of a started entry; a second try that finds it done is fine."""
        body = {"session_id": marker, "status": "confirmed", "result": "it was so"}
        for _ in range(50):
            with suppress(httpx.HTTPError):
                answer = await self.http.post(
                    f"{self._urls[0]}/api/journal/active/resolve", json=body
                )
                if answer.status_code < 500:
                    break
            await asyncio.sleep(0.2)
        write = next(each for each in WRITES if each.room == "journal")
        self.told.writes[marker] = write

    async def _ask(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        answer = await self.ask(method, path, body)
        return None if answer is None or not answer.is_success else dict(answer.json())

    async def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> httpx.Response | None:
        """The answer of a server, if there is one."""
        url = self._random.choice(self._urls)
        request = self.http.build_request(method, f"{url}{path}", json=body)
        if headers is not None:
            del request.headers["Authorization"]
        # A cookie that an answer brought stays in the client.
        request.headers.pop("Cookie", None)
        request.headers.update(headers or {})
        try:
            answer = await self.http.send(request)
        except httpx.HTTPError as error:
            self.told.answers[type(error).__name__] += 1
            return None
        self.told.answers[str(answer.status_code)] += 1
        if answer.status_code >= 500 and not _is_honest(answer):
            self.told.nameless.append(f"{method} {path}: {answer.text[:300]}")
        return answer


def _is_plain(path: str, methods: dict[str, Any]) -> bool:
    """Whether it is read without arguments, and ends."""
    parameters = methods.get("get", {}).get("parameters", [])
    is_free = not any(parameter.get("required") for parameter in parameters)
    return "get" in methods and "{" not in path and path != "/api/events" and is_free


def _is_honest(answer: httpx.Response) -> bool:
    """A reason for storage; for a program that is not installed here, what to do."""
    error = answer.json()["error"]
    return error.get("reason") is not None or error.get("type") == "unavailable"


class Follower:
    """Reads the event stream, at another server after every cut; it misses and repeats nothing."""

    def __init__(self, urls: list[str], turn: int) -> None:
        self._urls = urls
        self._turn = turn
        self.heard: list[tuple[int, str]] = []
        self._reading: asyncio.Task[None] | None = None

    async def follow(self) -> None:
        async with httpx.AsyncClient(timeout=httpx.Timeout(10, read=60), trust_env=False) as http:
            while True:
                self._turn += 1
                self._reading = asyncio.create_task(self._read(http))
                await asyncio.gather(self._reading, return_exceptions=True)
                await asyncio.sleep(0.05)

    def cut(self) -> None:
        """Drop the connection without a word."""
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self, http: httpx.AsyncClient) -> None:
        url = self._urls[self._turn % len(self._urls)]
        after = str(self.heard[-1][0] if self.heard else 0)
        async with http.stream(
            "GET",
            f"{url}/api/events",
            params={"topics": "memory.added,run.*"},
            headers={**OWNER, "Last-Event-ID": after},
        ) as stream:
            number = None
            async for line in stream.aiter_lines():
                if line.startswith("id:"):
                    number = int(line.removeprefix("id:"))
                elif line.startswith("data:") and number is not None:
                    self.heard.append((number, json.loads(line.removeprefix("data:"))["id"]))
                elif not line:
                    number = None
