"""The owner sees what is kept and prunes it; nobody else does."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bottega.core import clock
from bottega.core.events import Event
from tests.trust.served_app import ServedApp, serve_app


async def fill(served: ServedApp) -> None:
    old = clock.now() - timedelta(days=400)
    topics = ["transcript.user", "specs.moved"]
    await served.app.core.bus.log.append([Event(topic, created_at=old) for topic in topics])
    await served.app.core.bus.log.append([Event("specs.moved")])


async def test_the_owner_sees_prunes_and_loses_no_transcript(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        await fill(served)
        shown: dict[str, Any] = (await served.http.get("/api/retention")).json()
        events = next(each for each in shown["tables"] if each["table"] == "events")
        assert (events["kept_days"], events["spares"][:20]) == (180, "imported transcripts")
        assert shown["keep"]["traces"] == 30

        told = (await served.http.post("/api/retention/prune", json={"dry_run": True})).json()
        assert {each["table"]: each["rows"] for each in told if each["rows"]} == {"events": 1}
        assert (await served.http.post("/api/retention/prune")).json()[1]["rows"] == 1
        assert len(await served.app.core.bus.log.search("", topics=["transcript.*"])) == 1

        mallory = await served.colleague()
        for ask in (served.http.get("/api/retention"), served.http.post("/api/retention/prune")):
            assert (await ask).is_success
        for method, path in (("GET", "/api/retention"), ("POST", "/api/retention/prune")):
            refused = await served.http.request(method, path, headers=mallory.headers)
            assert refused.status_code == 403


@pytest.mark.parametrize(
    "command", [["retention"], ["retention", "prune", "--dry-run"]], ids=" ".join
)
def test_the_command_line_says_it(tmp_path: Path, command: list[str]) -> None:
    own = {"DATA_DIR": str(tmp_path), "PROJECT_DIR": str(tmp_path), "BOTTEGA_MODEL": "offline"}
    ended = subprocess.run(
        [sys.executable, "-m", "bottega", *command, "--json"],
        env=os.environ | own | {"XDG_CONFIG_HOME": str(tmp_path / "config")},
        capture_output=True,
        check=True,
    )
    assert json.loads(ended.stdout)
