"""Hostile requests at every door: whatever is sent, the server answers in its own words and stays.

A 5xx is a finding, unless it is a 503 that says why and when to come again; so are an error that
calls itself internal, a process that ended and memory that grows without end.
"""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import psutil
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from bench.chaos.hostile_values import HostileValues, deep
from bench.chaos.load import OWNER, PASSCODE, TOKEN
from bench.chaos.processes import Process, free_port

CALLERS = 12
#: Seconds for one answer; an event stream is left as soon as it begins.
PATIENCE = 60
#: A server may grow by so much while it is bombarded, after the first tenth.
MOST_GROWTH = 400_000_000
#: Messages over one WebSocket before the next.
BATCH = 40
VERSION = "2026-07-28"
#: How an error says that it is the server's own.
INSIDE = ("failed inside the server", '"code":-32603')
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "hostile", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "get")
HEADERS = (
    b"Host: evil.example",
    b"Origin: https://evil.example",
    b"Content-Type: text/plain",
    b"Content-Type: application/x-www-form-urlencoded",
    b"Content-Type: multipart/form-data; boundary=x",
    b"Content-Type: application/json; charset=utf-16",
    b"Content-Encoding: gzip",
    b"Accept: nothing/at-all",
    b"Accept-Encoding: br;q=2, \xff",
    b"Range: bytes=9-1,0-0,-5",
    b'If-None-Match: "", W/"',
    b"If-Modified-Since: yesterday",
    b"Last-Event-ID: -1",
    b"Last-Event-ID: 99999999999999999999999",
    b"Cookie: bottega=\x01; bottega=" + b"x" * 3_000,
    b"X-Forwarded-For: 1.2.3.4, \xff",
    b"Upgrade: websocket",
    b"Expect: 100-continue",
    b"MCP-Protocol-Version: 1",
    b"Mcp-Session-Id: \xe9",
    b"X-Project: ../../",
)
RAW = (
    b"",
    b"{",
    b"[",
    b"\xff\xfe{\x00}\x00",
    b"\xef\xbb\xbf{}",
    b'{"a": 1, "a": 2}',
    b'{"a": 1e99999}',
    b"NaN",
    b"-Infinity",
    b'"\\ud800"',
    b"\x00" * 100,
    b"1" * 5_000,
    json.dumps(deep(900, True)).encode(),
    b"[" * 50_000,
)


@dataclass
class DoorReport:
    door: str
    sent: int = 0
    seconds: float = 0.0
    answers: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    #: Bytes, after the first tenth, at most, and at the end.
    memory: list[int] = field(default_factory=list)

    def note(self, what: str, status: int, text: str, headers: str = "") -> None:
        self.answers[str(status)] += 1
        is_failure = status >= 500 and not (status == 503 and is_honest(text, headers))
        if is_failure or any(words in text for words in INSIDE):
            self.find(f"{what} → {status} {text[:300]}")

    def find(self, what: str) -> None:
        print(f"{self.door}: {what}", flush=True)
        self.findings.append(what)


def is_honest(text: str, headers: str) -> bool:
    with suppress(ValueError, KeyError, TypeError):
        error = json.loads(text)["error"]
        has_reason = error.get("reason") is not None and "retry-after" in headers.lower()
        # Of a program that is not installed here it is said what to do.
        return has_reason or error.get("type") == "unavailable"
    return False


class Bombardment:
    def __init__(self, folder: Path, number: int, random_: random.Random) -> None:
        self._number = number
        self._random = random_
        project = folder / "project"
        project.mkdir(parents=True)
        (project / "kept.py").write_text("kept = True\n")
        self._data = folder / "data"
        settings = {
            "DATA_DIR": str(self._data),
            "PROJECT_DIR": str(project),
            "BOTTEGA_MODEL": "offline",
            "BOTTEGA_RATE_LIMIT": "1000000",
            "BOTTEGA_TOKEN": TOKEN,
            "BOTTEGA_PASSCODE": PASSCODE,
            "PORT": str(free_port()),
        }
        self._server = Process("hostile", folder, "serve", settings)
        self._port = int(settings["PORT"])
        self._colleague = ""
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def bombard(self, doors: Sequence[str]) -> list[DoorReport]:
        self._server.start()
        try:
            await asyncio.to_thread(self._server.wait_until_well)
            async with httpx.AsyncClient(
                base_url=self._server.url, trust_env=False, timeout=PATIENCE, headers=OWNER
            ) as http:
                # A name that no hostile value hits upon.
                body = {"name": f"colleague {self._random.random()}", "user": "colleague"}
                self._colleague = (await http.post("/api/tokens", json=body)).json()["secret"]
                document = (await http.get("/openapi.json")).json()
                tools = await self._tools(http)
            values = HostileValues(self._random, document["components"]["schemas"])
            senders: dict[str, Callable[[DoorReport], Awaitable[None]]] = {
                "HTTP": HttpDoor(self, document, values).send,
                "MCP": McpDoor(self, tools).send,
                "WebSocket": WebSocketDoor(self).send,
            }
            return [await self._at(door, senders[door]) for door in doors]
        finally:
            self._server.stop()

    async def _tools(self, http: httpx.AsyncClient) -> list[dict[str, Any]]:
        headers = {"MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/list"}
        headers["Accept"] = "application/json, text/event-stream"
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
        text = (await http.post("/mcp", json=body, headers=headers)).text
        found: list[dict[str, Any]] = json.loads(text[text.index("{") :])["result"]["tools"]
        return found

    async def _at(self, door: str, send: Callable[[DoorReport], Awaitable[None]]) -> DoorReport:
        report = DoorReport(door)
        began = time.monotonic()
        process = psutil.Process(json.loads((self._data / "server.json").read_text())["pid"])
        callers = [asyncio.create_task(self._call(report, send)) for _ in range(CALLERS)]
        watching = asyncio.create_task(self._watch(report, process))
        await asyncio.gather(*callers)
        watching.cancel()
        report.seconds = time.monotonic() - began
        await asyncio.to_thread(self._server.wait_until_well)
        if not process.is_running() or self._server.ends:
            report.find("the server ended")
        else:
            report.memory.append(process.memory_info().rss)
            if report.memory[-1] - report.memory[0] > MOST_GROWTH:
                report.find(f"memory grew: {report.memory}")
        return report

    async def _call(
        self, report: DoorReport, send: Callable[[DoorReport], Awaitable[None]]
    ) -> None:
        while report.sent < self._number:
            await send(report)

    async def _watch(self, report: DoorReport, process: psutil.Process) -> None:
        """A line of progress every ten seconds, and the memory."""
        most = 0
        while True:
            await asyncio.sleep(10)
            with suppress(psutil.Error):
                most = max(most, process.memory_info().rss)
            if report.sent > self._number / 10:
                report.memory = [*(report.memory[:1] or [most]), most]
            print(
                f"{report.door:<10} {report.sent:>7,} of {self._number:,}, "
                f"{len(report.findings)} findings, {most / 1e6:.0f} MB",
                flush=True,
            )

    @property
    def port(self) -> int:
        return self._port

    @property
    def random(self) -> random.Random:
        return self._random

    def credentials(self) -> bytes:
        """Mostly a colleague's, whom limits hold for; the owner's; nobody's."""
        lot = self._random.random()
        if lot < 0.7:
            return f"Authorization: Bearer {self._colleague}\r\n".encode()
        if lot < 0.95:
            return f"Authorization: Bearer {TOKEN}\r\n".encode()
        return self._random.choice(
            (b"", b"Authorization: Bearer \xff\r\n", b"Authorization: x\r\n")
        )

    async def exchange(self, request: bytes, what: str, report: DoorReport) -> None:
        """Send bytes and read the answer as far as it goes; a connection that is left in order is
        used again."""
        report.sent += 1
        streams = self._idle.pop() if self._idle else None
        is_over = False
        try:
            async with asyncio.timeout(PATIENCE):
                if streams is None:
                    streams = await asyncio.open_connection("127.0.0.1", self._port)
                reader, writer = streams
                writer.write(request)
                await writer.drain()
                head, text, is_over = await read_answer(reader, what)
            report.note(what, int(head.split(" ", 2)[1]), text, head)
        except TimeoutError:
            report.answers["no answer"] += 1
            report.find(f"{what}: no answer in {PATIENCE} s")
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as e:
            report.answers[type(e).__name__] += 1
        finally:
            if is_over and streams is not None:
                self._idle.append(streams)
            elif streams is not None:
                streams[1].close()


async def read_answer(reader: asyncio.StreamReader, what: str) -> tuple[str, str, bool]:
    """Head and body, and whether the connection can be used again."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
    is_kept = fields.get("connection") != "close" and not what.startswith(("HEAD", "TRACE"))
    if "content-length" in fields and is_kept and " 100 " not in head[:15]:
        body = await reader.readexactly(int(fields["content-length"]))
        return head, body.decode(errors="replace"), True
    if "text/event-stream" in fields.get("content-type", "") and not what.startswith("POST /mcp"):
        return head, "", False
    if fields.get("transfer-encoding") == "chunked":
        body = b""
        while size := int((await reader.readline()).strip() or b"0", 16):
            body += await reader.readexactly(size + 2)
        await reader.readline()
        return head, body.decode(errors="replace"), is_kept
    return head, "", False


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


class HttpDoor:
    def __init__(self, to: Bombardment, document: dict[str, Any], values: HostileValues) -> None:
        self._to = to
        self._values = values
        self._operations = [
            (path, method.upper(), about)
            for path, methods in document["paths"].items()
            for method, about in methods.items()
        ]

    async def send(self, report: DoorReport) -> None:
        lot = self._to.random
        path, method, about = lot.choice(self._operations)
        address = self._address(path, about)
        if lot.random() < 0.05:
            method = lot.choice(METHODS)
        body = self._body(about)
        if lot.random() < 0.05:
            address = "/" + quote(self._values.string()[:2_000], errors="replace", safe="/%?")
        lines = [f"{method} {address} HTTP/1.1".encode("latin-1", "replace")]
        lines += [f"Host: 127.0.0.1:{self._to.port}".encode()]
        if body is not None:
            lines += [b"Content-Type: application/json", f"Content-Length: {len(body)}".encode()]
        if lot.random() < 0.1:
            lines.append(lot.choice(HEADERS))
        head = b"\r\n".join(lines) + b"\r\n" + self._to.credentials() + b"\r\n"
        what = f"{method} {address[:300]} {(body or b'')[:600]!r}"
        await self._to.exchange(head + (body or b""), what, report)

    def _address(self, path: str, about: dict[str, Any]) -> str:
        query: list[tuple[str, str]] = []
        for parameter in about.get("parameters", []):
            value = self._values.of(parameter.get("schema", {}))
            text = value if isinstance(value, str) else json.dumps(value)
            text = text.encode(errors="replace").decode()[:3_000]
            if parameter["in"] == "path":
                path = path.replace("{" + parameter["name"] + "}", quote(text, safe="") or "x")
            elif parameter["in"] == "query" and self._to.random.random() < 0.6:
                # Who waits for half a minute by right is not hostile, only slow.
                waits = parameter["name"].startswith("wait")
                query.append((parameter["name"], "0" if waits else text))
        return f"{path}?{urlencode(query)}" if query else path

    def _body(self, about: dict[str, Any]) -> bytes | None:
        content = about.get("requestBody", {}).get("content", {})
        lot = self._to.random.random()
        if lot < 0.05:
            return self._to.random.choice(RAW)
        if not content:
            return None
        schema = next(iter(content.values())).get("schema", {})
        body = dumped(self._values.of(schema))
        return body[: len(body) // 2] if lot < 0.07 else body


class McpDoor:
    OTHERS = (
        *("initialize", "ping", "tools/list", "resources/list", "resources/read", "prompts/get"),
        *("prompts/list", "resources/templates/list", "completion/complete", "logging/setLevel"),
        *(
            "notifications/cancelled",
            "resources/subscribe",
            "server/discover",
            "",
            "x/\x00",
            "__init__",
        ),
    )

    def __init__(self, to: Bombardment, tools: list[dict[str, Any]]) -> None:
        self._to = to
        self._tools = tools

    async def send(self, report: DoorReport) -> None:
        lot = self._to.random
        tool = lot.choice(self._tools)
        schema = tool["inputSchema"]
        values = HostileValues(lot, schema.get("$defs", {}))
        method, name = "tools/call", tool["name"]
        arguments = values.of(schema)
        if isinstance(arguments, dict):
            arguments = {
                key: 0 if key.startswith("wait") else value for key, value in arguments.items()
            }
        params: Any = {"name": name, "arguments": arguments, "_meta": META}
        if lot.random() < 0.25:
            method = lot.choice(self.OTHERS)
            name = values.string()
            params = {"uri": name, "name": name, "ref": values.anything(), "_meta": META}
        if lot.random() < 0.05:
            params = values.anything()
        message: Any = {"jsonrpc": "2.0", "id": self._id(values), "method": method}
        message["params"] = params
        if lot.random() < 0.04:
            message = lot.choice(([], [message] * 3, values.anything(), {**message, "jsonrpc": 1}))
        body = lot.choice(RAW) if lot.random() < 0.03 else dumped(message)
        path = lot.choice(("/mcp",) * 9 + ("/mcp/board", "/mcp/memory", "/mcp/nowhere"))
        lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{self._to.port}"]
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        lines += ["Accept: application/json, text/event-stream"]
        if lot.random() < 0.95:
            lines += [f"MCP-Protocol-Version: {VERSION}", f"Mcp-Method: {quote(method, safe='/')}"]
            lines += [f"Mcp-Name: {quote(name[:500], errors='replace')}"]
        head = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n"
        if lot.random() < 0.05:
            head += lot.choice(HEADERS) + b"\r\n"
        what = f"POST {path} {body[:800]!r}"
        await self._to.exchange(head + self._to.credentials() + b"\r\n" + body, what, report)

    def _id(self, values: HostileValues) -> Any:
        return (
            self._to.random.randrange(1_000)
            if self._to.random.random() < 0.95
            else values.anything()
        )


class WebSocketDoor:
    """Messages in batches; one that nobody knows ends a batch, and its refusal says that all of
    it was read."""

    def __init__(self, to: Bombardment) -> None:
        from bottega.app import App
        from bottega.settings import Settings

        self._to = to
        app = App(Settings(bottega_model="offline"))
        self._messages = [
            (message.type, message.schema.model_json_schema())
            for room in app.rooms
            for message in room.messages
        ]

    async def send(self, report: DoorReport) -> None:
        lot = self._to.random
        if lot.random() < 0.1:
            await self._garble(report)
            return
        credentials = self._to.credentials().decode("latin-1").strip()
        headers = [tuple(credentials.split(": ", 1))] if ": " in credentials else []
        try:
            async with (
                asyncio.timeout(PATIENCE),
                connect(
                    f"ws://127.0.0.1:{self._to.port}/ws",
                    proxy=None,
                    max_size=None,
                    additional_headers=headers,  # type: ignore[arg-type]
                ) as client,
            ):
                await self._converse(client, report)
        except TimeoutError:
            report.answers["no answer"] += 1
            report.find("WebSocket: no answer to a batch")
        except (OSError, WebSocketException) as error:
            response = getattr(error, "response", None)
            report.sent += 1
            if response is None:
                report.answers[type(error).__name__] += 1
            else:
                text = bytes(response.body or b"").decode(errors="replace")
                report.note("handshake", response.status_code, text, str(response.headers))

    async def _converse(self, client: ClientConnection, report: DoorReport) -> None:
        sent: list[str | bytes] = []
        for _ in range(BATCH):
            message = self._message()
            report.sent += 1
            sent.append(message)
            await client.send(message)
        await client.send(json.dumps({"type": "nobody:knows", "id": "the last", "payload": {}}))
        async for text in client:
            said = json.loads(text)
            payload = said.get("payload") or {}
            code = payload.get("code") if isinstance(payload, dict) else None
            report.answers[str(code or "said")] += 1
            if code == "INTERNAL":
                asked = next((each for each in sent if str(said.get("id")) in str(each)), sent)
                report.find(f"{str(asked)[:600]} → {str(text)[:300]}")
            if said.get("id") == "the last":
                return

    def _message(self) -> str | bytes:
        lot = self._to.random
        type_, schema = lot.choice(self._messages)
        values = HostileValues(lot, schema.get("$defs", {}))
        if lot.random() < 0.04:
            return lot.choice(RAW)
        if lot.random() < 0.03:
            return lot.choice(RAW).decode(errors="replace")
        message: Any = {
            "type": type_,
            "id": f"m{lot.randrange(10**9)}",
            "payload": values.of(schema),
        }
        if lot.random() < 0.05:
            message[lot.choice(("type", "id", "payload"))] = values.anything()
        if lot.random() < 0.02:
            message = values.anything()
        return json.dumps(message)

    async def _garble(self, report: DoorReport) -> None:
        """A handshake that is none, or frames that are none after one that is."""
        lot = self._to.random
        key = lot.choice(("dGhlIHNhbXBsZSBub25jZQ==", "short", ""))
        version = lot.choice(("13", "13", "13", "8", "x"))
        request = (
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{self._to.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Version: {version}\r\n"
        ).encode() + self._to.credentials()
        frames = (
            b"\x81\x05hello",
            b"\xff\xff\xff\xff",
            b"\x81\xff" + b"\xff" * 8,
            b"\x82\xfe\xff\xff" + b"\x00" * 4,
            b"\x80\x80\x00\x00\x00\x00",
            b"\x89\xfe\x01\x00" + b"\x00" * 260,
            b"\x88\x81\x00\x00\x00\x00\x00",
            b"\xc1\x83\x00\x00\x00\x00abc",
            bytes(lot.randrange(256) for _ in range(50)),
        )
        number = lot.randrange(1, 5)
        report.sent += number
        writer: asyncio.StreamWriter | None = None
        try:
            async with asyncio.timeout(PATIENCE):
                reader, writer = await asyncio.open_connection("127.0.0.1", self._to.port)
                writer.write(request + b"\r\n")
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                status = int(head.split(" ", 2)[1])
                writer.writelines([lot.choice(frames) for _ in range(number)])
                writer.write_eof()
                rest = (await reader.read(100_000)).decode(errors="replace")
            report.note(f"handshake {request!r}", status, rest if status != 101 else "", head)
        except TimeoutError:
            report.answers["no answer"] += 1
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            report.answers[type(error).__name__] += 1
        finally:
            if writer is not None:
                writer.close()


DOORS = ("HTTP", "MCP", "WebSocket")
