"""Agents that hold leases, and a visitor who signs in: what a clock that jumps must not take.

An agent gives a sign of life every second. So its lease is its own until it gives it back: if it is
gone, or if somebody else has it too, that is a finding.
"""

import asyncio
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from bench.chaos.clocks import Clock
from bench.chaos.load import PASSCODE, Load

CHANGES = 6
#: Seconds between two sign-ins: five a minute are allowed.
SIGN_IN_EVERY = 20.0
#: Who is signed in meets nothing else; what storage and limits say is no lock-out.
LOCKED_OUT = (401, 403)


@dataclass
class Ledger:
    """Who holds what, by the word of the servers."""

    #: Change → its holder's session.
    holders: dict[str, str] = field(default_factory=dict)
    #: Change → the newest token.
    tokens: dict[str, int] = field(default_factory=dict)
    leases: int = 0
    beats: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)

    def take(self, change: str, token: int, session: str) -> None:
        self.leases += 1
        holder = self.holders.get(change)
        if holder is not None or token <= self.tokens.get(change, 0):
            self.doubled.append(f"{change} with {token}: {holder} had it")
        self.holders[change] = session
        self.tokens[change] = token


class Agent:
    def __init__(self, load: Load, ledger: Ledger, project: Path, random_: random.Random) -> None:
        self._load = load
        self._ledger = ledger
        self._project = project
        self._random = random_
        self._session = ""
        self._lease: dict[str, Any] | None = None

    async def work_for_ever(self) -> None:
        while not self._session:
            body = {"project_path": str(self._project)}
            answer = await self._load.ask("POST", "/api/board/sessions", body)
            if answer is not None and answer.is_success:
                self._session = answer.json()["id"]
        while True:
            await self._claim()
            if self._lease is not None:
                await self._hold()
                await self._release()
            await asyncio.sleep(self._random.uniform(0.1, 1))

    async def _claim(self) -> None:
        body = {"session_id": self._session}
        await self._load.ask("POST", "/api/board/queue/next", body)
        # Whether it was answered or not, the next sign of life says what was given.
        lease = await self._beat()
        if lease is not None:
            self._ledger.take(lease["change_id"], lease["lease_token"], self._session)
        self._lease = lease

    async def _hold(self) -> None:
        for _ in range(self._random.randrange(2, 8)):
            await asyncio.sleep(self._random.uniform(0.3, 1))
            lease = await self._beat()
            if self._lease is not None and not _is_same(lease, self._lease):
                self._ledger.lost.append(f"{self._session}: {self._lease} is now {lease}")
                return

    async def _release(self) -> None:
        lease = self._lease
        assert lease is not None
        path = f"/api/board/work/{lease['change_id']}/release"
        body = {"session_id": self._session, "lease_token": lease["lease_token"], "why": "chaos"}
        # Free from here on: another may have it before the answer is here.
        self._ledger.holders.pop(lease["change_id"], None)
        while _is_same(lease, await self._release_once(path, body)):
            pass
        self._lease = None

    async def _release_once(self, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        await self._load.ask("POST", path, body)
        return await self._beat()

    async def _beat(self) -> dict[str, Any] | None:
        """The lease that it has, as soon as somebody says so."""
        while True:
            path = f"/api/board/sessions/{self._session}/heartbeat"
            answer = await self._load.ask("POST", path)
            if answer is not None and answer.is_success:
                self._ledger.beats += 1
                said = answer.json()
                if said["woken"]:
                    self._ledger.lost.append(f"{self._session} was given up")
                lease: dict[str, Any] | None = said["lease"]
                return lease
            await asyncio.sleep(0.2)


def _is_same(one: dict[str, Any] | None, other: dict[str, Any] | None) -> bool:
    if one is None or other is None:
        return one is other
    return all(one[name] == other[name] for name in ("change_id", "lease_token"))


async def fill_queue(load: Load, url: str) -> None:
    project = (await load.http.get(f"{url}/api/projects")).json()["projects"][0]["id"]
    for number in range(CHANGES):
        body = {
            "project_id": project,
            "title": f"Change number {number}",
            "why": "Somebody has to do something while everything else falls to pieces.",
            "what_changes": f"- Part {number} is another one",
            "tasks": [{"title": "Work", "items": ["Do it"]}],
        }
        made = await load.http.post(f"{url}/api/board/changes", json=body)
        made.raise_for_status()
        path = f"{url}/api/board/changes/{made.json()['id']}/approve"
        approved = await load.http.post(path, params={"project_id": project}, json={})
        approved.raise_for_status()


class Visitor:
    """Comes in with a token and by the passcode; whatever the clock says, the doors open."""

    def __init__(self, load: Load, clock: Clock | None) -> None:
        self._load = load
        self._clock = clock
        self._token = ""
        self._first_cookie = ""
        self.sign_ins = 0
        self.locked_out: list[str] = []

    async def begin(self, url: str) -> None:
        body = {"name": "visitor", "user": "visitor"}
        made = await self._load.http.post(f"{url}/api/tokens", json=body)
        made.raise_for_status()
        self._token = made.json()["secret"]
        self._first_cookie = await self._sign_in()

    async def visit_for_ever(self) -> None:
        while True:
            cookie = await self._sign_in()
            for _ in range(int(SIGN_IN_EVERY)):
                await self._enter("a token", {"Authorization": f"Bearer {self._token}"})
                ahead = self._ahead
                status = await self._look({"Cookie": cookie})
                if status in LOCKED_OUT and self._ahead == ahead == self._signed_in_at:
                    self.locked_out.append(f"a cookie of the same moment: {status}")
                await asyncio.sleep(1)

    async def check(self) -> None:
        """With a clock that is right again."""
        await self._enter("a token", {"Authorization": f"Bearer {self._token}"})
        await self._enter("the first cookie", {"Cookie": self._first_cookie})
        await self._enter("a new cookie", {"Cookie": await self._sign_in()})

    @property
    def _ahead(self) -> int:
        return self._clock.ahead if self._clock is not None else 0

    async def _sign_in(self) -> str:
        while True:
            self._signed_in_at = self._ahead
            body = {"passcode": PASSCODE}
            answer = await self._load.ask("POST", "/api/login", body, headers={})
            if answer is not None and answer.status_code in LOCKED_OUT:
                self.locked_out.append(f"signing in: {answer.text[:200]}")
            if answer is not None and answer.is_success and self._signed_in_at == self._ahead:
                self.sign_ins += 1
                return answer.headers["Set-Cookie"].partition(";")[0]
            await asyncio.sleep(1)

    async def _enter(self, what: str, headers: dict[str, str]) -> None:
        status = await self._look(headers)
        if status in LOCKED_OUT:
            self.locked_out.append(f"{what}: {status}")

    async def _look(self, headers: dict[str, str]) -> int:
        while True:
            answer = await self._load.ask("GET", "/api/runs", headers=headers)
            if answer is not None and answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
                return answer.status_code
            await asyncio.sleep(0.2)
