"""A key in a text reaches no table, no file and no export; innocent look-alikes are left alone."""

import json
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bottega.core.events import Event
from bottega.core.trust import admission
from bottega.core.trust.scanner import find, hide
from bottega.errors import InvalidInput
from tests.trust.served_app import serve_app

#: Put together here, so that no file of the repository holds one.
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
AWS = "AKIA" + "IOSFODNN7EXAMPL3"


@pytest.fixture(autouse=True)
def _policy() -> Iterator[None]:
    yield
    admission.configure("redact", str)


def places(data: Path, needle: str) -> list[str]:
    """Tables and files in which it stands."""
    found = []
    for path in data.rglob("*"):
        if path.is_file() and path.suffix not in (".db", ".db-wal", ".db-shm"):
            found += [str(path)] if needle in path.read_text(errors="replace") else []
    for name in ("bottega.db", "runs.db"):
        if (data / name).exists():
            with sqlite3.connect(data / name) as connection:
                dump = "\n".join(line for line in connection.iterdump() if needle in line)
            found += [line[:90] for line in dump.splitlines()]
    return found


async def test_a_key_in_a_text_is_written_nowhere(tmp_path: Path) -> None:
    """Through the doors by which free text comes in; in values, keys and names of fields."""
    async with serve_app(tmp_path) as served:
        told = f"Deploy with {KEY}, then rest"
        made = await served.http.post("/api/memories", json={"content": told, "tags": [KEY]})
        await served.http.post("/api/memories/recall", json={"query": told})
        knowledge = {"tier": "global", "category": "pattern", "content": told, "title": told}
        learned = await served.http.post(
            "/api/board/knowledge", json={**knowledge, "key": f"deploy {KEY}"}
        )
        entry = {"domain": "debugging", "strategy": "root-cause-analysis", "goal": told}
        said = {"hypothesis": told, "action": told, "prediction": told}
        started = await served.http.post("/api/journal/entries", json={**entry, **said})
        (served.project / "openspec").mkdir()
        await served.http.post("/api/projects/scan")
        hook = {"session_id": "one", "cwd": str(served.project), "prompt": told}
        heard = await served.http.post(
            "/api/board/hooks", json={**hook, "hook_event_name": "UserPromptSubmit", KEY: 1}
        )
        issue = {"issueTitle": told, "issueSummary": told}
        coached = await served.http.post("/api/coach/sessions", json=issue)
        planned = await served.http.post(
            "/api/coach/plan", json={"planText": f"1. {told}\n2. Run the tests"}
        )
        core = served.app.core
        core.bus.publish(Event("specs.problem", {"problem": told, KEY: 1}))
        await core.bus.flush()
        await core.traces.flush()
        data = served.app.settings.data_dir

    answers = (made, learned, started, heard, coached, planned)
    assert [answer.status_code for answer in answers] == [201, 201, 201, 200, 201, 200], [
        answer.text for answer in answers
    ]
    assert made.json()["content"] == "Deploy with [hidden], then rest"
    assert heard.json()["recorded"] is True
    assert places(data, KEY) == []
    assert places(data, "Deploy with [hidden], then rest")


async def test_a_refused_text_says_what_and_where_and_writes_nothing(tmp_path: Path) -> None:
    async with serve_app(tmp_path, bottega_secrets="refuse") as served:
        refused = await served.http.post("/api/memories", json={"content": f"login {AWS} works"})
        listed = (await served.http.get("/api/memories")).json()
        await served.http.post("/api/memories/recall", json={"query": f"what is {AWS}?"})
        await served.app.core.traces.flush()

        assert refused.status_code == 422
        assert "memory holds an AWS key id" in refused.text
        assert AWS not in refused.text
        assert not any(isinstance(each, list) and each for each in listed.values())
        assert places(served.app.settings.data_dir, AWS) == []


async def test_kept_texts_are_as_they_were_sent(tmp_path: Path) -> None:
    async with serve_app(tmp_path, bottega_secrets="keep") as served:
        made = await served.http.post("/api/memories", json={"content": f"login {AWS} works"})
        assert made.json()["content"] == f"login {AWS} works"


async def test_stored_credentials_are_hidden_whatever_they_look_like(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        await served.app.core.secrets.set("weather", "open sesame now")
        made = await served.http.post("/api/memories", json={"content": "say open sesame now"})
        assert "sesame" not in made.text


@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        '"integrity": "sha512-9GBUTYGFI8wDqxJ2dsZ6Bn5L0b6v1eUn1mZpYkYkN3w=="',
        "token: string, password: str | None = None",
        "api_key=os.environ['OPENAI_API_KEY']",
        "max_tokens=4096 input_tokens: 17",
        "password=${DB_PASSWORD} secret: <your-secret>",
        "src/bottega/core/trust/scanner.py:17",
        "see https://user@example.org/path?query=1",
        "def test_the_secret_token_is_a_key_of_the_house(): ...",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert hide(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("curl -s -u admin:Zebra7kkQ http://x", "Zebra7kkQ"),
        ("mysql -uroot -pGeheim42x shop", "Geheim42x"),
        ('{"db_pass": "Wolke77aQ"}', "Wolke77aQ"),
        ("xghp_" + "a1B2" * 9, "a1B2" * 9),
        ("shpat_" + "0a1b2c3d" * 4, "0a1b2c3d" * 4),
        ("AccountName=x;AccountKey=" + "Ab3+" * 20 + "==;", "Ab3+" * 20),
    ],
)
def test_a_secret_of_this_shape_is_hidden(text: str, secret: str) -> None:
    assert secret not in hide(text)


def test_a_secret_goes_and_the_text_around_it_stays() -> None:
    assert hide(f"export TOKEN={KEY}; make") == "export TOKEN=[hidden]; make"
    assert [each.kind for each in find(f"a {KEY} b {AWS}")] == ["a GitHub token", "an AWS key id"]


def test_the_message_of_a_refusal_names_no_secret() -> None:
    admission.configure("refuse", str)
    with pytest.raises(InvalidInput) as refused:
        admission.admit({"a": [f"x {KEY}"]}, "reply")
    assert KEY not in json.dumps([str(refused.value), refused.value.details])


async def test_what_is_kept_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    """Also where the folder was there before, open to everybody."""
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    (data / "bottega.db").touch(mode=0o644)
    async with serve_app(tmp_path) as served:
        await served.http.post("/api/memories", json={"content": "one"})
        opened = modes(data)
    assert opened == {}


def modes(data: Path) -> dict[str, Any]:
    """What others could read or enter."""
    there = [data, *(path for path in data.iterdir())]
    return {
        str(path): oct(stat.S_IMODE(path.stat().st_mode))
        for path in there
        if path.stat().st_mode & 0o077
    }
