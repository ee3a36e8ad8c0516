"""Transcripts of Claude's SDK: which can be gone on with, and what a session does without."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.core.users import LOCAL_USER
from bottega.errors import InvalidInput, NotFound
from bottega.research.sessions.claude import (
    canonical_session_id,
    is_resumable_transcript,
    slugify_cwd,
    transcript_path,
)
from bottega.research.sessions.repository import Binding
from bottega.research.sessions.service import ResearchSessions
from tests.app import App, open_app

CWD = "/home/ada/harbour"
DEQUEUE = json.dumps(
    {"type": "queue-operation", "operation": "dequeue", "sessionId": "s1", "timestamp": "2026"},
    separators=(",", ":"),
)


def record(role: str, content: object, **more: object) -> str:
    message = {"role": role, "content": content}
    line = {"type": role, "message": message, "timestamp": "2026-02-27T10:00:00Z", **more}
    return json.dumps(line, separators=(",", ":"))


QUESTION = record("user", "What are the harbour fees?")
ANSWER = record("assistant", [{"type": "text", "text": "They are in part three. " * 30}])


def put(config: Path, *lines: str, cwd: str = CWD, session_id: str = "s1") -> Path:
    path = transcript_path(config, cwd, session_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    async with open_app(tmp_path) as app:
        yield app


@pytest.mark.requirement("RS-630")
@pytest.mark.parametrize(
    ("cwd", "slug"),
    [
        ("/home/ada/harbour", "-home-ada-harbour"),
        ("C:\\Users\\ada\\harbour", "C--Users-ada-harbour"),
        ("relative/path", "relative-path"),
        ("/with space/and.dot", "-with space-and.dot"),
        ("/", "-"),
        ("", ""),
    ],
)
def test_a_directory_becomes_a_slug(cwd: str, slug: str) -> None:
    """Colons, backslashes and slashes become dashes, everything else stays."""
    assert slugify_cwd(cwd) == slug


@pytest.mark.requirement("RS-630")
def test_a_transcript_lies_below_the_configuration_that_the_caller_names(tmp_path: Path) -> None:
    """Projects, the slug, the session."""
    path = transcript_path(tmp_path, CWD, "abc")
    assert path == tmp_path / "projects" / "-home-ada-harbour" / "abc.jsonl"


@pytest.mark.requirement("RS-632")
def test_a_transcript_with_a_conversation_is_resumable(tmp_path: Path) -> None:
    """Large enough, and the model has answered."""
    put(tmp_path, DEQUEUE, QUESTION, ANSWER)
    assert is_resumable_transcript(tmp_path, CWD, "s1")
    assert not is_resumable_transcript(tmp_path, "/elsewhere", "s1")


@pytest.mark.requirement("RS-631")
def test_a_transcript_of_a_dequeue_record_is_not_resumable(tmp_path: Path) -> None:
    """Some 139 bytes, and however many of them."""
    path = put(tmp_path, DEQUEUE)
    assert path.stat().st_size < 500
    assert not is_resumable_transcript(tmp_path, CWD, "s1")
    put(tmp_path, *[DEQUEUE] * 20)
    assert not is_resumable_transcript(tmp_path, CWD, "s1")


@pytest.mark.requirement("RS-632")
def test_the_limits_of_what_is_resumable(tmp_path: Path) -> None:
    """Over 500 bytes, not at; in the first 8 KB, not behind."""
    marker = '{"type":"assistant"}'
    path = put(tmp_path)
    path.write_text(marker + "x" * (500 - len(marker)))
    assert not is_resumable_transcript(tmp_path, CWD, "s1")
    path.write_text(marker + "x" * (501 - len(marker)))
    assert is_resumable_transcript(tmp_path, CWD, "s1")
    within = 8 * 1024 - len('"type":"assistant"') - 1
    path.write_text(" " * within + marker)
    assert is_resumable_transcript(tmp_path, CWD, "s1")
    path.write_text(" " * (within + 1) + marker)
    assert not is_resumable_transcript(tmp_path, CWD, "s1")


@pytest.mark.requirement("RS-633")
def test_whatever_goes_wrong_means_not_resumable(tmp_path: Path) -> None:
    """Missing, a folder, a hostile id, a path that cannot be one."""
    assert not is_resumable_transcript(tmp_path, CWD, "missing")
    transcript_path(tmp_path, CWD, "folder").mkdir(parents=True)
    assert not is_resumable_transcript(tmp_path, CWD, "folder")
    outside = tmp_path / "projects" / "out.jsonl"
    outside.write_text(ANSWER)
    assert not is_resumable_transcript(tmp_path, CWD, "../out")
    assert not is_resumable_transcript(tmp_path, "\0", "s1")
    assert not is_resumable_transcript(tmp_path, "x" * 5_000, "s1")
    assert not is_resumable_transcript(tmp_path / "nowhere", CWD, "s1")


@pytest.mark.requirement("RS-637")
def test_the_sdks_id_is_that_of_its_init_message() -> None:
    """Other messages may carry an older one."""
    stale = record("user", "hello", session_id="stale")
    init = json.dumps({"type": "system", "subtype": "init", "session_id": "right"})
    other = json.dumps({"type": "system", "subtype": "status", "session_id": "other"})
    assert canonical_session_id([stale, other, init, stale]) == "right"
    assert canonical_session_id([stale, other, "not json", "[]"]) is None


@pytest.mark.requirement("RS-634")
async def test_a_session_with_a_good_transcript_is_resumed(app: App, tmp_path: Path) -> None:
    """Then nothing has to be recovered."""
    sessions = ResearchSessions(app.core)
    made = await sessions.create(user_id=LOCAL_USER)
    binding = Binding(session_id="s1", cwd=CWD)
    await sessions.resuming.bind(made.id, binding, user_id=LOCAL_USER)
    put(tmp_path, QUESTION, ANSWER)
    for _ in range(2):
        found = await sessions.resuming.prepare(made.id, tmp_path, user_id=LOCAL_USER)
        assert (found.resume, found.recovered) == ("s1", ())


@pytest.mark.requirement("RS-634", "RS-635")
async def test_a_session_with_a_bad_transcript_starts_afresh_with_what_was_said(
    app: App, tmp_path: Path
) -> None:
    """Six messages of a thousand characters; the binding is dropped for good."""
    sessions = ResearchSessions(app.core)
    made = await sessions.create(user_id=LOCAL_USER)
    for number in range(8):
        words = f"{number} " + "x" * (2_000 if number == 7 else 10)
        role = "assistant" if number % 2 else "user"
        await app.core.conversations.append(made.id, role, {}, words, user_id=LOCAL_USER)
    await app.core.conversations.append(made.id, "tool", {"ok": True}, "", user_id=LOCAL_USER)
    put(tmp_path, DEQUEUE)
    binding = Binding(session_id="s1", cwd=CWD)
    await sessions.resuming.bind(made.id, binding, user_id=LOCAL_USER)
    found = await sessions.resuming.prepare(made.id, tmp_path, user_id=LOCAL_USER)
    assert found.resume is None
    assert [message.text[0] for message in found.recovered] == ["2", "3", "4", "5", "6", "7"]
    assert [message.role for message in found.recovered][:2] == ["user", "assistant"]
    assert len(found.recovered[-1].text) == 1_000
    put(tmp_path, QUESTION, ANSWER)
    again = await sessions.resuming.prepare(made.id, tmp_path, user_id=LOCAL_USER)
    assert again.resume is None
    assert (await sessions.facts(made.id, user_id=None)).binding is None


@pytest.mark.requirement("RS-636", "RS-637")
async def test_a_transcript_is_imported_as_what_was_said(app: App, tmp_path: Path) -> None:
    """No tool calls, no sub-agents, no half line; bound to where it came from."""
    put(
        tmp_path,
        json.dumps({"type": "summary", "summary": "Harbour fees"}),
        json.dumps({"type": "system", "subtype": "init", "session_id": "s1-canonical"}),
        DEQUEUE,
        record("user", "Caveat: made by the program", isMeta=True),
        QUESTION,
        record("assistant", [{"type": "tool_use", "name": "Read", "input": {}}]),
        record("user", [{"type": "tool_result", "content": "file"}]),
        record("assistant", [{"type": "text", "text": "thinking aloud"}], isSidechain=True),
        record(
            "assistant", [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "In"}]
        ),
        record("assistant", [{"type": "text", "text": "part"}, {"type": "text", "text": "three"}]),
        '{"type":"assistant","message":{"con',
    )
    sessions = ResearchSessions(app.core)
    made = await sessions.import_transcript(tmp_path, CWD, "s1", user_id=LOCAL_USER)
    said = await sessions.messages(made.id, user_id=LOCAL_USER)
    assert [(message.role, message.text) for message in said] == [
        ("user", "What are the harbour fees?"),
        ("assistant", "In"),
        ("assistant", "part\n\nthree"),
    ]
    assert made.title == "Harbour fees"
    assert str(said[0].created_at) == "2026-02-27 10:00:00+00:00"
    binding = (await sessions.facts(made.id, user_id=None)).binding
    assert binding == Binding(session_id="s1-canonical", cwd=CWD)


@pytest.mark.requirement("RS-636")
async def test_what_is_no_conversation_is_not_imported(app: App, tmp_path: Path) -> None:
    """With a clear error, and no session is begun."""
    sessions = ResearchSessions(app.core)
    put(tmp_path, DEQUEUE, QUESTION)
    with pytest.raises(InvalidInput, match="no conversation"):
        await sessions.import_transcript(tmp_path, CWD, "s1", user_id=LOCAL_USER)
    with pytest.raises(NotFound, match="'missing'"):
        await sessions.import_transcript(tmp_path, CWD, "missing", user_id=LOCAL_USER)
    with pytest.raises(InvalidInput, match="no id"):
        await sessions.import_transcript(tmp_path, CWD, "../../s1", user_id=LOCAL_USER)
    assert await sessions.list(user_id=LOCAL_USER) == []
