"""`DATABASE_URL` is the switch: several servers on one PostgreSQL are one workshop."""

import asyncio
import json
from pathlib import Path

import httpx

from tests.conftest import Postgres
from tests.end_to_end.conftest import DEADLINE, Start, run_bottega


async def test_what_one_server_is_told_the_other_knows_at_once(
    start_server: Start, postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.new_database()
    one = start_server(DATABASE_URL=url, DATA_DIR=str(tmp_path / "one"))
    two = start_server(DATABASE_URL=url, DATA_DIR=str(tmp_path / "two"))
    assert httpx.get(f"{one.url}/health", timeout=DEADLINE).json()["vectors"]["kind"] == "pgvector"
    async with (
        httpx.AsyncClient(base_url=two.url, timeout=DEADLINE) as http,
        http.stream("GET", "/api/events", params={"topics": "memory.*"}) as stream,
    ):
        lines = stream.aiter_lines()
        assert (await anext(lines)).startswith("retry")
        added = httpx.post(
            f"{one.url}/api/memories", json={"content": "Both of us know this"}, timeout=DEADLINE
        )
        assert added.status_code == 201
        async with asyncio.timeout(DEADLINE):
            async for line in lines:
                if line.startswith("data:"):
                    break
    assert json.loads(line.removeprefix("data:"))["topic"] == "memory.added"
    found = httpx.post(
        f"{two.url}/api/memories/recall", json={"query": "what do we both know"}, timeout=DEADLINE
    )
    assert "Both of us know this" in found.text


def test_doctor_names_a_database_that_does_not_answer(tmp_path: Path) -> None:
    said = run_bottega(
        "doctor",
        DATA_DIR=str(tmp_path),
        PROJECT_DIR=str(tmp_path),
        DATABASE_URL="postgresql://nobody@127.0.0.1:1/nothing",
    )
    assert said.returncode == 1
    assert "127.0.0.1:1" in said.stdout
    assert "Traceback" not in said.stderr


def test_a_database_that_does_not_answer_ends_the_start(tmp_path: Path) -> None:
    ended = run_bottega(
        "serve",
        DATA_DIR=str(tmp_path),
        PROJECT_DIR=str(tmp_path),
        PORT="0",
        DATABASE_URL="postgresql://nobody@127.0.0.1:1/nothing",
    )
    assert ended.returncode == 1
    assert "DATABASE_URL" in ended.stderr
    assert "Traceback" not in ended.stderr
