"""Research sessions: what they are, how they are sorted and found, and their mirror in files."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import text, update

from bottega.conversation.mirror import SessionMirror
from bottega.core import clock
from bottega.core.llm.ledger import CallMetadata
from bottega.core.runs.run import RunRow, RunStatus
from bottega.core.services import Core
from bottega.core.sessions.session import SessionKind
from bottega.core.trust.permissions import PermissionMode
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, InvalidInput, NotFound
from bottega.research.sessions.files import session_folder, sessions_folder
from bottega.research.sessions.repository import Filters, ResearchSessionView
from bottega.research.sessions.service import ResearchSessions
from tests.app import App, open_app


@asynccontextmanager
async def opened(root: Path, database_url: str | None = None) -> AsyncIterator[ResearchSessions]:
    async with open_app(root, database_url=database_url) as app:
        sessions = ResearchSessions(app.core)
        await sessions.start()
        yield sessions
        await sessions.stop()


@pytest.fixture
async def app(tmp_path: Path, database_url: str) -> AsyncIterator[App]:
    async with open_app(tmp_path, database_url=database_url) as app:
        yield app


@pytest.fixture
async def sessions(app: App) -> AsyncIterator[ResearchSessions]:
    sessions = ResearchSessions(app.core)
    await sessions.start()
    yield sessions
    await sessions.stop()


async def say(core: Core, session_id: str, role: str, words: str) -> None:
    await core.conversations.append(session_id, role, {"text": words}, words, user_id=LOCAL_USER)


def transcript(core: Core, session: ResearchSessionView) -> Path:
    return session_folder(core.choices.data_dir, session.id).transcript


@pytest.mark.requirement("RS-601", "RS-602")
async def test_a_session_tells_what_it_is_and_what_it_cost(
    sessions: ResearchSessions, app: App
) -> None:
    """Metadata, counts, costs, and the ids of messages."""
    made = await sessions.create(
        user_id=LOCAL_USER, library="harbour", agent="deep-research", title="Fees"
    )
    assert (made.library, made.agent, made.title) == ("harbour", "deep-research", "Fees")
    assert (made.status, made.labels, made.permission_mode) == ("todo", [], PermissionMode.ASK)
    await say(app.core, made.id, "user", "What are the fees?")
    await say(app.core, made.id, "assistant", "See 3.1.")
    for _ in range(2):
        app.core.ledger.log_api_call(
            made.id, "chat", CallMetadata("m", "h", 5, 100, 20, cost_estimate=0.25)
        )
    await app.core.ledger.flush()
    shown = await sessions.get(made.id, user_id=LOCAL_USER)
    assert shown.message_count == 2
    assert shown.token_usage.model_dump() == {"input": 200, "output": 40, "cost": 0.5}
    assert [shown] == await sessions.list(user_id=LOCAL_USER)
    said = await sessions.messages(made.id, user_id=LOCAL_USER)
    assert [message.text for message in said] == ["What are the fees?", "See 3.1."]
    assert all(re.fullmatch(r"msg-\d{13}-[0-9a-f]{12}", message.id) for message in said)


async def test_a_session_of_another_kind_is_no_research_session(
    sessions: ResearchSessions, app: App
) -> None:
    other = await app.core.sessions.create(SessionKind.COACHING, "/p")
    with pytest.raises(NotFound, match=other.id):
        await sessions.get(other.id, user_id=LOCAL_USER)
    with pytest.raises(NotFound):
        await sessions.delete(other.id, user_id=LOCAL_USER)
    assert await sessions.list(user_id=LOCAL_USER) == []


@pytest.mark.requirement("RS-603")
async def test_sessions_are_found_by_status_label_archive_and_words(
    sessions: ResearchSessions, app: App
) -> None:
    """Alone and together."""
    fees, pilots, storms = [
        await sessions.create(user_id=LOCAL_USER, title=title)
        for title in ("Harbour fees", "Pilots at 100%", "Storm signals")
    ]
    await say(app.core, pilots.id, "user", "When must a master take a pilot on board?")
    await sessions.change(fees.id, status="done", user_id=LOCAL_USER)
    await sessions.change(fees.id, labels=["important", "follow-up"], user_id=LOCAL_USER)
    await sessions.change(storms.id, labels=["important"], user_id=LOCAL_USER)
    await sessions.change(storms.id, archived=True, user_id=LOCAL_USER)

    async def found(**filters: object) -> set[str | None]:
        hits = await sessions.list(Filters(**filters), user_id=LOCAL_USER)  # type: ignore[arg-type]
        return {hit.title for hit in hits}

    assert await found() == {"Harbour fees", "Pilots at 100%"}
    assert await found(archived=None) == {"Harbour fees", "Pilots at 100%", "Storm signals"}
    assert await found(archived=True) == {"Storm signals"}
    assert await found(status="done") == {"Harbour fees"}
    assert await found(status="todo") == {"Pilots at 100%"}
    assert await found(label="important", archived=None) == {"Harbour fees", "Storm signals"}
    assert await found(label="follow-up") == {"Harbour fees"}
    assert await found(label="follow") == set()
    assert await found(text="master pilots") == {"Pilots at 100%"}
    assert await found(text="HARBOUR") == {"Harbour fees"}
    assert await found(text="0%") == {"Pilots at 100%"}
    assert await found(text="of the") == set()
    assert await found(text="pilot", status="done") == set()
    assert len(await sessions.list(user_id=LOCAL_USER, limit=1)) == 1
    second = await sessions.list(user_id=LOCAL_USER, limit=1, offset=1)
    assert len(second) == 1


@pytest.mark.requirement("RS-604")
async def test_statuses_and_labels_are_those_of_the_files(
    sessions: ResearchSessions, app: App
) -> None:
    """Ours without a file, the person's with one."""
    ours = await sessions.vocabulary.statuses()
    assert ours.ids == ["todo", "in-progress", "needs-review", "done", "cancelled"]
    made = await sessions.create(user_id=LOCAL_USER)
    with pytest.raises(InvalidInput, match="'urgent'") as refused:
        await sessions.change(made.id, status="urgent", user_id=LOCAL_USER)
    assert "needs-review" in refused.value.details["valid_options"]
    with pytest.raises(InvalidInput, match="'legal'"):
        await sessions.change(made.id, labels=["important", "legal"], user_id=LOCAL_USER)
    put(app.core, "statuses", {"statuses": [{"id": "urgent", "label": "Urgent"}]})
    put(app.core, "labels", {"labels": [{"id": "legal", "label": "Legal", "color": "#aabbcc"}]})
    await sessions.change(made.id, status="urgent", user_id=LOCAL_USER)
    changed = await sessions.change(made.id, labels=["legal", "legal"], user_id=LOCAL_USER)
    assert (changed.status, changed.labels) == ("urgent", ["legal"])
    assert (await sessions.create(user_id=LOCAL_USER)).status == "urgent"


@pytest.mark.requirement("RS-605")
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"statuses": [{"id": "a", "label": "A"},\n {"id": "b", "lable": "B"}]}', ":2:"),
        ('{"statuses": []}', "statuses"),
        ('{"statuses": [{"id": "A b", "label": "A"}]}', "pattern"),
        ('{"statuses": [{"id": "a", "label": "A"}, {"id": "a", "label": "B"}]}', "ids stand once"),
        ('{"statuses": [{"id": "a", "label": "A"}], "defaultStatus": "b"}', "none of the statuses"),
        ("{", ":1:2: not valid JSON"),
    ],
)
async def test_a_file_of_statuses_that_cannot_be_used_is_named_with_the_place(
    tmp_path: Path, content: str, problem: str
) -> None:
    """Changing a status tells what is wrong; starting a session works all the same."""
    async with opened(tmp_path) as sessions:
        file = tmp_path / "data" / "statuses" / "config.json"
        file.parent.mkdir()
        file.write_text(content)
        made = await sessions.create(user_id=LOCAL_USER)
        assert made.status == "todo"
        with pytest.raises(InvalidInput, match=r"statuses/config\.json:\d") as refused:
            await sessions.change(made.id, status="done", user_id=LOCAL_USER)
        assert problem in refused.value.message


@pytest.mark.requirement("RS-606")
async def test_a_session_is_renamed_archived_and_brought_back(
    sessions: ResearchSessions, app: App
) -> None:
    """And keeps its messages."""
    made = await sessions.create(user_id=LOCAL_USER, title="One")
    await say(app.core, made.id, "user", "Hello")
    renamed = await sessions.change(made.id, title="  Two \n words ", user_id=LOCAL_USER)
    assert renamed.title == "Two words"
    for bad in ("", "  ", "x" * 201):
        with pytest.raises(InvalidInput, match="title"):
            await sessions.change(made.id, title=bad, user_id=LOCAL_USER)
    archived = await sessions.change(made.id, archived=True, user_id=LOCAL_USER)
    again = await sessions.change(made.id, archived=True, user_id=LOCAL_USER)
    assert archived.archived_at is not None
    assert again.archived_at == archived.archived_at
    back = await sessions.change(made.id, archived=False, user_id=LOCAL_USER)
    assert (back.archived_at, back.message_count) == (None, 1)


@pytest.mark.requirement("RS-607")
async def test_a_deleted_session_leaves_nothing(sessions: ResearchSessions, app: App) -> None:
    """No row, no message, no file."""
    made = await sessions.create(user_id=LOCAL_USER)
    await say(app.core, made.id, "user", "vanishing words")
    await sessions.mirror.flush()
    file = transcript(app.core, made)
    (file.parent / "output").mkdir()
    (file.parent / "output" / "answer.md").write_text("…")
    await sessions.delete(made.id, user_id=LOCAL_USER)
    assert not file.parent.exists()
    with pytest.raises(NotFound):
        await sessions.get(made.id, user_id=LOCAL_USER)
    assert await app.core.conversations.search("vanishing", user_id=None) == []
    sessions.mirror.changed(made.id)
    await sessions.mirror.flush()
    assert not file.parent.exists()


@pytest.mark.requirement("RS-607")
async def test_a_session_whose_run_has_not_ended_is_not_deleted(
    sessions: ResearchSessions, app: App
) -> None:
    """The run is cancelled first."""
    made = await sessions.create(user_id=LOCAL_USER)

    now = clock.now()
    paused = RunRow(
        id="run_1",
        kind="research",
        status=RunStatus.PAUSED,
        input={},
        user_id=LOCAL_USER,
        session_id=made.id,
        created_at=now,
        updated_at=now,
        position=1,
        recoveries=0,
    )
    async with app.core.database.write() as session:
        session.add(paused)
    with pytest.raises(Conflict, match="run_1"):
        await sessions.delete(made.id, user_id=LOCAL_USER)
    async with app.core.database.write() as session:
        await session.execute(update(RunRow).values(status=RunStatus.CANCELLED))
    await sessions.delete(made.id, user_id=LOCAL_USER)


@pytest.mark.requirement("RS-608")
async def test_an_export_comes_back_the_same_to_the_byte(
    sessions: ResearchSessions, app: App
) -> None:
    """With costs, labels, and what other parts of the house keep about it."""
    made = await sessions.create(user_id=LOCAL_USER, title="Übung", library="harbour")
    await sessions.change(made.id, labels=["important"], user_id=LOCAL_USER)
    await sessions.change(made.id, permission_mode=PermissionMode.EXPLORE, user_id=LOCAL_USER)
    await sessions.change(made.id, archived=True, user_id=LOCAL_USER)
    await app.core.sessions.note(made.id, user_id=None, last_run="run_1", other={"a": [1.5]})
    for words in ("plain", 'quotes " and \\ and\nlines', "separator \u2028 inside", ""):
        await say(app.core, made.id, "user", words)
    call = CallMetadata("m", "h", 5, 100, 20, cost_estimate=0.1)
    app.core.ledger.log_api_call(made.id, "chat", call)
    await app.core.ledger.flush()
    exported = await sessions.export(made.id, user_id=LOCAL_USER)
    with pytest.raises(Conflict, match=made.id):
        await sessions.import_jsonl(exported, user_id=LOCAL_USER)
    await sessions.delete(made.id, user_id=LOCAL_USER)
    ada = (await app.core.users.create("Ada")).id
    back = await sessions.import_jsonl(exported, user_id=ada)
    assert (back.title, back.labels, back.token_usage.input) == ("Übung", ["important"], 100)
    assert await sessions.export(made.id, user_id=ada) == exported
    with pytest.raises(NotFound):
        await sessions.get(made.id, user_id=LOCAL_USER)
    found = await sessions.list(Filters(text="separator", archived=None), user_id=ada)
    assert [hit.id for hit in found] == [made.id]


@pytest.mark.requirement("RS-609")
async def test_an_import_that_is_not_whole_is_refused_with_its_line(
    sessions: ResearchSessions, app: App
) -> None:
    """Cut, doubled, malformed, unknown keys, a path for an id."""
    made = await sessions.create(user_id=LOCAL_USER)
    for words in ("one", "two"):
        await say(app.core, made.id, "user", words)
    exported = await sessions.export(made.id, user_id=LOCAL_USER)
    await sessions.delete(made.id, user_id=LOCAL_USER)
    head, first, second = exported.splitlines()

    def with_head(**changes: object) -> str:
        return json.dumps(json.loads(head) | changes) + f"\n{first}\n{second}\n"

    for bad, said in (
        ("", "session.jsonl:1:1"),
        ("[]", "session.jsonl:1:1"),
        (f"{head}\n{first}\n", "tells of 2 messages and there are 1"),
        (f"{head}\n{first}\n{first}\n", ":3:1: the message"),
        (f"{head}\n{first}\n{second[:20]}\n", ":3:1"),
        (with_head(kind="admin"), "kind"),
        (with_head(id="../../etc"), "id"),
        (with_head(permissionMode="root"), "permissionMode"),
        (with_head(version=2), "version"),
    ):
        with pytest.raises(InvalidInput) as refused:
            await sessions.import_jsonl(bad, user_id=LOCAL_USER)
        assert said in refused.value.message
    assert await sessions.list(Filters(archived=None), user_id=None) == []


@pytest.mark.requirement("RS-610")
async def test_preferences_cascade_and_a_project_can_only_be_stricter(tmp_path: Path) -> None:
    """The project's library wins; its mode only if it holds the agent back."""
    async with opened(tmp_path) as sessions:
        own, project = tmp_path / "data" / "config.json", tmp_path / "project" / ".bottega"
        project.mkdir()

        async def started(person: dict[str, str], theirs: dict[str, str]) -> ResearchSessionView:
            own.write_text(json.dumps(person))
            (project / "config.json").write_text(json.dumps(theirs))
            return await sessions.create(user_id=LOCAL_USER)

        both = await started(
            {"library": "mine", "agent": "own-agent", "permissionMode": "execute"},
            {"library": "theirs", "permissionMode": "explore"},
        )
        assert (both.library, both.agent) == ("theirs", "own-agent")
        assert both.permission_mode is PermissionMode.EXPLORE
        loose = await started({}, {"permissionMode": "execute"})
        assert loose.permission_mode is PermissionMode.ASK
        chosen = await started({"permissionMode": "execute"}, {})
        assert chosen.permission_mode is PermissionMode.EXECUTE
        with pytest.raises(InvalidInput, match=r"\.bottega/config\.json:1:2.*'library'"):
            await started({}, {"libary": "typo"})


@pytest.mark.requirement("RS-611")
async def test_nobody_reaches_the_session_of_another(sessions: ResearchSessions, app: App) -> None:
    """It is as if it were not there."""
    ada = (await app.core.users.create("Ada")).id
    made = await sessions.create(user_id=ada, title="private")
    for attempt in (
        sessions.get(made.id, user_id=LOCAL_USER),
        sessions.messages(made.id, user_id=LOCAL_USER),
        sessions.change(made.id, title="mine", user_id=LOCAL_USER),
        sessions.regenerate_title(made.id, user_id=LOCAL_USER),
        sessions.change(made.id, status="done", user_id=LOCAL_USER),
        sessions.change(made.id, labels=["important"], user_id=LOCAL_USER),
        sessions.change(made.id, permission_mode=PermissionMode.EXECUTE, user_id=LOCAL_USER),
        sessions.change(made.id, archived=True, user_id=LOCAL_USER),
        sessions.change(made.id, archived=False, user_id=LOCAL_USER),
        sessions.export(made.id, user_id=LOCAL_USER),
        sessions.delete(made.id, user_id=LOCAL_USER),
        sessions.resuming.prepare(made.id, Path("/"), user_id=LOCAL_USER),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert await sessions.list(user_id=LOCAL_USER) == []
    assert (await sessions.get(made.id, user_id=ada)).title == "private"


@pytest.mark.requirement("RS-620")
async def test_the_mirror_is_the_export_with_the_metadata_on_its_first_line(
    sessions: ResearchSessions, app: App
) -> None:
    """The spec's names, and then a message a line."""
    made = await sessions.create(user_id=LOCAL_USER, title="Fees")
    await say(app.core, made.id, "user", "What are the fees?")
    await sessions.mirror.settled()
    mirror = transcript(app.core, made).read_text()
    assert mirror == await sessions.export(made.id, user_id=LOCAL_USER)
    head, message = map(json.loads, mirror.splitlines())
    assert head["messageCount"] == 1
    assert head["tokenUsage"] == {"input": 0, "output": 0, "cost": 0.0}
    assert (head["permissionMode"], head["status"], head["labels"]) == ("ask", "todo", [])
    assert (message["role"], message["text"]) == ("user", "What are the fees?")


@pytest.mark.requirement("RS-620")
async def test_every_change_reaches_the_mirror(sessions: ResearchSessions, app: App) -> None:
    """Not only what is said."""
    made = await sessions.create(user_id=LOCAL_USER, title="One")
    await sessions.change(made.id, title="Two", user_id=LOCAL_USER)
    await sessions.change(made.id, labels=["important"], user_id=LOCAL_USER)
    await sessions.change(made.id, status="done", user_id=LOCAL_USER)
    await sessions.mirror.flush()
    head = json.loads(transcript(app.core, made).read_text())
    assert (head["title"], head["labels"], head["status"]) == ("Two", ["important"], "done")


@pytest.mark.requirement("RS-621")
async def test_a_burst_of_changes_is_one_write_half_a_second_later(tmp_path: Path) -> None:
    """The time is that since the last of them."""
    loop = asyncio.get_running_loop()
    written: list[float] = []

    async def export(session_id: str) -> str:
        written.append(loop.time())
        return f"{session_id}\n"

    mirror = SessionMirror(sessions_folder(tmp_path), export)
    await mirror.start()
    for _ in range(5):
        mirror.changed("one")
        await asyncio.sleep(0)
    last = loop.time()
    await mirror.settled()
    await mirror.stop()
    assert len(written) == 1
    assert 0.49 <= written[0] - last < 2.0
    assert session_folder(tmp_path, "one").transcript.read_text() == "one\n"


@pytest.mark.requirement("RS-621")
async def test_changes_without_end_do_not_put_the_write_off_for_ever(tmp_path: Path) -> None:
    """Patience has its end, though the session never falls quiet."""
    wrote = asyncio.Event()

    async def export(session_id: str) -> str:
        wrote.set()
        return session_id

    mirror = SessionMirror(sessions_folder(tmp_path), export, delay=0.2, patience=0.3)
    await mirror.start()
    async with asyncio.timeout(5):
        while not wrote.is_set():
            mirror.changed("busy")
            await asyncio.sleep(0.01)
    await mirror.stop()


@pytest.mark.requirement("RS-621")
async def test_a_change_made_while_its_session_is_being_written_is_written_too(
    tmp_path: Path,
) -> None:
    """The second text is the one that stays."""
    texts, entered, go = ["old", "new"], asyncio.Event(), asyncio.Event()

    async def export(session_id: str) -> str:
        entered.set()
        await go.wait()
        return texts.pop(0)

    mirror = SessionMirror(sessions_folder(tmp_path), export, delay=0)
    await mirror.start()
    mirror.changed("one")
    await entered.wait()
    mirror.changed("one")
    go.set()
    await mirror.settled()
    await mirror.stop()
    assert session_folder(tmp_path, "one").transcript.read_text() == "new"


@pytest.mark.requirement("RS-622")
async def test_what_waits_is_written_when_the_house_closes(tmp_path: Path) -> None:
    """A stop does not wait for the half second, and loses nothing."""
    async with opened(tmp_path) as sessions:
        made = await sessions.create(user_id=LOCAL_USER, title="Last words")
        core = sessions._core
        await say(core, made.id, "user", "the very last")
        assert not transcript(core, made).exists()
        expected = await sessions.export(made.id, user_id=LOCAL_USER)
    assert transcript(core, made).read_text() == expected


@pytest.mark.requirement("RS-623")
async def test_mirrors_that_a_crash_left_behind_are_written_at_the_next_start(
    tmp_path: Path,
) -> None:
    """Missing, stale, damaged; one that is right is left alone."""
    async with open_app(tmp_path) as app:
        # Without `start` nobody writes, as if the process had been killed.
        before = ResearchSessions(app.core)
        missing, stale, damaged, right = [
            await before.create(user_id=LOCAL_USER, title=title) for title in "abcd"
        ]
        for session in (stale, damaged, right):
            path = transcript(app.core, session)
            path.parent.mkdir(parents=True)
            path.write_text(await before.export(session.id, user_id=None))
        await say(app.core, stale.id, "user", "said just before the crash")
        transcript(app.core, damaged).write_bytes(b"\xff\xfe")
        untouched = transcript(app.core, right).stat().st_ino
        after = ResearchSessions(app.core)
        await after.start()
        assert after._checking is not None
        await after._checking
        await after.mirror.flush()
        for session in (missing, stale, damaged, right):
            mirror = transcript(app.core, session).read_text()
            assert mirror == await after.export(session.id, user_id=None)
        assert transcript(app.core, right).stat().st_ino == untouched
        await after.stop()


@pytest.mark.requirement("RS-624")
async def test_a_disk_that_refuses_breaks_no_turn_and_is_tried_again(tmp_path: Path) -> None:
    """The write is made up for when the disk is well again."""
    blocked = tmp_path / "research"
    blocked.write_text("a file where a folder should be")
    tried = asyncio.Event()

    async def export(session_id: str) -> str:
        tried.set()
        return "text"

    mirror = SessionMirror(sessions_folder(tmp_path), export, delay=0, retry_pauses=(0.01,))
    await mirror.start()
    mirror.changed("one")
    await tried.wait()
    await mirror.flush()
    blocked.unlink()
    await mirror.settled()
    assert session_folder(tmp_path, "one").transcript.read_text() == "text"
    await mirror.stop()


@pytest.mark.requirement("RS-624")
async def test_a_mirror_that_cannot_be_written_does_not_keep_the_house_from_closing(
    tmp_path: Path,
) -> None:
    """It is left for the next start."""
    (tmp_path / "research").write_text("in the way")

    async def export(session_id: str) -> str:
        return "text"

    mirror = SessionMirror(sessions_folder(tmp_path), export)
    await mirror.start()
    mirror.changed("one")
    async with asyncio.timeout(3):
        await mirror.stop()
    assert (tmp_path / "research").read_text() == "in the way"


@pytest.mark.requirement("RS-625")
async def test_a_reader_never_sees_half_a_mirror(tmp_path: Path) -> None:
    """The file that was open keeps its text, and the new one is whole."""
    texts = ["a" * 100_000, "b" * 200_000]

    async def export(session_id: str) -> str:
        return texts.pop(0)

    mirror = SessionMirror(sessions_folder(tmp_path), export, delay=0)
    mirror.changed("one")
    await mirror.flush()
    path = session_folder(tmp_path, "one").transcript
    with path.open() as reader:
        mirror.changed("one")
        await mirror.flush()
        assert reader.read() == "a" * 100_000
    assert path.read_text() == "b" * 200_000
    assert os.listdir(path.parent) == ["session.jsonl"]


@pytest.mark.requirement("RS-626")
async def test_many_sessions_at_once_are_written_by_a_few_writers(tmp_path: Path) -> None:
    """Never more than four at a time, and every one."""
    at_once, most = 0, 0

    async def export(session_id: str) -> str:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0)
        at_once -= 1
        return session_id

    mirror = SessionMirror(sessions_folder(tmp_path), export, delay=0)
    await mirror.start()
    names = [f"session{number}" for number in range(100)]
    for name in names:
        mirror.changed(name)
    await mirror.settled()
    await mirror.stop()
    assert most <= 4
    assert [session_folder(tmp_path, name).transcript.read_text() for name in names] == names


@pytest.mark.requirement("RS-609")
async def test_a_write_transaction_that_fails_leaves_the_session_as_it_was(
    sessions: ResearchSessions, app: App
) -> None:
    """An import whose message exists already brings in nothing."""
    made = await sessions.create(user_id=LOCAL_USER)
    await say(app.core, made.id, "user", "one")
    exported = await sessions.export(made.id, user_id=LOCAL_USER)
    renamed = exported.replace(made.id, "another-session", 1)
    with pytest.raises(Conflict):
        await sessions.import_jsonl(renamed, user_id=LOCAL_USER)
    async with app.core.database.read() as session:
        count = await session.scalar(text("SELECT count(*) FROM sessions"))
    assert count == 1


def put(core: Core, folder: str, content: dict[str, object]) -> None:
    file = core.choices.data_dir / folder / "config.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content))
