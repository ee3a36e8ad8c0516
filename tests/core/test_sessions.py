"""Sessions and what was said in them."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from sqlalchemy import text

from bottega.core import clock
from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.sessions.actions import Actions, ActionType
from bottega.core.sessions.conversations import Conversations
from bottega.core.sessions.session import LIVE, SessionKind, Sessions, SessionStatus
from bottega.core.users import LOCAL_USER, Users
from bottega.errors import Conflict, InvalidInput, NotFound


@pytest.fixture
async def bus(database: Database) -> AsyncIterator[EventBus]:
    bus = EventBus(database)
    await bus.start()
    yield bus
    await bus.stop()


@pytest.fixture
def sessions(database: Database, bus: EventBus) -> Sessions:
    return Sessions(database, bus)


@pytest.fixture
def conversations(database: Database) -> Conversations:
    return Conversations(database)


@pytest.mark.requirement("FR-014", "FR-022")
async def test_a_new_session_is_active_and_comes_back_with_all_its_fields(
    sessions: Sessions,
) -> None:
    """Created active, started now, found again by its id."""
    before = clock.now()
    made = await sessions.create(
        SessionKind.COACHING,
        "/code/shop",
        issue_number=42,
        issue_title="Fix the till",
        data={"hint_level": "low"},
    )
    found = await sessions.get(made.id, user_id=LOCAL_USER)
    assert (found.status, found.kind, found.ended_at) == ("active", "coaching", None)
    assert (found.project_dir, found.issue_number) == ("/code/shop", 42)
    assert (found.issue_title, found.data) == ("Fix the till", {"hint_level": "low"})
    assert before <= found.started_at <= clock.now()


@pytest.mark.requirement("SC-007")
async def test_a_sessions_life_round_trips(
    sessions: Sessions, conversations: Conversations, database: Database, bus: EventBus
) -> None:
    """Create, act, speak, end; everything can be read back."""
    actions = Actions(database, bus)
    session = await sessions.create(SessionKind.COACHING, "/p", issue_number=1, issue_title="One")
    await actions.log_action(session.id, ActionType.SESSION_STARTED, {"issueNumber": 1})
    await actions.log_action(session.id, ActionType.FILE_OPEN, {"path": "a.py"})
    await conversations.append(session.id, "user", {"text": "How?"}, "How?", user_id=LOCAL_USER)
    await conversations.append(session.id, "assistant", {"text": "So."}, "So.", user_id=LOCAL_USER)
    await sessions.end(session.id, SessionStatus.COMPLETED, user_id=LOCAL_USER)

    ended = await sessions.get(session.id, user_id=LOCAL_USER)
    assert ended.status == "completed"
    assert ended.ended_at is not None
    assert ended.ended_at >= ended.started_at
    logged = await actions.recent(session.id)
    assert [action.action_type for action in logged] == ["file_open", "session_started"]
    said = await conversations.list(session.id, user_id=LOCAL_USER)
    assert [(m.position, m.role, m.content["text"]) for m in said] == [
        (0, "user", "How?"),
        (1, "assistant", "So."),
    ]


async def test_sessions_are_listed_newest_first_and_filtered(sessions: Sessions) -> None:
    made = [
        await sessions.create(kind, project)
        for kind, project in (
            (SessionKind.AGENT, "/a"),
            (SessionKind.COACHING, "/a"),
            (SessionKind.AGENT, "/b"),
            (SessionKind.AGENT, "/a"),
        )
    ]
    await sessions.end(made[3].id, user_id=None)
    ids = [session.id for session in made]
    listed = await sessions.list(user_id=LOCAL_USER)
    assert [session.id for session in listed] == ids[::-1]
    agents = await sessions.list(user_id=LOCAL_USER, kind=SessionKind.AGENT, project_dir="/a")
    assert [session.id for session in agents] == [ids[3], ids[0]]
    assert len(await sessions.list(user_id=LOCAL_USER, status=SessionStatus.ENDED)) == 1
    assert len(await sessions.list(user_id=LOCAL_USER, limit=2)) == 2
    active = await sessions.active(SessionKind.AGENT, "/a", user_id=LOCAL_USER)
    assert active is not None
    assert active.id == ids[0]
    assert await sessions.active(SessionKind.RESEARCH, "/a", user_id=LOCAL_USER) is None


@pytest.mark.parametrize("end", sorted(set(SessionStatus) - LIVE))
async def test_a_session_that_is_over_stays_over(sessions: Sessions, end: SessionStatus) -> None:
    session = await sessions.create(SessionKind.AGENT, "/p")
    ended = await sessions.end(session.id, end, user_id=None)
    for status in set(SessionStatus) - {end}:
        with pytest.raises(Conflict, match=end):
            await sessions.set_status(session.id, status, user_id=None)
    touched = await sessions.touch(session.id, user_id=None)
    assert (touched.status, touched.ended_at) == (end, ended.ended_at)


async def test_a_live_session_moves_between_live_states_and_a_sign_of_life_wakes_it(
    sessions: Sessions,
) -> None:
    session = await sessions.create(SessionKind.AGENT, "/p")
    for status in (SessionStatus.IDLE, SessionStatus.INACTIVE, SessionStatus.IDLE):
        assert (await sessions.set_status(session.id, status, user_id=None)).status == status
    woken = await sessions.touch(session.id, user_id=None)
    assert woken.status == "active"
    assert woken.seen_at > session.seen_at
    with pytest.raises(InvalidInput, match="idle"):
        await sessions.end(session.id, SessionStatus.IDLE, user_id=None)


async def test_a_session_tells_the_house_of_its_changes(sessions: Sessions, bus: EventBus) -> None:
    async with bus.subscribe("session.*", project="/p", user_id=LOCAL_USER) as heard:
        session = await sessions.create(SessionKind.AGENT, "/p", type="worker")
        await sessions.update(session.id, user_id=None, title="Till", data={"n": 1})
        await sessions.set_status(session.id, SessionStatus.IDLE, user_id=None)
        await sessions.end(session.id, user_id=None)
        events = [await anext(heard) for _ in range(4)]
    assert [event.topic for event in events] == [
        "session.started",
        "session.changed",
        "session.changed",
        "session.ended",
    ]
    assert {event.session_id for event in events} == {session.id}
    assert events[1].payload["title"] == "Till"
    assert (await sessions.get(session.id, user_id=None)).data == {"n": 1}


async def test_only_what_is_a_persons_to_change_can_be_updated(sessions: Sessions) -> None:
    session = await sessions.create(SessionKind.AGENT, "/p")
    with pytest.raises(InvalidInput, match="id, status"):
        await sessions.update(session.id, user_id=None, status="ended", id="mine")


@pytest.mark.requirement("EC-08")
async def test_a_session_needs_a_user_that_exists(sessions: Sessions) -> None:
    """A reference to a parent that does not exist is a clear error."""
    with pytest.raises(NotFound, match="'nobody'"):
        await sessions.create(SessionKind.AGENT, "/p", user_id="nobody")
    assert await sessions.list(user_id=None) == []


async def test_nobody_reads_or_changes_anothers_session(
    sessions: Sessions, conversations: Conversations, database: Database
) -> None:
    ada = (await Users(database).create("Ada")).id
    session = await sessions.create(SessionKind.ASSISTANT, "/p", user_id=ada)
    await conversations.append(session.id, "user", {}, "private words", user_id=ada)
    for attempt in (
        sessions.get(session.id, user_id=LOCAL_USER),
        sessions.touch(session.id, user_id=LOCAL_USER),
        sessions.update(session.id, user_id=LOCAL_USER, title="mine"),
        sessions.end(session.id, user_id=LOCAL_USER),
        conversations.append(session.id, "user", {}, user_id=LOCAL_USER),
        conversations.list(session.id, user_id=LOCAL_USER),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert await sessions.list(user_id=LOCAL_USER) == []
    assert await conversations.search("private", user_id=LOCAL_USER) == []
    assert len(await conversations.search("private", user_id=ada)) == 1
    assert (await sessions.get(session.id, user_id=ada)).status == "active"


@pytest.mark.requirement("EC-07")
async def test_messages_appended_at_once_get_places_without_gaps(
    sessions: Sessions, conversations: Conversations
) -> None:
    """Writers at the same time wait for each other and lose nothing."""
    session = await sessions.create(SessionKind.ASSISTANT, "/p")
    await asyncio.gather(
        *(conversations.append(session.id, "user", {"n": n}, user_id=LOCAL_USER) for n in range(25))
    )
    said = await conversations.list(session.id, user_id=LOCAL_USER)
    assert [message.position for message in said] == list(range(25))
    assert sorted(message.content["n"] for message in said) == list(range(25))
    page = await conversations.list(session.id, user_id=LOCAL_USER, start=10, limit=3)
    assert [message.position for message in page] == [10, 11, 12]


async def test_messages_are_found_by_their_words_project_kind_and_time(
    sessions: Sessions, conversations: Conversations
) -> None:
    fractions = await sessions.create(SessionKind.ASSISTANT, "/school", title="3B")
    other = await sessions.create(SessionKind.RESEARCH, "/audit")
    for session, words in (
        (fractions, "A lesson on fractions for 3B"),
        (fractions, "Homework: fraction_walls.pdf"),
        (other, "The fraction of receivables at risk"),
    ):
        await conversations.append(session.id, "user", {}, words, user_id=LOCAL_USER)

    async def found(query: str, **filters: object) -> list[str]:
        hits = await conversations.search(query, user_id=LOCAL_USER, **filters)  # type: ignore[arg-type]
        return [hit.message.text[:8] for hit in hits]

    assert await found("fractions") == ["The frac", "Homework", "A lesson"]
    assert await found("fraction walls") == ["Homework"]
    assert await found("fraction", kind=SessionKind.RESEARCH) == ["The frac"]
    assert await found("fraction", project_dir="/school", limit=1) == ["Homework"]
    assert await found("fraction", since=clock.now() + timedelta(minutes=1)) == []
    assert await found('the "fraction" OR (', until=clock.now()) == await found("fraction")
    assert await found("of the") == []
    hits = await conversations.search("homework", user_id=LOCAL_USER)
    assert hits[0].session.title == "3B"


async def test_deleting_a_session_takes_its_messages_out_of_the_search(
    sessions: Sessions, conversations: Conversations, database: Database
) -> None:
    session = await sessions.create(SessionKind.ASSISTANT, "/p")
    await conversations.append(session.id, "user", {}, "vanishing", user_id=None)
    async with database.write() as write:
        await write.execute(text("DELETE FROM sessions"))
    assert await conversations.search("vanishing", user_id=None) == []
