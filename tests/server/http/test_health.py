"""`/health`."""

import pytest

from bottega import __version__
from bottega.core.rooms import Room
from bottega.server.options import Options
from tests.server.http.small_app import Serve


@pytest.mark.requirement("FR-004")
async def test_health_says_ok_since_when_and_on_what(serve: Serve) -> None:
    served = await serve(Room("coach"))
    await served.websocket()
    first = await served.http.get("/health")
    assert first.status_code == 200
    health = first.json()
    assert health.pop("uptime") > 0
    assert health == {
        "status": "ok",
        "version": __version__,
        "database": {"kind": "sqlite"},
        "rooms": ["coach"],
        "connections": 1,
    }


@pytest.mark.requirement("FR-004")
async def test_the_uptime_counts_up(serve: Serve) -> None:
    served = await serve()
    uptimes = [(await served.http.get("/health")).json()["uptime"] for _ in range(2)]
    assert isinstance(uptimes[0], float)
    assert uptimes[1] > uptimes[0]


async def test_strangers_learn_only_that_it_lives(serve: Serve) -> None:
    served = await serve(options=Options(token="t"))
    answer = await served.http.get("/health")
    assert answer.status_code == 200
    assert answer.json().keys() == {"status", "uptime"}
    known = await served.http.get("/health", headers={"Authorization": "Bearer t"})
    assert known.json()["version"] == __version__
