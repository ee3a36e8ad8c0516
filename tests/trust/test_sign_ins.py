"""Sign-ins are the server's: listed, ended one by one, and over when they are ended."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from bottega.core import clock
from bottega.core.sign_ins import LIFETIME
from bottega.server.login import COOKIE
from tests.trust.served_app import ServedApp, serve_app

LOCKED: dict[str, Any] = {"bottega_passcode": "sesame", "bottega_token": "the-owners"}
OWNER = {"Authorization": "Bearer the-owners"}


async def sign_in(served: ServedApp, agent: str = "Firefox") -> dict[str, str]:
    """The header of a browser that is signed in."""
    async with httpx.AsyncClient(base_url=served.url, trust_env=False) as http:
        signed = await http.post(
            "/api/login", json={"passcode": "sesame"}, headers={"User-Agent": agent}
        )
    return {"Cookie": f"{COOKIE}={signed.cookies[COOKIE]}"}


async def status(served: ServedApp, headers: dict[str, str]) -> int:
    return (await served.http.get("/api/settings", headers=headers)).status_code


async def test_the_cookie_is_random_and_kept_nowhere(tmp_path: Path) -> None:
    async with serve_app(tmp_path, **LOCKED) as served:
        one, other = await sign_in(served), await sign_in(served)
        assert one != other
        rows = await served.app.core.sign_ins.list("local")
        secret = one["Cookie"].partition("=")[2]
        assert all(secret not in str(vars(row)) for row in rows)
        assert await status(served, {"Cookie": f"{COOKIE}={secret[:-1]}"}) == 401
        assert await status(served, {"Cookie": f"{COOKIE}={rows[0].cookie_hash}"}) == 401


async def test_sign_ins_are_listed_with_when_where_and_which(tmp_path: Path) -> None:
    async with serve_app(tmp_path, **LOCKED) as served:
        firefox, _ = await sign_in(served, "Firefox"), await sign_in(served, "Safari")
        shown = (await served.http.get("/api/sign-ins", headers=firefox)).json()
        assert [(row["agent"], row["address"], row["is_current"]) for row in shown] == [
            ("Safari", "127.0.0.1", False),
            ("Firefox", "127.0.0.1", True),
        ]
        mallory = await make_colleague(served)
        assert (await served.http.get("/api/sign-ins", headers=mallory)).json() == []
        path = f"/api/sign-ins/{shown[0]['id']}"
        assert (await served.http.delete(path, headers=mallory)).status_code == 404


async def make_colleague(served: ServedApp) -> dict[str, str]:
    asked = {"name": "laptop", "user": "mallory"}
    made = await served.http.post("/api/tokens", json=asked, headers=OWNER)
    return {"Authorization": f"Bearer {made.json()['secret']}"}


async def test_one_is_ended_with_what_it_opened_and_others_go_on(tmp_path: Path) -> None:
    async with serve_app(tmp_path, **LOCKED) as served:
        stolen, own = await sign_in(served, "stolen"), await sign_in(served, "own")
        address = served.url.replace("http", "ws", 1) + "/ws"
        async with (
            connect(address, proxy=None, additional_headers=stolen) as his,
            connect(address, proxy=None, additional_headers=own) as mine,
        ):
            shown = (await served.http.get("/api/sign-ins", headers=own)).json()
            [row] = [row for row in shown if row["agent"] == "stolen"]
            path = f"/api/sign-ins/{row['id']}"
            assert (await served.http.delete(path, headers=own)).status_code == 200
            assert await status(served, stolen) == 401
            async with asyncio.timeout(1):
                await his.wait_closed()
            assert his.close_code == 4401
            await (await mine.ping())
        assert await status(served, own) == 200
        assert (await served.http.delete(path, headers=own)).status_code == 404


async def test_signing_out_holds_for_a_server_that_starts_later(tmp_path: Path) -> None:
    async with serve_app(tmp_path, **LOCKED) as served:
        ended, kept = await sign_in(served), await sign_in(served)
        await served.http.post("/api/logout", headers=ended)
    async with serve_app(tmp_path, **LOCKED) as served:
        assert await status(served, ended) == 401
        assert await status(served, kept) == 200


async def test_a_new_passcode_signs_everybody_out(tmp_path: Path) -> None:
    async with serve_app(tmp_path, **LOCKED) as served:
        before = await sign_in(served)
    async with serve_app(tmp_path, **LOCKED | {"bottega_passcode": "other"}) as served:
        assert await status(served, before) == 401


async def test_a_sign_in_is_over_after_a_week(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve_app(tmp_path, **LOCKED) as served:
        cookie = await sign_in(served)
        later = clock.now() + LIFETIME
        monkeypatch.setattr("bottega.core.sign_ins.clock.now", lambda: later)
        assert await status(served, cookie) == 401


async def test_a_sign_in_by_a_clock_that_was_ahead_lives_no_longer_than_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is signed out when the clock is set right, and nobody stays for years."""
    now = clock.now()
    moments = {"ahead": now + timedelta(days=900), "right": now, "later": now + LIFETIME}
    cookies = {}
    for moment in ("ahead", "right", "later"):
        monkeypatch.setattr("bottega.core.sign_ins.clock.now", lambda m=moment: moments[m])
        async with serve_app(tmp_path, **LOCKED) as served:
            if moment == "ahead":
                cookies = await sign_in(served)
            expected = 401 if moment == "later" else 200
            assert await status(served, cookies) == expected, moment
