"""Who is calling: tokens, the passcode, and when neither is asked for."""

import asyncio
import time
from collections.abc import Iterable
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, Request
from websockets.exceptions import InvalidStatus

from bottega.core.doors.callers import USER_ID, CurrentCaller
from bottega.core.rooms import Room
from bottega.errors import ConfigurationError, TooMany, Unauthorized
from bottega.server import login as login_module
from bottega.server.login import ATTEMPTS, ATTEMPTS_OF_ALL, COOKIE, Passcode
from bottega.server.network.proxies import TrustedProxies
from bottega.server.options import Options
from tests.server.http.small_app import Serve, Served, echo_mcp, receive

CLOSED = Options(token="house-token", process_token="process-token", passcode="open sesame")


def whoami_room() -> Room:
    routes = APIRouter()

    @routes.get("/whoami")
    async def whoami(request: Request, caller: CurrentCaller) -> dict[str, str]:
        assert request.scope[USER_ID] == caller.user_id
        return {"user_id": caller.user_id, "door": caller.door}

    return Room("who", routes=lambda: [routes], paths=["/whoami"])


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def issue(served: Served, name: str) -> tuple[str, str]:
    users = served.app.core.users
    user = await users.create(name)
    _, secret = await users.issue_token(user.id, "laptop")
    return user.id, secret


async def test_on_loopback_nobody_is_asked(serve: Serve) -> None:
    served = await serve(whoami_room())
    assert (await served.http.get("/api/whoami")).json() == {"user_id": "local", "door": "http"}


@pytest.mark.parametrize("path", ["/api/whoami", "/api/settings", "/mcp", "/docs", "/", "/nothing"])
async def test_once_a_token_is_set_every_door_asks_for_it(serve: Serve, path: str) -> None:
    served = await serve(whoami_room(), options=CLOSED, mcp=echo_mcp())
    refused = await served.http.get(path)
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert refused.json()["error"]["type"] == "unauthorized"
    for token in ("house-token", "process-token"):
        assert (await served.http.get(path, headers=bearer(token))).status_code != 401


async def test_a_token_is_its_users_and_dies_when_it_is_revoked(serve: Serve) -> None:
    served = await serve(whoami_room(), options=CLOSED)
    user_id, secret = await issue(served, "ada")
    answer = await served.http.get("/api/whoami", headers=bearer(secret))
    assert answer.json()["user_id"] == user_id
    await served.app.core.users.revoke(user_id, "laptop")
    assert (await served.http.get("/api/whoami", headers=bearer(secret))).status_code == 401


async def test_a_wrong_token_never_falls_back_to_the_local_user(serve: Serve) -> None:
    served = await serve(whoami_room())
    for given in ("Bearer wrong", "Bearer", "Bearer ", "bearer \N{SNOWMAN}"):
        head = f"GET /api/whoami HTTP/1.1\r\nHost: localhost\r\nAuthorization: {given}\r\n"
        answer = await served.raw(head.encode() + b"Connection: close\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 401")


async def test_a_browsers_websocket_brings_its_token_as_a_subprotocol(serve: Serve) -> None:
    served = await serve(options=CLOSED)
    user_id, secret = await issue(served, "ada")
    for offered in (["bottega", f"bottega.bearer.{secret}"], [f"bottega.bearer.{secret}"]):
        socket = await served.websocket(subprotocols=offered)
        assert socket.subprotocol == offered[0]
        served.doors.hub.broadcast("news", {}, user_id=user_id)
        assert (await receive(socket))["type"] == "news"
    wrong: dict[str, Any] = {"subprotocols": ["bottega.bearer.wrong"]}
    for options in ({}, wrong):
        with pytest.raises(InvalidStatus) as refused:
            await served.websocket(**options)
        assert refused.value.response.status_code == 401


async def test_a_token_in_the_url_is_not_read(serve: Serve) -> None:
    """URLs end up in logs and histories."""
    served = await serve(whoami_room(), options=CLOSED)
    assert (await served.http.get("/api/whoami?token=house-token")).status_code == 401


async def test_the_passcode_opens_the_web_app(serve: Serve) -> None:
    served = await serve(whoami_room(), options=CLOSED)
    page = await served.http.get("/", headers={"Accept": "text/html"})
    assert page.status_code == 401
    assert 'name="passcode"' in page.text

    signed_in = await served.http.post("/api/login", json={"passcode": "open sesame"})
    assert signed_in.status_code == 200
    cookie = signed_in.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert (await served.http.get("/api/whoami")).json()["user_id"] == "local"
    await served.websocket(additional_headers={"Cookie": cookie.split(";")[0]})

    await served.http.post("/api/logout")
    assert (await served.http.get("/api/whoami")).status_code == 401


async def test_the_sign_in_form_works_without_javascript(serve: Serve) -> None:
    served = await serve(options=CLOSED)
    wrong = await served.http.post("/api/login", data={"passcode": "<b>"})
    assert wrong.status_code == 401
    assert "That is not the passcode" in wrong.text
    right = await served.http.post("/api/login", data={"passcode": "open sesame"})
    assert (right.status_code, right.headers["Location"]) == (303, "/")


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"passcode": 5}'])
async def test_a_sign_in_without_a_passcode_is_told_what_is_missing(
    serve: Serve, body: bytes
) -> None:
    served = await serve(options=CLOSED)
    answer = await served.http.post("/api/login", content=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["type"] == "validation_error"


async def test_guessing_the_passcode_is_slowed_down(serve: Serve) -> None:
    served = await serve(options=CLOSED)

    async def guess() -> httpx.Response:
        return await served.http.post("/api/login", json={"passcode": "guess"})

    answers = await asyncio.gather(*(guess() for _ in range(8)))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [401] * 5 + [429] * 3
    late = await served.http.post("/api/login", json={"passcode": "open sesame"})
    assert late.status_code == 429
    assert int(late.headers["Retry-After"]) > 0


async def guess_from(passcode: Passcode, addresses: Iterable[str]) -> list[type[Exception]]:
    found: list[type[Exception]] = []
    for address in addresses:
        with pytest.raises((Unauthorized, TooMany)) as refused:
            await passcode.check("guess", address)
        found.append(refused.type)
    return found


async def test_many_clients_together_cannot_guess_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has failed is refused; others wait their turn, one at a time."""
    monkeypatch.setattr(login_module, "SLOW_SECONDS", 0.05)
    passcode = Passcode("open sesame", b"secret")
    many = [f"198.51.100.{number}" for number in range(ATTEMPTS_OF_ALL)]
    assert await guess_from(passcode, many) == [Unauthorized] * ATTEMPTS_OF_ALL
    assert await guess_from(passcode, many[:3]) == [TooMany] * 3
    begun = time.monotonic()
    fresh = [[f"203.0.113.{number}"] for number in range(6)]
    turns = await asyncio.gather(*(guess_from(passcode, each) for each in fresh))
    assert turns == [[Unauthorized]] * 6
    assert time.monotonic() - begun >= 6 * 0.05
    assert await guess_from(passcode, fresh[0]) == [TooMany]


async def test_guesses_keep_nobody_from_signing_in_who_has_not_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(login_module, "SLOW_SECONDS", 0.001)
    passcode = Passcode("open sesame", b"secret")
    await guess_from(passcode, [f"2001:db8:1:2::{number:x}" for number in range(1, 200)])
    await guess_from(passcode, [f"198.51.100.{number}" for number in range(200)])
    for owner in ("192.0.2.1", "2001:db8:9::1", "::ffff:192.0.2.2"):
        await passcode.check("open sesame", owner)


async def test_a_network_of_ipv6_is_one_client() -> None:
    """Whoever has one address of a /64 has all, and of a /48 65,536 such."""
    passcode = Passcode("open sesame", b"secret")
    one = [f"2001:db8:1:2::{number:x}" for number in range(1, 9)]
    assert await guess_from(passcode, one) == [Unauthorized] * ATTEMPTS + [TooMany] * 3
    passcode = Passcode("open sesame", b"secret")
    site = [f"2001:db8:1:{number:x}::1" for number in range(ATTEMPTS_OF_ALL + 3)]
    found = await guess_from(passcode, site)
    assert found == [Unauthorized] * ATTEMPTS_OF_ALL + [TooMany] * 3


async def test_addresses_behind_a_trusted_proxy_are_counted_by_network(serve: Serve) -> None:
    options = Options(passcode="open sesame", proxies=TrustedProxies.parse("127.0.0.1"))
    served = await serve(options=options)

    async def sign_in(passcode: str, address: str) -> int:
        said = {"X-Forwarded-For": address}
        answer = await served.http.post("/api/login", json={"passcode": passcode}, headers=said)
        return answer.status_code

    guesses = [await sign_in("guess", f"2001:db8:1:2::{number:x}") for number in range(40)]
    assert guesses == [401] * 5 + [429] * 35
    assert await sign_in("open sesame", "2001:db8:7::1") == 200


@pytest.mark.parametrize("cookie", [f"{COOKIE}=junk", "a=b; ;;=", "\x00", f"{COOKIE}=ü.1.2"])
async def test_a_strange_cookie_is_no_cookie(serve: Serve, cookie: str) -> None:
    served = await serve(whoami_room(), options=CLOSED)
    request = f"GET /api/whoami HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n"
    answer = await served.raw(request.encode("latin-1") + b"Connection: close\r\n\r\n")
    assert answer.split()[1] in (b"401", b"400")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "bottega.example"])
def test_letting_other_machines_in_needs_a_token(host: str) -> None:
    with pytest.raises(ConfigurationError, match="BOTTEGA_TOKEN"):
        Options(host=host)
    assert Options(host=host, token="t").requires_credentials


async def test_without_a_passcode_the_page_says_what_to_set(serve: Serve) -> None:
    served = await serve(options=Options(token="t"))
    page = await served.http.get("/", headers={"Accept": "text/html"})
    assert page.status_code == 401
    assert "BOTTEGA_PASSCODE" in page.text
    assert (await served.http.post("/api/login", json={"passcode": "x"})).status_code == 404
