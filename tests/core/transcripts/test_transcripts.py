"""Transcripts of other agents, as they really write them, into sessions, messages and events."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from bottega.core.db.database import Database
from bottega.core.events.log import EventLog
from bottega.core.sessions.conversations import Conversations, Message
from bottega.core.sessions.session import Session
from bottega.core.transcripts.files import NotATranscript, find_files, read_transcripts
from bottega.core.transcripts.importer import ImportedTranscript, Transcripts
from bottega.core.trust.secrets import Secrets

SESSION = "0c5a5f5e-6a0c-4f5e-9a63-3f0a7b6f1d11"
KEY = "sk-ant-api03-" + "A1b2C3d4" * 5


def claude(uuid: str, type: str, message: Any, second: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/anna/shop",
        "sessionId": SESSION,
        "version": "2.1.12",
        "gitBranch": "main",
        "type": type,
        "message": message,
        "uuid": uuid,
        "timestamp": f"2026-01-20T11:57:{second:02}.716Z",
        **more,
    }


def sitting() -> list[dict[str, Any]]:
    answer = [
        {"type": "thinking", "thinking": "Rounding, surely.", "signature": "c2ln"},
        {"type": "text", "text": "I look at the splitter."},
        {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "split.py"}},
    ]
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "def split(cents): ..."}
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 100},
    }
    return [
        {"type": "summary", "summary": "The missing cent", "leafUuid": "u3"},
        {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
        claude("u1", "user", {"role": "user", "content": "Why is a cent missing?\nThanks"}),
        claude("u2", "assistant", {"role": "assistant", "model": "m", "content": answer}, 1),
        claude("u3", "user", {"role": "user", "content": [result, picture]}, 2),
    ]


def write(path: Path, lines: list[dict[str, Any]], end: str = "\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(line) for line in lines) + end, encoding="utf-8")
    return path


async def take_in(database: Database, path: Path) -> ImportedTranscript:
    [transcript], _ = read_transcripts(path)
    return await Transcripts(database, lambda text: text).take_in(transcript, "local")


async def count(database: Database) -> int:
    async with database.read() as session:
        return await session.scalar(select(func.count()).select_from(Message)) or 0


async def test_a_sitting_becomes_a_session_with_messages_and_events(
    database: Database, tmp_path: Path
) -> None:
    taken = await take_in(database, write(tmp_path / "a.jsonl", sitting()))
    assert taken == ImportedTranscript(imported=3, known=0, is_new=True)
    session_id = f"claude-code-{SESSION}"
    async with database.read() as session:
        row = await session.get_one(Session, session_id)
    assert (row.kind, row.type, row.status) == ("agent", "claude-code", "ended")
    assert (row.project_dir, row.title) == ("/home/anna/shop", "The missing cent")
    assert row.data["git_branch"] == "main"
    assert row.ended_at is not None
    assert (row.ended_at - row.started_at).total_seconds() == 2

    conversations = Conversations(database)
    messages = await conversations.list(session_id, user_id="local")
    assert [(each.id, each.role) for each in messages] == [
        ("u1", "user"),
        ("u2", "assistant"),
        ("u3", "tool"),
    ]
    assert messages[1].text == "Rounding, surely.\nI look at the splitter.\nRead\nsplit.py"
    assert "iVBOR" not in json.dumps(messages[2].content)
    found = await conversations.search("splitter", user_id="local")
    assert [each.message.id for each in found] == ["u2"]

    [event] = await EventLog(database).search("missing cent", user_id="local")
    assert event.event.topic == "transcript.user"
    assert event.event.session_id == session_id
    assert event.event.created_at == messages[0].created_at


async def test_what_is_known_is_skipped_and_a_grown_transcript_goes_on(
    database: Database, tmp_path: Path
) -> None:
    file = write(tmp_path / "a.jsonl", sitting())
    await take_in(database, file)
    assert await take_in(database, file) == ImportedTranscript(imported=0, known=3, is_new=False)
    later = claude("u4", "user", {"role": "user", "content": "And the tests?"}, 9)
    write(file, [*sitting(), later])
    assert await take_in(database, file) == ImportedTranscript(imported=1, known=3, is_new=False)
    messages = await Conversations(database).list(f"claude-code-{SESSION}", user_id="local")
    assert [each.position for each in messages] == [0, 1, 2, 3]
    assert len(await EventLog(database).search("", topics=["transcript.*"])) == 4


async def test_a_resumed_sitting_does_not_repeat_what_was_said(
    database: Database, tmp_path: Path
) -> None:
    """It copies the lines before under a new session."""
    await take_in(database, write(tmp_path / "a.jsonl", sitting()))
    resumed = [{**line, "sessionId": "other"} for line in sitting()[2:]]
    resumed.append(claude("u9", "user", {"role": "user", "content": "Go on"}, 9, sessionId="other"))
    taken = await take_in(database, write(tmp_path / "b.jsonl", resumed))
    assert taken == ImportedTranscript(imported=1, known=3, is_new=True)
    assert await count(database) == 4


async def test_the_last_line_may_be_cut_off(database: Database, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", sitting(), end='\n{"type": "assistant", "mess')
    [_], unreadable = read_transcripts(file)
    assert unreadable == 0
    assert (await take_in(database, file)).imported == 3


def test_a_bad_line_in_the_middle_is_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = [json.dumps(line) for line in sitting()]
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join([*lines[:3], "{broken", "[1]", "", *lines[3:]]) + "\n")
    [transcript], unreadable = read_transcripts(file)
    assert len(transcript.said) == 3
    assert unreadable == 2


def test_a_subagent_has_a_session_of_its_own(tmp_path: Path) -> None:
    said = claude("x1", "user", {"role": "user", "content": "Look"}, agentId="a1", isSidechain=True)
    [transcript], _ = read_transcripts(write(tmp_path / "agent-a1.jsonl", [said]))
    assert transcript.id == f"claude-code-{SESSION}-a1"
    assert transcript.facts["parent"] == f"claude-code-{SESSION}"
    assert transcript.said[0].content["sidechain"] is True


async def test_secrets_are_hidden_everywhere(database: Database, tmp_path: Path) -> None:
    secrets = Secrets(tmp_path / "data")
    await secrets.set("mail", "correct horse battery")
    words = f"export K={KEY}; Authorization: Bearer {'t0ken' * 6}; it is correct horse battery"
    asked = {"role": "user", "content": [{"type": "text", "text": words}]}
    [transcript], _ = read_transcripts(write(tmp_path / "a.jsonl", [claude("u1", "user", asked)]))
    await Transcripts(database, secrets.redact).take_in(transcript, "local")
    async with database.read() as session:
        message = (await session.scalars(select(Message))).one()
        row = (await session.scalars(select(Session))).one()
    [event] = await EventLog(database).search("export")
    everything = json.dumps([message.content, message.text, row.title, event.event.payload])
    assert "export" in everything
    for secret in (KEY, "t0ken", "correct horse"):
        assert secret not in everything


def rollout() -> list[dict[str, Any]]:
    def line(type: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": "2025-10-29T00:59:38.317Z", "type": type, "payload": payload}

    def message(role: str, text: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        return line(
            "response_item",
            {"type": "message", "role": role, "content": [{"type": kind, "text": text}]},
        )

    meta = {
        "id": "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5",
        "timestamp": "2025-10-29T00:59:38.308Z",
        "cwd": "/home/anna/shop",
        "originator": "codex_cli_rs",
        "cli_version": "0.46.0",
        "instructions": None,
        "git": {"branch": "main"},
    }
    call = {"type": "function_call", "name": "shell", "arguments": '{"cmd": "ls"}', "call_id": "c"}
    reasoning = {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAAB"}
    return [
        line("session_meta", meta),
        message("user", "<environment_context>\n  <cwd>/home/anna/shop</cwd>"),
        message("user", "list the files"),
        line("event_msg", {"type": "user_message", "message": "list the files"}),
        line("turn_context", {"model": "gpt-5-codex"}),
        line("response_item", reasoning),
        line("response_item", call),
        line("response_item", {"type": "function_call_output", "call_id": "c", "output": "a.py"}),
        message("assistant", "There is one: a.py"),
    ]


async def test_a_rollout_of_codex_is_read_too(database: Database, tmp_path: Path) -> None:
    file = write(tmp_path / "2025" / "10" / "29" / "rollout-1.jsonl", rollout())
    assert find_files([tmp_path]) == [file]
    [transcript], _ = read_transcripts(file)
    assert [said.role for said in transcript.said] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert (transcript.source, transcript.project_dir) == ("codex", "/home/anna/shop")
    assert transcript.facts["git_branch"] == "main"
    assert (await take_in(database, file)).imported == 5
    assert await take_in(database, file) == ImportedTranscript(imported=0, known=5, is_new=False)
    async with database.read() as session:
        assert (await session.get_one(Session, transcript.id)).title == "list the files"
    assert len(await EventLog(database).search("one a.py", topics=["transcript.assistant"])) == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"a letter\nof two lines\n", "not JSON Lines"),
        (b"\x00\xff\xfe\n", "not JSON Lines"),
        (b'{"colour": "red"}\n', "no transcript"),
        (b'{"type": "queue-operation", "sessionId": "s"}\n', "nothing was said"),
        (b"[" * 100_000 + b"\n", "not JSON Lines"),
    ],
)
def test_another_file_is_refused_with_the_reason(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(data)
    with pytest.raises(NotATranscript, match=reason):
        read_transcripts(tmp_path / "x.jsonl")
    with pytest.raises(NotATranscript, match="No such file"):
        read_transcripts(tmp_path / "none.jsonl")


async def test_odd_values_are_taken_as_they_can_be(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    odd = json.dumps(claude("u1", "user", {"role": "user", "content": "a\0b \ud800 c"}))
    number = json.dumps(claude("u2", "assistant", {"content": [], "usage": {"x": float("nan")}}))
    no_words = json.dumps(claude("u3", "assistant", {"content": None}))
    no_time = json.dumps(claude("u4", "user", {"content": "x"}, timestamp="soon"))
    file.write_text("\n".join([odd, number, no_words, no_time]) + "\n")
    assert (await take_in(database, file)).imported == 3
