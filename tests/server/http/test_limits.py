"""Bounds: bodies, rates, slowness, connections, headers."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from fastapi import APIRouter, Request

from bottega.core.rooms import Room
from bottega.server import protocols
from bottega.server.limits import REMEMBERED_CLIENTS, RateLimiter
from bottega.server.network.connections import RESERVE
from bottega.server.network.quotas import NetworkLimits
from bottega.server.options import Options
from bottega.server.protocols import HttpProtocol
from tests.server.http.small_app import Serve, echo_mcp, receive

IMPATIENT = Options(network=NetworkLimits(half_open_seconds=0.1))
SMALL = Options(max_body_bytes=1_000, body_timeout=0.2)


def body_room() -> Room:
    routes = APIRouter()

    @routes.post("/raw")
    async def read_raw(request: Request) -> int:
        return len(await request.body())

    @routes.post("/json")
    async def read_json(body: dict[str, str]) -> int:
        return len(body)

    return Room(
        "body", routes=lambda: [routes], paths=["/raw", "/json"], large_bodies={"/json": 2_000}
    )


@pytest.mark.parametrize("path", ["/api/raw", "/mcp"])
async def test_a_body_announced_too_large_is_refused(serve: Serve, path: str) -> None:
    served = await serve(body_room(), options=SMALL, mcp=echo_mcp())
    answer = await served.http.post(path, content=b"x" * 1_001)
    assert answer.status_code == 413
    assert answer.json()["error"] == {
        "type": "too_large",
        "message": answer.json()["error"]["message"],
        "limit": 1_000,
    }
    assert "BOTTEGA_MAX_BODY_BYTES" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/api/raw", "/api/json"])
async def test_a_body_that_grows_too_large_is_refused(serve: Serve, path: str) -> None:
    """Without a Content-Length only counting helps."""
    served = await serve(body_room(), options=SMALL)

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(21):
            yield b"x" * 100

    answer = await served.http.post(path, content=chunks())
    assert answer.status_code == 413
    assert answer.json()["error"]["type"] == "too_large"


async def test_a_body_of_exactly_the_limit_passes(serve: Serve) -> None:
    served = await serve(body_room(), options=SMALL)
    assert (await served.http.post("/api/raw", content=b"x" * 1_000)).json() == 1_000


async def test_a_route_may_take_more_than_the_others(serve: Serve) -> None:
    served = await serve(body_room(), options=SMALL)
    long, longer = ({"a": "x" * size} for size in (1_500, 2_500))
    assert (await served.http.post("/api/json", json=long)).json() == 1
    refused = await served.http.post("/api/json", json=longer)
    assert refused.status_code == 413
    assert refused.json()["error"]["limit"] == 2_000


async def test_a_body_that_does_not_come_is_given_up(serve: Serve) -> None:
    served = await serve(body_room(), options=SMALL)
    answer = await served.raw(
        b"POST /api/json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n"
        b"Content-Type: application/json\r\nConnection: close\r\n\r\n{"
    )
    assert answer.startswith(b"HTTP/1.1 408")
    assert b'"type":"timeout"' in answer


async def test_the_connection_of_a_body_that_does_not_come_is_closed(serve: Serve) -> None:
    served = await serve(body_room(), options=SMALL)
    half = b"Host: localhost\r\nContent-Length: 10\r\nContent-Type: application/json\r\n\r\n{"
    answer = await served.raw(b"POST /api/json HTTP/1.1\r\n" + half)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in answer


async def test_who_was_refused_and_does_not_send_the_rest_is_let_go(serve: Serve) -> None:
    served = await serve(body_room(), options=IMPATIENT)
    half = b"Host: localhost\r\nContent-Length: 10\r\nAuthorization: Bearer wrong\r\n\r\n{"
    answer = await served.raw(b"POST /api/json HTTP/1.1\r\n" + half)
    assert answer.startswith(b"HTTP/1.1 401")


async def test_a_client_that_asks_too_often_is_told_when_to_come_back(serve: Serve) -> None:
    served = await serve(options=Options(rate_limit=1))
    answers = [await served.http.get("/api/sessions") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].headers["Retry-After"] == "1"
    assert answers[2].json()["error"]["type"] == "too_many_requests"


def test_a_bucket_refills_with_time() -> None:
    now = 0.0
    limiter = RateLimiter(rate=10, burst=3, clock=lambda: now)
    assert [limiter.wait("a") for _ in range(3)] == [0, 0, 0]
    assert limiter.wait("a") == pytest.approx(0.1)
    assert limiter.wait("b") == 0
    now += 0.1
    assert limiter.wait("a") == 0
    assert limiter.wait("a") > 0


def test_the_limiter_remembers_a_bounded_number_of_clients() -> None:
    limiter = RateLimiter(rate=1, burst=1)
    for number in range(REMEMBERED_CLIENTS + 10):
        limiter.wait(str(number))
    assert len(limiter) == REMEMBERED_CLIENTS
    assert limiter.wait("0") == 0, "forgotten, so it starts afresh"
    assert limiter.wait(str(REMEMBERED_CLIENTS)) > 0


async def test_headers_that_do_not_come_are_given_up(serve: Serve) -> None:
    served = await serve(options=IMPATIENT)
    for request in (b"", b"GET /health HTTP/1.1\r\nHost: localh"):
        assert (await served.raw(request)).startswith(b"HTTP/1.1 408")


async def test_a_slow_client_of_a_kept_connection_is_given_up_too(serve: Serve) -> None:
    served = await serve(options=IMPATIENT)
    whole = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = await served.raw(whole + b"GET /health HT")
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 408" in answer


async def test_endless_headers_are_refused(serve: Serve) -> None:
    served = await serve()
    start = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: "
    answer = await served.raw(start + b"y" * (HttpProtocol.max_header_bytes + 1 - len(start)))
    assert answer.startswith(b"HTTP/1.1 413")


async def test_connections_are_bounded(serve: Serve) -> None:
    """Even those of the owner, who has the reserve to himself."""
    served = await serve(options=Options(network=NetworkLimits(connections=2)))
    for _ in range(2 + RESERVE):
        await served.websocket()
    answer = await served.raw(b"")
    assert answer.startswith(b"HTTP/1.1 429")
    assert b'"type":"too_many_requests"' in answer


async def test_a_client_that_does_not_read_is_let_go_and_the_others_hear_on(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocols, "MAX_BACKLOG", 1_000_000)
    served = await serve()
    hub = served.doors.hub
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write(
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
    listening = await served.websocket(max_size=None)
    sent = 0
    async with asyncio.timeout(20):
        while len(hub) == 2:
            hub.broadcast("news", {"text": "x" * 500_000})
            sent += 1
            assert (await receive(listening))["type"] == "news"
    assert sent > 1
    hub.broadcast("after", {})
    assert (await receive(listening))["type"] == "after"

    rest = await reader.read()
    assert rest.endswith(b"reading too slowly")
    assert rest[-20:-18] == (1013).to_bytes(2)
    writer.close()
