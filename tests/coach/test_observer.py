"""When the observer looks, when it holds back, and how it begins and ends."""

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bottega.coach.enums import Signal
from bottega.core.events import EventBus
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import SessionKind, Sessions
from bottega.core.users import LOCAL_USER
from tests.coach.observed import ORDERS, PRICES, QUIET, README, open_observed, verdict

STARTED = {"active": True, "muted": False, "lastEvaluation": None}
STOPPED = {"active": False, "muted": False, "lastEvaluation": None}


@pytest.mark.requirement("FR-129", "FR-131", "FR-145", "SC-062")
async def test_it_starts_with_the_session(tmp_path: Path) -> None:
    """State, ears, timer and a word to the windows."""
    async with open_observed(tmp_path) as observed:
        assert observed.app.of_type("observer:status") == [STARTED]
        assert observed.app.broadcasts[0].user_id == LOCAL_USER
        await observed.clock.advance(1)
        assert observed.clock.sleeping == 1
        await observed.open(ORDERS)
        assert await observed.calls() == 1


@pytest.mark.requirement("FR-130", "FR-149", "SC-063", "EC-71")
async def test_it_stops_with_the_session(tmp_path: Path) -> None:
    """Nothing is heard any more, and the timer is gone."""
    async with open_observed(tmp_path) as observed:
        await observed.clock.advance(31)
        await observed.app.core.sessions.end(observed.session_id, user_id=LOCAL_USER)
        assert observed.app.of_type("observer:status") == [STARTED, STOPPED]
        await observed.clock.advance(10_000)
        assert observed.clock.sleeping == 0
        await observed.open(ORDERS)
        await observed.edit(ORDERS, 10)
        assert await observed.calls() == 0
        assert observed.observer.status(observed.app.editor).active is False


@pytest.mark.requirement("CO-40")
async def test_only_coaching_in_this_project_is_watched(tmp_path: Path) -> None:
    """An agent's session and another project's are none of its business."""
    async with open_observed(tmp_path, start=False) as observed:
        sessions = observed.app.core.sessions
        with capture_logs() as logs:
            await sessions.create(SessionKind.AGENT, observed.app.editors.project)
            await sessions.create(SessionKind.COACHING, "/elsewhere")
        assert observed.app.of_type("observer:status") == []
        assert [entry for entry in logs if entry["log_level"] == "error"] == []


@pytest.mark.requirement("CO-40", "FR-129")
async def test_a_session_that_an_earlier_process_left_is_taken_up(tmp_path: Path) -> None:
    """At start-up, and once however often it is asked for."""
    async with open_observed(tmp_path, start=False) as observed:
        await observed.observer.stop()
        await observed.start_session()
        assert observed.app.of_type("observer:status") == []
        await observed.observer.start()
        for session in await observed.app.editors.start():
            observed.observer.watch(observed.app.editors.of(session.user_id))
        observed.observer.watch(observed.app.editor)
        assert observed.app.of_type("observer:status") == [STARTED]
        await observed.open(ORDERS)
        assert await observed.calls() == 1


@pytest.mark.requirement("CO-40")
async def test_another_process_watches_its_own_sessions_and_may_end_ours(tmp_path: Path) -> None:
    """Two servers on one database do not both speak to one person."""
    async with open_observed(tmp_path) as observed:
        core = observed.app.core
        elsewhere = EventBus(core.database)
        await elsewhere.start()
        sessions = Sessions(core.database, elsewhere)
        async with core.bus.subscribe("session.started") as news, asyncio.timeout(10):
            await sessions.create(SessionKind.COACHING, observed.app.editors.project)
            await anext(news)
        assert observed.app.of_type("observer:status") == [STARTED]
        await sessions.end(observed.session_id, user_id=LOCAL_USER)
        assert await observed.app.hear("observer:status", 2) == STOPPED
        await elsewhere.stop()


@pytest.mark.requirement("FR-132")
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
    """Opening, saving and moving between phases."""
    async with open_observed(tmp_path) as observed:
        await observed.log(trigger, path=ORDERS)
        assert await observed.calls() == 1


@pytest.mark.requirement("FR-132")
async def test_other_actions_do_not_make_it_look(tmp_path: Path) -> None:
    """Neither what the person does besides, nor what the house does."""
    async with open_observed(tmp_path) as observed:
        for other in (ActionType.TAB_SWITCH, ActionType.SELECTION, ActionType.MCP_TOOL_CALL):
            await observed.log(other)
        assert await observed.calls() == 0


@pytest.mark.requirement("FR-132", "FR-148", "SC-071")
async def test_every_fifth_edit_makes_it_look(tmp_path: Path) -> None:
    """Four do not, the fifth does, and counting begins anew."""
    async with open_observed(tmp_path) as observed:
        await observed.edit(ORDERS, 4)
        assert await observed.calls() == 0
        await observed.edit(ORDERS)
        assert await observed.calls() == 1
        await observed.edit(ORDERS, 4)
        assert await observed.calls() == 1
        await observed.edit(ORDERS)
        assert await observed.calls() == 2


@pytest.mark.requirement("FR-148")
async def test_a_look_for_another_reason_resets_the_count_of_edits(tmp_path: Path) -> None:
    async with open_observed(tmp_path) as observed:
        await observed.edit(ORDERS, 4)
        await observed.open(ORDERS)
        await observed.edit(ORDERS, 4)
        assert await observed.calls() == 1


@pytest.mark.requirement("FR-132")
async def test_five_minutes_of_nothing_make_it_look(tmp_path: Path) -> None:
    """Asked every 30 seconds, and only after more than 300 without a sign of life."""
    async with open_observed(tmp_path, model=ScriptedModel(verdict(Signal.IDLE))) as observed:
        await observed.clock.advance(300)
        await observed.observer.settled()
        assert await observed.calls() == 0
        await observed.clock.advance(30)
        await observed.observer.settled()
        assert await observed.calls() == 1
        assert observed.app.of_type("observer:nudge")[0]["signal"] == "idle"


@pytest.mark.requirement("CO-41")
async def test_who_is_away_is_asked_once_and_then_left_alone(tmp_path: Path) -> None:
    """After a nudge there is no other until there was a sign of life."""
    model = ScriptedModel(verdict(Signal.IDLE), verdict(Signal.IDLE))
    async with open_observed(tmp_path, model=model) as observed:
        await observed.clock.advance(330)
        await observed.observer.settled()
        await observed.clock.advance(7_200)
        await observed.observer.settled()
        assert await observed.calls() == 1
        assert await observed.suppressed() == []
        observed.observer.active(observed.app.editor)
        await observed.clock.advance(330)
        await observed.observer.settled()
        assert len(observed.app.of_type("observer:nudge")) == 2


@pytest.mark.requirement("CO-41")
async def test_looks_at_an_idle_person_become_rarer(tmp_path: Path) -> None:
    """Where there was nothing to say, the next look waits twice as long."""
    async with open_observed(tmp_path, model=ScriptedModel(*[QUIET] * 4)) as observed:
        looks: list[int] = []
        for minute in range(1, 61):
            await observed.clock.advance(60)
            await observed.observer.settled()
            if await observed.calls() > len(looks):
                looks.append(minute)
        assert looks == [6, 12, 24, 48]


@pytest.mark.requirement("CO-42")
async def test_only_signs_of_life_count_as_such(tmp_path: Path) -> None:
    """The house's own actions and the editor's word that nobody is there do not."""
    async with open_observed(tmp_path, model=ScriptedModel(QUIET)) as observed:
        await observed.clock.advance(200)
        await observed.log(ActionType.MCP_TOOL_CALL)
        await observed.log(ActionType.IDLE_START)
        await observed.clock.advance(130)
        await observed.observer.settled()
        assert await observed.calls() == 1


@pytest.mark.requirement("FR-133", "FR-135", "SC-066")
async def test_cooldown_holds_the_next_nudge_back(tmp_path: Path) -> None:
    """90 seconds after a nudge no, after 120 yes."""
    async with open_observed(tmp_path, model=ScriptedModel(verdict(), QUIET)) as observed:
        await observed.open(README)
        await observed.clock.advance(90)
        await observed.open(PRICES)
        assert await observed.calls() == 1
        assert await observed.suppressed() == [{"reason": "cooldown"}]
        await observed.clock.advance(30)
        await observed.open(PRICES)
        assert await observed.calls() == 2


@pytest.mark.requirement("FR-133", "FR-136", "SC-067")
async def test_flow_is_not_interrupted(tmp_path: Path) -> None:
    """More than ten actions in a minute, and triage is not even asked."""
    async with open_observed(tmp_path) as observed:
        for _ in range(10):
            await observed.log(ActionType.SELECTION, path=ORDERS)
        await observed.log(ActionType.FILE_SAVE, path=ORDERS)
        assert await observed.calls() == 0
        assert await observed.suppressed() == [{"reason": "flow_state"}]
        await observed.clock.advance(61)
        await observed.log(ActionType.FILE_SAVE, path=ORDERS)
        assert await observed.calls() == 1


@pytest.mark.requirement("FR-133")
async def test_ten_actions_in_a_minute_are_not_flow_yet(tmp_path: Path) -> None:
    """The border."""
    async with open_observed(tmp_path) as observed:
        for _ in range(9):
            await observed.log(ActionType.SELECTION, path=ORDERS)
        await observed.open(ORDERS)
        assert await observed.calls() == 1


@pytest.mark.requirement("FR-133")
async def test_reasons_are_looked_at_in_order(tmp_path: Path) -> None:
    """Muted before cooldown, cooldown before flow."""
    async with open_observed(tmp_path, model=ScriptedModel(verdict())) as observed:
        await observed.open(README)
        for _ in range(12):
            await observed.log(ActionType.SELECTION, path=ORDERS)
        await observed.open(PRICES)
        assert await observed.suppressed() == [{"reason": "cooldown"}]
        await observed.observer.mute(observed.app.editor, True)
        await observed.open(PRICES)
        assert len(await observed.suppressed()) == 1


@pytest.mark.requirement("CO-43", "EC-69")
async def test_typing_in_flow_is_logged_once_and_not_at_every_key(tmp_path: Path) -> None:
    """And each save besides; when flow ends, the next edit makes it look."""
    async with open_observed(tmp_path) as observed:
        for _ in range(10):
            await observed.log(ActionType.SELECTION, path=ORDERS)
        await observed.edit(ORDERS, 500)
        assert await observed.suppressed() == [{"reason": "flow_state"}]
        await observed.log(ActionType.FILE_SAVE, path=ORDERS)
        assert await observed.suppressed() == [{"reason": "flow_state"}] * 2
        await observed.clock.advance(61)
        await observed.edit(ORDERS)
        assert await observed.calls() == 1


@pytest.mark.requirement("EC-69", "EC-73", "FR-135")
async def test_a_burst_of_saves_leads_to_one_look_and_rows_that_say_why(tmp_path: Path) -> None:
    """Each trigger after the nudge is held back by itself."""
    async with open_observed(tmp_path, model=ScriptedModel(verdict())) as observed:
        await observed.log(ActionType.PHASE_COMPLETED)
        await observed.log(ActionType.PHASE_STARTED)
        for _ in range(4):
            await observed.log(ActionType.FILE_SAVE, path=README)
        assert await observed.calls() == 1
        assert await observed.suppressed() == [{"reason": "cooldown"}] * 5


@pytest.mark.requirement("FR-147", "EC-65")
async def test_one_look_at_a_time(tmp_path: Path) -> None:
    """A trigger during a look is skipped, and the next one after it is not."""
    async with LoopbackApi() as api, open_observed(tmp_path, api=api) as observed:
        answer = asyncio.Event()
        api.reply(json=QUIET.model_dump(), hold=answer)
        api.reply(json=QUIET.model_dump())
        actions = observed.app.core.actions
        await actions.log_action(observed.session_id, ActionType.FILE_OPEN, {"path": ORDERS})
        await api.received(1)
        await actions.log_action(observed.session_id, ActionType.FILE_SAVE, {"path": ORDERS})
        answer.set()
        await observed.observer.settled()
        assert len(api.requests) == 1
        await observed.open(PRICES)
        assert len(api.requests) == 2
        assert await observed.suppressed() == []


@pytest.mark.requirement("EC-66")
async def test_an_answer_that_comes_after_the_end_is_dropped(tmp_path: Path) -> None:
    """The call completes and is paid for; nobody hears of it."""
    async with LoopbackApi() as api, open_observed(tmp_path, api=api) as observed:
        answer = asyncio.Event()
        api.reply(json=verdict().model_dump(), hold=answer)
        actions, sessions = observed.app.core.actions, observed.app.core.sessions
        await actions.log_action(observed.session_id, ActionType.FILE_OPEN, {"path": README})
        await api.received(1)
        await sessions.end(observed.session_id, user_id=LOCAL_USER)
        answer.set()
        await observed.observer.settled()
        assert await observed.calls() == 1
        assert observed.app.of_type("observer:nudge") == []
        assert await observed.logged(ActionType.NUDGE_SENT) == []


@pytest.mark.requirement("FR-130")
async def test_shutting_down_does_not_wait_for_a_model(tmp_path: Path) -> None:
    """Looks under way are ended, timers cleared."""
    async with LoopbackApi() as api, open_observed(tmp_path, api=api) as observed:
        api.reply(json=verdict().model_dump(), hold=asyncio.Event())
        actions = observed.app.core.actions
        await actions.log_action(observed.session_id, ActionType.FILE_OPEN, {"path": README})
        await api.received(1)
        await observed.observer.stop()
        await observed.clock.advance(1_000)
        assert observed.clock.sleeping == 0
        assert observed.app.of_type("observer:nudge") == []


@pytest.mark.requirement("FR-146", "SC-070")
async def test_a_failed_call_is_logged_and_the_observer_goes_on(tmp_path: Path) -> None:
    """The ledger has the failure; the next trigger is answered."""
    async with LoopbackApi() as api, open_observed(tmp_path, api=api) as observed:
        api.reply(status=500, text="out of order")
        api.reply(json=verdict().model_dump())
        with capture_logs() as logs:
            await observed.open(README)
        assert [entry["event"] for entry in logs if "observer" in entry["event"]] == [
            "observer.failed"
        ]
        spent = await observed.app.core.ledger.totals(observed.session_id)
        assert spent.total.failures == 1
        assert observed.app.of_type("observer:nudge") == []
        await observed.open(README)
        assert len(observed.app.of_type("observer:nudge")) == 1


@pytest.mark.requirement("FR-134", "FR-144", "FR-145", "SC-068")
async def test_muting_silences_it_and_unmuting_brings_it_back(tmp_path: Path) -> None:
    """No look, no row; each toggle is logged and told."""
    async with open_observed(tmp_path) as observed:
        editor = observed.app.editor
        muted = await observed.observer.mute(editor, True)
        assert muted.muted is True
        await observed.open(README)
        await observed.edit(README, 20)
        await observed.clock.advance(1_000)
        await observed.observer.settled()
        assert await observed.calls() == 0
        assert await observed.suppressed() == []
        await observed.observer.mute(editor, False)
        await observed.open(README)
        assert await observed.calls() == 1
        told = [(said["active"], said["muted"]) for said in observed.app.of_type("observer:status")]
        assert told == [(True, False), (True, True), (True, False)]
        toggles = await observed.logged(ActionType.OBSERVER_MUTED)
        assert toggles == [{"muted": True}, {"muted": False}]


@pytest.mark.requirement("CO-44")
async def test_muting_during_a_look_silences_its_result(tmp_path: Path) -> None:
    """The person's word is newer than the question."""
    async with LoopbackApi() as api, open_observed(tmp_path, api=api) as observed:
        answer = asyncio.Event()
        api.reply(json=verdict().model_dump(), hold=answer)
        actions = observed.app.core.actions
        await actions.log_action(observed.session_id, ActionType.FILE_OPEN, {"path": README})
        await api.received(1)
        await observed.observer.mute(observed.app.editor, True)
        answer.set()
        await observed.observer.settled()
        assert observed.app.of_type("observer:nudge") == []
        assert await observed.suppressed() == []


@pytest.mark.requirement("EC-70")
async def test_muting_without_a_session_is_ignored_with_a_warning(tmp_path: Path) -> None:
    async with open_observed(tmp_path, start=False) as observed:
        with capture_logs() as logs:
            status = await observed.observer.mute(observed.app.editor, True)
        assert (status.active, status.muted) == (False, False)
        assert [entry["event"] for entry in logs] == ["observer.mute_ignored"]
        assert observed.app.of_type("observer:status") == []
        await observed.start_session()
        assert observed.observer.status(observed.app.editor).muted is False
