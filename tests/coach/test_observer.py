"""When the observer looks, when it holds back, and how it begins and ends."""

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bottega.coach.enums import Signal
from bottega.core.actions import ActionType
from bottega.core.events import EventBus
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.sessions import SessionKind, Sessions
from bottega.core.users import LOCAL_USER
from tests.coach.watching import ORDERS, PRICES, QUIET, README, verdict, watched

STARTED = {"active": True, "muted": False, "lastEvaluation": None}
STOPPED = {"active": False, "muted": False, "lastEvaluation": None}


async def test_it_starts_with_the_session(tmp_path: Path) -> None:
    """FR-129, FR-131, FR-145, SC-062: state, ears, timer and a word to the windows."""
    async with watched(tmp_path) as world:
        assert world.house.of_type("observer:status") == [STARTED]
        assert world.house.heard[0].user_id == LOCAL_USER
        await world.clock.advance(1)
        assert world.clock.sleeping == 1
        await world.open(ORDERS)
        assert await world.calls() == 1


async def test_it_stops_with_the_session(tmp_path: Path) -> None:
    """FR-130, FR-149, SC-063, EC-71: nothing is heard any more, and the timer is gone."""
    async with watched(tmp_path) as world:
        await world.clock.advance(31)
        await world.house.core.sessions.end(world.session_id, user_id=LOCAL_USER)
        assert world.house.of_type("observer:status") == [STARTED, STOPPED]
        await world.clock.advance(10_000)
        assert world.clock.sleeping == 0
        await world.open(ORDERS)
        await world.edit(ORDERS, 10)
        assert await world.calls() == 0
        assert world.observer.status(world.house.desk).active is False


async def test_only_coaching_in_this_project_is_watched(tmp_path: Path) -> None:
    """CO-40: an agent's session and another project's are none of its business."""
    async with watched(tmp_path, start=False) as world:
        sessions = world.house.core.sessions
        with capture_logs() as logs:
            await sessions.create(SessionKind.AGENT, world.house.desks.project)
            await sessions.create(SessionKind.COACHING, "/elsewhere")
        assert world.house.of_type("observer:status") == []
        assert [entry for entry in logs if entry["log_level"] == "error"] == []


async def test_a_session_that_an_earlier_process_left_is_taken_up(tmp_path: Path) -> None:
    """CO-40, FR-129: at start-up, and once however often it is asked for."""
    async with watched(tmp_path, start=False) as world:
        await world.observer.stop()
        await world.start_session()
        assert world.house.of_type("observer:status") == []
        await world.observer.start()
        for session in await world.house.desks.start():
            world.observer.watch(world.house.desks.of(session.user_id))
        world.observer.watch(world.house.desk)
        assert world.house.of_type("observer:status") == [STARTED]
        await world.open(ORDERS)
        assert await world.calls() == 1


async def test_another_process_watches_its_own_sessions_and_may_end_ours(tmp_path: Path) -> None:
    """CO-40: two servers on one database do not both speak to one person."""
    async with watched(tmp_path) as world:
        core = world.house.core
        elsewhere = EventBus(core.database)
        await elsewhere.start()
        sessions = Sessions(core.database, elsewhere)
        async with core.bus.subscribe("session.started") as news, asyncio.timeout(10):
            await sessions.create(SessionKind.COACHING, world.house.desks.project)
            await anext(news)
        assert world.house.of_type("observer:status") == [STARTED]
        await sessions.end(world.session_id, user_id=LOCAL_USER)
        assert await world.house.hear("observer:status", 2) == STOPPED
        await elsewhere.stop()


@pytest.mark.parametrize(
    "trigger",
    [
        ActionType.FILE_OPEN,
        ActionType.FILE_SAVE,
        ActionType.PHASE_STARTED,
        ActionType.PHASE_COMPLETED,
    ],
)
async def test_these_actions_always_make_it_look(tmp_path: Path, trigger: ActionType) -> None:
    """FR-132: opening, saving and moving between phases."""
    async with watched(tmp_path) as world:
        await world.log(trigger, path=ORDERS)
        assert await world.calls() == 1


async def test_other_actions_do_not_make_it_look(tmp_path: Path) -> None:
    """FR-132: neither what the person does besides, nor what the house does."""
    async with watched(tmp_path) as world:
        for other in (ActionType.TAB_SWITCH, ActionType.SELECTION, ActionType.MCP_TOOL_CALL):
            await world.log(other)
        assert await world.calls() == 0


async def test_every_fifth_edit_makes_it_look(tmp_path: Path) -> None:
    """FR-132, FR-148, SC-071: four do not, the fifth does, and counting begins anew."""
    async with watched(tmp_path) as world:
        await world.edit(ORDERS, 4)
        assert await world.calls() == 0
        await world.edit(ORDERS)
        assert await world.calls() == 1
        await world.edit(ORDERS, 4)
        assert await world.calls() == 1
        await world.edit(ORDERS)
        assert await world.calls() == 2


async def test_a_look_for_another_reason_resets_the_count_of_edits(tmp_path: Path) -> None:
    """FR-148."""
    async with watched(tmp_path) as world:
        await world.edit(ORDERS, 4)
        await world.open(ORDERS)
        await world.edit(ORDERS, 4)
        assert await world.calls() == 1


async def test_five_minutes_of_nothing_make_it_look(tmp_path: Path) -> None:
    """FR-132: asked every 30 seconds, and only after more than 300 without a sign of life."""
    async with watched(tmp_path, model=ScriptedModel(verdict(Signal.IDLE))) as world:
        await world.clock.advance(300)
        await world.observer.settled()
        assert await world.calls() == 0
        await world.clock.advance(30)
        await world.observer.settled()
        assert await world.calls() == 1
        assert world.house.of_type("observer:nudge")[0]["signal"] == "idle"


async def test_who_is_away_is_asked_once_and_then_left_alone(tmp_path: Path) -> None:
    """CO-41: after a nudge there is no other until there was a sign of life."""
    model = ScriptedModel(verdict(Signal.IDLE), verdict(Signal.IDLE))
    async with watched(tmp_path, model=model) as world:
        await world.clock.advance(330)
        await world.observer.settled()
        await world.clock.advance(7_200)
        await world.observer.settled()
        assert await world.calls() == 1
        assert await world.suppressed() == []
        world.observer.active(world.house.desk)
        await world.clock.advance(330)
        await world.observer.settled()
        assert len(world.house.of_type("observer:nudge")) == 2


async def test_looks_at_an_idle_person_become_rarer(tmp_path: Path) -> None:
    """CO-41: where there was nothing to say, the next look waits twice as long."""
    async with watched(tmp_path, model=ScriptedModel(*[QUIET] * 4)) as world:
        looks: list[int] = []
        for minute in range(1, 61):
            await world.clock.advance(60)
            await world.observer.settled()
            if await world.calls() > len(looks):
                looks.append(minute)
        assert looks == [6, 12, 24, 48]


async def test_only_signs_of_life_count_as_such(tmp_path: Path) -> None:
    """CO-42: the house's own actions and the editor's word that nobody is there do not."""
    async with watched(tmp_path, model=ScriptedModel(QUIET)) as world:
        await world.clock.advance(200)
        await world.log(ActionType.MCP_TOOL_CALL)
        await world.log(ActionType.IDLE_START)
        await world.clock.advance(130)
        await world.observer.settled()
        assert await world.calls() == 1


async def test_cooldown_holds_the_next_nudge_back(tmp_path: Path) -> None:
    """FR-133, FR-135, SC-066: 90 seconds after a nudge no, after 120 yes."""
    async with watched(tmp_path, model=ScriptedModel(verdict(), QUIET)) as world:
        await world.open(README)
        await world.clock.advance(90)
        await world.open(PRICES)
        assert await world.calls() == 1
        assert await world.suppressed() == [{"reason": "cooldown"}]
        await world.clock.advance(30)
        await world.open(PRICES)
        assert await world.calls() == 2


async def test_flow_is_not_interrupted(tmp_path: Path) -> None:
    """FR-133, FR-136, SC-067: more than ten actions in a minute, and triage is not even asked."""
    async with watched(tmp_path) as world:
        for _ in range(10):
            await world.log(ActionType.SELECTION, path=ORDERS)
        await world.log(ActionType.FILE_SAVE, path=ORDERS)
        assert await world.calls() == 0
        assert await world.suppressed() == [{"reason": "flow_state"}]
        await world.clock.advance(61)
        await world.log(ActionType.FILE_SAVE, path=ORDERS)
        assert await world.calls() == 1


async def test_ten_actions_in_a_minute_are_not_flow_yet(tmp_path: Path) -> None:
    """FR-133: the border."""
    async with watched(tmp_path) as world:
        for _ in range(9):
            await world.log(ActionType.SELECTION, path=ORDERS)
        await world.open(ORDERS)
        assert await world.calls() == 1


async def test_reasons_are_looked_at_in_order(tmp_path: Path) -> None:
    """FR-133: muted before cooldown, cooldown before flow."""
    async with watched(tmp_path, model=ScriptedModel(verdict())) as world:
        await world.open(README)
        for _ in range(12):
            await world.log(ActionType.SELECTION, path=ORDERS)
        await world.open(PRICES)
        assert await world.suppressed() == [{"reason": "cooldown"}]
        await world.observer.mute(world.house.desk, True)
        await world.open(PRICES)
        assert len(await world.suppressed()) == 1


async def test_typing_in_flow_is_logged_once_and_not_at_every_key(tmp_path: Path) -> None:
    """CO-43, EC-69: and each save besides; when flow ends, the next edit makes it look."""
    async with watched(tmp_path) as world:
        for _ in range(10):
            await world.log(ActionType.SELECTION, path=ORDERS)
        await world.edit(ORDERS, 500)
        assert await world.suppressed() == [{"reason": "flow_state"}]
        await world.log(ActionType.FILE_SAVE, path=ORDERS)
        assert await world.suppressed() == [{"reason": "flow_state"}] * 2
        await world.clock.advance(61)
        await world.edit(ORDERS)
        assert await world.calls() == 1


async def test_a_burst_of_saves_leads_to_one_look_and_rows_that_say_why(tmp_path: Path) -> None:
    """EC-69, EC-73, FR-135: each trigger after the nudge is held back by itself."""
    async with watched(tmp_path, model=ScriptedModel(verdict())) as world:
        await world.log(ActionType.PHASE_COMPLETED)
        await world.log(ActionType.PHASE_STARTED)
        for _ in range(4):
            await world.log(ActionType.FILE_SAVE, path=README)
        assert await world.calls() == 1
        assert await world.suppressed() == [{"reason": "cooldown"}] * 5


async def test_one_look_at_a_time(tmp_path: Path) -> None:
    """FR-147, EC-65: a trigger during a look is skipped, and the next one after it is not."""
    async with LoopbackApi() as api, watched(tmp_path, api=api) as world:
        answer = asyncio.Event()
        api.reply(json=QUIET.model_dump(), hold=answer)
        api.reply(json=QUIET.model_dump())
        actions = world.house.core.actions
        await actions.log_action(world.session_id, ActionType.FILE_OPEN, {"path": ORDERS})
        await api.received(1)
        await actions.log_action(world.session_id, ActionType.FILE_SAVE, {"path": ORDERS})
        answer.set()
        await world.observer.settled()
        assert len(api.requests) == 1
        await world.open(PRICES)
        assert len(api.requests) == 2
        assert await world.suppressed() == []


async def test_an_answer_that_comes_after_the_end_is_dropped(tmp_path: Path) -> None:
    """EC-66: the call completes and is paid for; nobody hears of it."""
    async with LoopbackApi() as api, watched(tmp_path, api=api) as world:
        answer = asyncio.Event()
        api.reply(json=verdict().model_dump(), hold=answer)
        actions, sessions = world.house.core.actions, world.house.core.sessions
        await actions.log_action(world.session_id, ActionType.FILE_OPEN, {"path": README})
        await api.received(1)
        await sessions.end(world.session_id, user_id=LOCAL_USER)
        answer.set()
        await world.observer.settled()
        assert await world.calls() == 1
        assert world.house.of_type("observer:nudge") == []
        assert await world.logged(ActionType.NUDGE_SENT) == []


async def test_shutting_down_does_not_wait_for_a_model(tmp_path: Path) -> None:
    """FR-130: looks under way are ended, timers cleared."""
    async with LoopbackApi() as api, watched(tmp_path, api=api) as world:
        api.reply(json=verdict().model_dump(), hold=asyncio.Event())
        actions = world.house.core.actions
        await actions.log_action(world.session_id, ActionType.FILE_OPEN, {"path": README})
        await api.received(1)
        await world.observer.stop()
        await world.clock.advance(1_000)
        assert world.clock.sleeping == 0
        assert world.house.of_type("observer:nudge") == []


async def test_a_failed_call_is_logged_and_the_observer_goes_on(tmp_path: Path) -> None:
    """FR-146, SC-070: the ledger has the failure; the next trigger is answered."""
    async with LoopbackApi() as api, watched(tmp_path, api=api) as world:
        api.reply(status=500, text="out of order")
        api.reply(json=verdict().model_dump())
        with capture_logs() as logs:
            await world.open(README)
        assert [entry["event"] for entry in logs if "observer" in entry["event"]] == [
            "observer.failed"
        ]
        spent = await world.house.core.ledger.totals(world.session_id)
        assert spent.total.failures == 1
        assert world.house.of_type("observer:nudge") == []
        await world.open(README)
        assert len(world.house.of_type("observer:nudge")) == 1


async def test_muting_silences_it_and_unmuting_brings_it_back(tmp_path: Path) -> None:
    """FR-134, FR-144, FR-145, SC-068: no look, no row; each toggle is logged and told."""
    async with watched(tmp_path) as world:
        desk = world.house.desk
        muted = await world.observer.mute(desk, True)
        assert muted.muted is True
        await world.open(README)
        await world.edit(README, 20)
        await world.clock.advance(1_000)
        await world.observer.settled()
        assert await world.calls() == 0
        assert await world.suppressed() == []
        await world.observer.mute(desk, False)
        await world.open(README)
        assert await world.calls() == 1
        told = [(said["active"], said["muted"]) for said in world.house.of_type("observer:status")]
        assert told == [(True, False), (True, True), (True, False)]
        toggles = await world.logged(ActionType.OBSERVER_MUTED)
        assert toggles == [{"muted": True}, {"muted": False}]


async def test_muting_during_a_look_silences_its_result(tmp_path: Path) -> None:
    """CO-44: the person's word is newer than the question."""
    async with LoopbackApi() as api, watched(tmp_path, api=api) as world:
        answer = asyncio.Event()
        api.reply(json=verdict().model_dump(), hold=answer)
        actions = world.house.core.actions
        await actions.log_action(world.session_id, ActionType.FILE_OPEN, {"path": README})
        await api.received(1)
        await world.observer.mute(world.house.desk, True)
        answer.set()
        await world.observer.settled()
        assert world.house.of_type("observer:nudge") == []
        assert await world.suppressed() == []


async def test_muting_without_a_session_is_ignored_with_a_warning(tmp_path: Path) -> None:
    """EC-70."""
    async with watched(tmp_path, start=False) as world:
        with capture_logs() as logs:
            status = await world.observer.mute(world.house.desk, True)
        assert (status.active, status.muted) == (False, False)
        assert [entry["event"] for entry in logs] == ["observer.mute_ignored"]
        assert world.house.of_type("observer:status") == []
        await world.start_session()
        assert world.observer.status(world.house.desk).muted is False
