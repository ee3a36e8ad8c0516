"""The action log and what it makes of typing."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from bottega.core import clock
from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.sessions.actions import OBSERVED, Action, Actions, ActionType
from bottega.core.sessions.buffer_log import SUMMARY_INTERVAL, BufferLog
from bottega.core.sessions.session import SessionKind, Sessions


@pytest.fixture
async def bus(database: Database) -> AsyncIterator[EventBus]:
    bus = EventBus(database)
    await bus.start()
    yield bus
    await bus.stop()


@pytest.fixture
def actions(database: Database, bus: EventBus) -> Actions:
    return Actions(database, bus)


@pytest.fixture
async def session_id(database: Database, bus: EventBus) -> str:
    return (await Sessions(database, bus).create(SessionKind.COACHING, "/p")).id


@pytest.mark.requirement("FR-039", "FR-041", "SC-017")
async def test_an_action_is_a_row_with_session_type_data_and_time(
    actions: Actions, session_id: str
) -> None:
    """One call, one row, with everything in it."""
    before = clock.now()
    await actions.log_action(session_id, ActionType.FILE_OPEN, {"path": "src/a.py"})
    await actions.log_action(session_id, ActionType.IDLE_END)
    idle, opened = await actions.recent(session_id)
    assert (opened.session_id, opened.action_type) == (session_id, "file_open")
    assert opened.data == {"path": "src/a.py"}
    assert before <= opened.created_at <= idle.created_at <= clock.now()
    assert idle.data is None


@pytest.mark.requirement("FR-048")
async def test_every_action_type_can_be_logged(actions: Actions, session_id: str) -> None:
    """All 27."""
    for action_type in ActionType:
        await actions.log_action(session_id, action_type)
    logged = [action.action_type for action in await actions.recent(session_id)]
    assert len(logged) == 27
    assert logged[::-1] == list(ActionType)


@pytest.mark.requirement("FR-048")
def test_the_observer_is_told_of_what_the_person_does_and_not_of_what_the_house_does() -> None:
    """The types that the specification marks for the observer."""
    assert len(OBSERVED) == 14
    assert {ActionType.TAB_SWITCH, ActionType.PHASE_COMPLETED} <= OBSERVED
    assert OBSERVED.isdisjoint({ActionType.NUDGE_SENT, ActionType.SESSION_STARTED})


@pytest.mark.requirement("FR-045", "SC-021")
async def test_recent_actions_are_found_newest_first_by_session_and_type(
    actions: Actions, session_id: str, database: Database, bus: EventBus
) -> None:
    """By session, by type, the last N, and how long ago."""
    other = await Sessions(database, bus).create(SessionKind.COACHING, "/p")
    await actions.log_action(other.id, ActionType.FILE_OPEN)
    for n in range(5):
        await actions.log_action(session_id, ActionType.TAB_SWITCH, {"n": n})
        await actions.log_action(session_id, ActionType.FILE_SAVE, {"n": n})
    recent = await actions.recent(session_id, limit=3)
    assert [(a.action_type, a.data) for a in recent] == [
        ("file_save", {"n": 4}),
        ("tab_switch", {"n": 4}),
        ("file_save", {"n": 3}),
    ]
    switches = await actions.recent(session_id, 2, ActionType.TAB_SWITCH)
    assert [action.data for action in switches] == [{"n": 4}, {"n": 3}]


@pytest.mark.requirement("EC-17", "EC-08")
@pytest.mark.parametrize("session", [None, "no-such-session"])
async def test_an_action_without_a_session_is_discarded_with_a_warning(
    actions: Actions, session: str | None
) -> None:
    """No session, or one that does not exist; nobody crashes."""
    heard: list[Action] = []
    actions.on_action(heard.append)
    with capture_logs() as logs:
        assert await actions.log_action(session, ActionType.FILE_OPEN) is None
    assert [(line["log_level"], line["event"]) for line in logs] == [
        ("warning", "actions.discarded")
    ]
    assert heard == []
    assert await actions.recent(session or "") == []


async def test_hostile_text_in_an_action_is_stored_as_far_as_text_goes(
    actions: Actions, session_id: str
) -> None:
    data = {"path": "a\x00b", "half": "\ud800", "escaped": "\\u0000", "both": "\\\x00"}
    await actions.log_action(session_id, ActionType.FILE_OPEN, data)
    (action,) = await actions.recent(session_id)
    assert action.data == {
        "path": "a\ufffdb",
        "half": "?",
        "escaped": "\\u0000",
        "both": "\\\ufffd",
    }


async def test_listeners_hear_every_action_and_one_that_fails_harms_nothing(
    actions: Actions, session_id: str, bus: EventBus
) -> None:
    heard: list[str] = []

    def fail(action: Action) -> None:
        raise ValueError(action.id)

    actions.on_action(fail)
    stop = actions.on_action(lambda action: heard.append(action.action_type))
    async with bus.subscribe("action.logged", project="/p") as events:
        await actions.log_action(session_id, ActionType.FILE_OPEN, {"path": "a"})
        event = await anext(events)
    stop()
    await actions.log_action(session_id, ActionType.FILE_CLOSE)
    assert heard == ["file_open"]
    assert event.payload == {"action_type": "file_open", "data": {"path": "a"}}
    assert event.session_id == session_id
    assert len(await actions.recent(session_id)) == 2


@pytest.mark.requirement("EC-21")
async def test_rapid_actions_are_each_logged(actions: Actions, session_id: str) -> None:
    """A burst at once keeps every action."""
    await asyncio.gather(
        *(actions.log_action(session_id, ActionType.TAB_SWITCH, {"n": n}) for n in range(100))
    )
    logged = await actions.recent(session_id, limit=1_000)
    assert sorted(action.data["n"] for action in logged if action.data) == list(range(100))


@pytest.mark.requirement("EC-20")
async def test_a_long_session_stays_quick_to_ask(
    actions: Actions, session_id: str, database: Database
) -> None:
    """Thousands of actions, and the last of them by an index."""
    async with database.write() as session:
        session.add_all(
            Action(session_id=session_id, action_type=ActionType.SELECTION, data={"n": n})
            for n in range(5_000)
        )
    newest = await actions.recent(session_id, limit=10)
    assert [action.data for action in newest] == [{"n": n} for n in range(4_999, 4_989, -1)]
    if database.dialect == "sqlite":
        async with database.read() as session:
            plan = await session.connection()
            rows = await plan.exec_driver_sql(
                "EXPLAIN QUERY PLAN SELECT * FROM action_log WHERE session_id = 'x' "
                "ORDER BY created_at DESC LIMIT 10"
            )
            assert "ix_action_log_session_created" in str(rows.all())


class Ticks:
    """A sleep that ends when told, so that thirty seconds take none."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._tick = asyncio.Event()
        self._asleep = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self._asleep.set()
        await self._tick.wait()
        self._tick.clear()

    async def pass_one(self) -> None:
        """Let the timer fire once, and return when it sleeps again."""
        await self._asleep.wait()
        self._asleep.clear()
        self._tick.set()
        await self._asleep.wait()


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
async def buffers(actions: Actions, ticks: Ticks) -> AsyncIterator[BufferLog]:
    buffers = BufferLog(actions, sleep=ticks.sleep)
    yield buffers
    await buffers.stop()


@pytest.mark.requirement("FR-043", "SC-018")
async def test_edits_are_summed_up_per_file_every_half_minute(
    buffers: BufferLog, actions: Actions, session_id: str, ticks: Ticks
) -> None:
    """A summary for each dirty file, measured from what was logged last."""
    for size in (1_010, 1_020, 1_015):
        await buffers.buffer_updated(session_id, "a.py", size, saved_char_count=1_000)
    await buffers.buffer_updated(session_id, "b.py", 90, saved_char_count=100)
    assert await actions.recent(session_id) == []
    await ticks.pass_one()
    logged = await actions.recent(session_id, action_type=ActionType.BUFFER_SUMMARY)
    assert [action.data for action in reversed(logged)] == [
        {"path": "a.py", "editCount": 3, "charDelta": 15, "charCount": 1_015},
        {"path": "b.py", "editCount": 1, "charDelta": -10, "charCount": 90},
    ]
    await buffers.buffer_updated(session_id, "a.py", 1_016)
    await ticks.pass_one()
    (newest,) = await actions.recent(session_id, limit=1)
    assert newest.data == {"path": "a.py", "editCount": 1, "charDelta": 1, "charCount": 1_016}
    assert set(ticks.waits) == {SUMMARY_INTERVAL} == {30.0}


@pytest.mark.requirement("FR-043")
async def test_when_nothing_was_edited_nothing_is_logged(
    buffers: BufferLog, actions: Actions, session_id: str, ticks: Ticks
) -> None:
    """A timer that finds every buffer clean is silent."""
    await buffers.buffer_updated(session_id, "a.py", 101, saved_char_count=100)
    await ticks.pass_one()
    await ticks.pass_one()
    await ticks.pass_one()
    assert len(await actions.recent(session_id)) == 1


@pytest.mark.requirement("FR-044", "SC-019")
@pytest.mark.parametrize(
    ("saved", "size", "is_logged"),
    [
        (100, 150, False),
        (100, 151, True),
        (100, 50, False),
        (100, 49, True),
        (2_000, 2_500, False),
        (2_000, 2_501, True),
        (2_000, 1_500, False),
        (2_000, 1_499, True),
        (0, 0, False),
        (0, 1, True),
    ],
)
async def test_a_jump_in_size_is_logged_at_once(
    buffers: BufferLog, actions: Actions, session_id: str, saved: int, size: int, is_logged: bool
) -> None:
    """Over half of the last logged size, or over 500 characters."""
    await buffers.buffer_updated(session_id, "a.py", size, saved_char_count=saved)
    logged = await actions.recent(session_id)
    assert [action.action_type for action in logged] == [
        ActionType.BUFFER_SIGNIFICANT_CHANGE
    ] * is_logged
    if is_logged:
        assert logged[0].data == {
            "path": "a.py",
            "previousCharCount": saved,
            "newCharCount": size,
            "delta": size - saved,
        }


@pytest.mark.requirement("FR-044", "SC-019")
async def test_a_jump_is_measured_from_what_was_logged_last(
    buffers: BufferLog, actions: Actions, session_id: str, ticks: Ticks
) -> None:
    """Once logged, the new size is the measure, and it is not summed up again."""
    await buffers.buffer_updated(session_id, "a.py", 1_600, saved_char_count=1_000)
    await buffers.buffer_updated(session_id, "a.py", 1_700)
    assert len(await actions.recent(session_id)) == 1
    await ticks.pass_one()
    (summary, _) = await actions.recent(session_id)
    assert summary.data == {"path": "a.py", "editCount": 1, "charDelta": 100, "charCount": 1_700}


@pytest.mark.requirement("FR-047")
async def test_the_timer_ends_with_the_session(
    buffers: BufferLog, actions: Actions, session_id: str, ticks: Ticks
) -> None:
    """Once the end is logged, the timer is cleared and the buffers are forgotten."""
    await buffers.buffer_updated(session_id, "a.py", 101, saved_char_count=100)
    await ticks.pass_one()
    await buffers.buffer_updated(session_id, "a.py", 102)
    (timer,) = timers()
    await actions.log_action(session_id, ActionType.SESSION_ENDED)
    await asyncio.wait({timer})
    assert timers() == []
    await buffers.summarise(session_id)
    assert len(await actions.recent(session_id, action_type=ActionType.BUFFER_SUMMARY)) == 1


@pytest.mark.requirement("FR-047", "EC-18")
async def test_no_timer_fires_during_shutdown(
    buffers: BufferLog, actions: Actions, session_id: str
) -> None:
    """Stopping clears the timers of all sessions, dirty buffers or not."""
    await buffers.buffer_updated(session_id, "a.py", 101, saved_char_count=100)
    await buffers.buffer_updated("another", "a.py", 101, saved_char_count=100)
    assert len(timers()) == 2
    await buffers.stop()
    assert timers() == []
    assert await actions.recent(session_id) == []


def timers() -> list[asyncio.Task[object]]:
    return [task for task in asyncio.all_tasks() if task.get_name().startswith("buffer-summary")]
