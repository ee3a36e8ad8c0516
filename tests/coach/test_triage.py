"""What the observer makes of a snapshot: the rules, the verdict, and the nudge that follows."""

import json
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bottega.coach.editor.state import Windows
from bottega.coach.enums import Signal, Stage
from bottega.coach.observer.context import FileChange, FileWork, TriageContext
from bottega.coach.observer.schemas import NudgeContext, for_person
from bottega.coach.observer.service import Observer
from bottega.coach.observer.triage import TriageVerdict, observer_triage, offline
from bottega.coach.plans.phases import CurrentPhase
from bottega.core.doors.broadcast import Broadcaster
from bottega.core.llm.tasks import Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.sessions.actions import ActionType
from tests.coach.builders import open_coach
from tests.coach.observed import ORDERS, PRICES, QUIET, README, open_observed, verdict


def work(path: str, edits: int = 0, *, expected: bool = False, **more: Any) -> FileWork:
    is_test = path.startswith("tests/")
    return FileWork(path=path, is_expected=expected, is_test=is_test, edits=edits, **more)


def snapshot(*files: FileWork, expected: tuple[str, ...] = (ORDERS,), **more: Any) -> TriageContext:
    phase = CurrentPhase(
        number=1, title="Totals", description="Find the cent", expected_files=expected
    )
    usual: dict[str, Any] = {
        "current_phase": phase,
        "recent_actions": [],
        "time_since_last_save": "never",
        "time_since_last_nudge": "never",
        "dreyfus_stage": Stage.ADVANCED_BEGINNER,
        "user_idle": False,
        "files": list(files),
    }
    return TriageContext(**usual | more)


def changes(*chars: int, edits: int = 1) -> list[FileChange]:
    return [FileChange(edits=edits, chars=delta) for delta in chars]


DONE = work(ORDERS, 9, expected=True, saves=1, quiet_for=90)

#: What a person did, the signal it gives, and how sure the rules are of it.
JUDGED: list[tuple[str, TriageContext, Signal, float]] = [
    ("nothing yet", snapshot(), Signal.NO_NUDGE, 0.0),
    ("in the right file", snapshot(work(ORDERS, 9, expected=True), current_file=ORDERS),
     Signal.NO_NUDGE, 0.0),
    ("another file, just opened", snapshot(current_file=README), Signal.NO_NUDGE, 0.0),
    ("another file, long looked at", snapshot(current_file=README, in_current_file_for=300),
     Signal.WRONG_FILE, 0.55),
    ("reading an import, however long",
     snapshot(current_file=PRICES, in_current_file_for=3_000, is_current_file_related=True),
     Signal.NO_NUDGE, 0.0),
    ("another file, edited once", snapshot(work(README, 1), current_file=README),
     Signal.WRONG_FILE, 0.63),
    ("another file, edited often", snapshot(work(README, 5), current_file=README),
     Signal.WRONG_FILE, 0.75),
    ("another file, edited long and often",
     snapshot(work(README, 30), current_file=README, in_current_file_for=600),
     Signal.WRONG_FILE, 0.85),
    ("an import, edited",
     snapshot(work(PRICES, 5), current_file=PRICES, is_current_file_related=True),
     Signal.WRONG_FILE, 0.65),
    ("a detour from work that goes well",
     snapshot(work(README, 5), work(ORDERS, 5, expected=True), current_file=README),
     Signal.WRONG_FILE, 0.65),
    ("writing a test", snapshot(work("tests/test_a.py", 20), current_file="tests/test_a.py",
                                is_current_file_related=True), Signal.NO_NUDGE, 0.0),
    ("a phase that expects no file in particular",
     snapshot(work(README, 20), expected=(), current_file=README), Signal.NO_NUDGE, 0.0),
    ("three files, none expected",
     snapshot(work("a.py", 3), work("b.py", 2), work("c.py", 1)), Signal.SCOPE_DRIFT, 0.85),
    ("three files, one expected",
     snapshot(work("a.py", 3), work("b.py", 2), work(ORDERS, 1, expected=True)),
     Signal.NO_NUDGE, 0.0),
    ("two files and a test",
     snapshot(work("a.py", 3), work("b.py", 2), work("tests/c.py", 1)), Signal.NO_NUDGE, 0.0),
    ("six minutes of nothing", snapshot(user_idle=True, idle_for=360), Signal.IDLE, 0.76),
    ("an hour of nothing", snapshot(user_idle=True, idle_for=3_600), Signal.IDLE, 0.9),
    ("nothing, and no phase", snapshot(user_idle=True, idle_for=360, current_phase=None),
     Signal.IDLE, 0.71),
    ("back and forth in size",
     snapshot(work(ORDERS, 20, expected=True, changes=changes(400, -390, 380, -400, 390))),
     Signal.EDIT_LOOP, 0.72),
    ("back and forth once",
     snapshot(work(ORDERS, 20, expected=True, changes=changes(400, -390))), Signal.NO_NUDGE, 0.0),
    ("two steps forward, one back",
     snapshot(work(ORDERS, 20, expected=True, changes=changes(600, -100, 500, -90, 400))),
     Signal.NO_NUDGE, 0.0),
    ("many edits that change nothing",
     snapshot(work(ORDERS, 60, expected=True, changes=changes(1, 0, -1, 0, edits=15))),
     Signal.EDIT_LOOP, 0.72),
    ("many edits, and it grows",
     snapshot(work(ORDERS, 60, expected=True, changes=changes(40, 55, 31, 62, edits=15))),
     Signal.NO_NUDGE, 0.0),
    ("all saved and quiet", snapshot(DONE), Signal.PHASE_COMPLETE, 0.76),
    ("all saved this moment", snapshot(DONE.model_copy(update={"quiet_for": 0})),
     Signal.PHASE_COMPLETE, 0.55),
    ("all saved, but edited again", snapshot(DONE.model_copy(update={"is_unsaved": True})),
     Signal.NO_NUDGE, 0.0),
    ("one of two saved", snapshot(DONE, expected=(ORDERS, PRICES)), Signal.NO_NUDGE, 0.0),
    ("one of a folder's two unsaved",
     snapshot(DONE, work(PRICES, 2, expected=True, is_unsaved=True), expected=("src/bakery",)),
     Signal.NO_NUDGE, 0.0),
    ("done, and away since", snapshot(DONE.model_copy(update={"quiet_for": 600}), user_idle=True,
                                      idle_for=600), Signal.PHASE_COMPLETE, 0.85),
]  # fmt: skip


@pytest.mark.requirement("CO-45")
@pytest.mark.parametrize(
    ("context", "signal", "confidence"),
    [row[1:] for row in JUDGED],
    ids=[row[0] for row in JUDGED],
)
def test_rules_are_as_sure_as_what_they_see(
    context: TriageContext, signal: Signal, confidence: float
) -> None:
    """Each signal by rule, weak evidence weighed as weak; without any, silence."""
    judged = offline(context)
    assert judged.signal == signal
    assert judged.confidence == pytest.approx(confidence, abs=0.005)
    assert judged.should_nudge is (signal != Signal.NO_NUDGE)


@pytest.mark.requirement("CO-45")
@pytest.mark.parametrize(
    ("stage", "confidence"),
    [
        (Stage.NOVICE, 0.8),
        (Stage.ADVANCED_BEGINNER, 0.75),
        (Stage.COMPETENT, 0.65),
        (Stage.EXPERT, 0.6),
    ],
)
def test_rules_speak_sooner_to_novices_and_later_to_the_competent(
    stage: Stage, confidence: float
) -> None:
    """The same evidence, another threshold in effect."""
    seen = snapshot(work(README, 5), current_file=README, dreyfus_stage=stage)
    assert offline(seen).confidence == pytest.approx(confidence)


@pytest.mark.requirement("FR-143", "CO-45")
def test_a_verdict_by_rule_says_where_and_what_instead() -> None:
    """The file at hand, the next expected one that is untouched, the time."""
    seen = snapshot(
        work(README, 6),
        work(ORDERS, 2, expected=True),
        expected=(ORDERS, PRICES),
        current_file=README,
        in_current_file_for=192,
    )
    assert offline(seen).suggested_context == NudgeContext(
        current_file=README,
        expected_file=PRICES,
        time_in_file="3m12s",
        phase_description="Find the cent",
    )


@pytest.mark.requirement("CO-45")
def test_a_loop_in_another_file_is_told_of_that_file() -> None:
    """And not with the time in this one."""
    loop = work(ORDERS, 20, expected=True, changes=changes(400, -390, 380, -400, 390))
    told = offline(snapshot(loop, current_file=PRICES, in_current_file_for=60)).suggested_context
    assert (told.current_file, told.time_in_file) == (ORDERS, None)


@pytest.mark.requirement("FR-150")
def test_triage_is_a_task_for_the_fast_model() -> None:
    """Instructions, JSON in, the specification's fields out."""
    assert (observer_triage.name, observer_triage.tier) == ("observer_triage", Tier.FAST)
    assert observer_triage.output is TriageVerdict
    assert list(TriageVerdict.model_fields) == [
        "should_nudge",
        "confidence",
        "signal",
        "reasoning",
        "suggested_context",
    ]
    told = json.loads(observer_triage.prompt(snapshot(current_phase=None)))
    assert told["current_phase"] is None
    for signal in Signal:
        assert signal in observer_triage.instructions


@pytest.mark.requirement("FR-139", "SC-064")
async def test_a_trigger_reaches_the_fast_model_with_the_snapshot(tmp_path: Path) -> None:
    """Over the real wire."""
    async with LoopbackApi() as api, open_observed(tmp_path, api=api) as observed:
        await observed.begin_phase()
        api.reply(json=QUIET.model_dump())
        await observed.open(README)
        (request,) = api.requests
        assert "haiku" in request.body["model"]
        content = request.body["messages"][0]["content"]
        told = json.loads(content if isinstance(content, str) else content[0]["text"])
        assert told["current_phase"]["expected_files"] == [ORDERS]
        assert told["recent_actions"] == [{"type": "file_open", "path": README, "ago": "0s"}]
        assert told["dreyfus_stage"] == "novice"
        by_model = (await observed.app.core.ledger.totals(observed.session_id)).by_model
        assert list(by_model) == [request.body["model"]]


@pytest.mark.requirement("FR-140", "FR-143", "SC-065")
async def test_a_sure_verdict_becomes_a_nudge(tmp_path: Path) -> None:
    """Logged, said with its context and in words, and remembered."""
    said = verdict(current_file=README, expected_file=ORDERS, time_in_file="3m12s")
    async with open_observed(tmp_path, model=ScriptedModel(said)) as observed:
        await observed.begin_phase()
        await observed.open(README)
        sent = await observed.logged(ActionType.NUDGE_SENT)
        assert sent == [{"signal": "wrong_file", "confidence": 0.85}]
        nudge = await observed.app.hear("observer:nudge")
        assert nudge["context"] == {
            "current_file": README,
            "expected_file": ORDERS,
            "time_in_file": "3m12s",
            "phase_description": "Find out where the cent goes missing",
        }
        assert (nudge["signal"], nudge["confidence"]) == ("wrong_file", 0.85)
        assert README in nudge["message"]
        assert nudge["offline"] is False
        assert [kept.nudge.signal for kept in observed.observer.nudges(observed.app.editor)] == [
            Signal.WRONG_FILE
        ]
        status = observed.observer.status(observed.app.editor)
        assert status.last_evaluation is not None


@pytest.mark.requirement("FR-140", "FR-141", "SC-069")
async def test_seven_tenths_are_sure_enough_and_less_is_not(tmp_path: Path) -> None:
    """The border, and the row that says what was held back."""
    unsure = verdict(Signal.SCOPE_DRIFT, 0.5)
    model = ScriptedModel(unsure, verdict(Signal.SCOPE_DRIFT, 0.7))
    async with open_observed(tmp_path, model=model) as observed:
        await observed.open(README)
        assert observed.app.of_type("observer:nudge") == []
        row = {"signal": "scope_drift", "confidence": 0.5, "reason": "low_confidence"}
        assert await observed.suppressed() == [row]
        await observed.open(PRICES)
        assert observed.app.of_type("observer:nudge")[0]["confidence"] == 0.7


@pytest.mark.requirement("EC-72")
async def test_being_unsure_again_and_again_changes_nothing(tmp_path: Path) -> None:
    """It stays quiet, without a cooldown and without raising its voice."""
    async with open_observed(
        tmp_path, model=ScriptedModel(*[verdict(confidence=0.4)] * 5)
    ) as observed:
        for _ in range(5):
            await observed.open(README)
        assert await observed.calls() == 5
        assert observed.app.of_type("observer:nudge") == []
        assert {row["reason"] for row in await observed.suppressed()} == {"low_confidence"}


@pytest.mark.requirement("FR-142")
async def test_nothing_to_say_leaves_no_trace_but_the_time(tmp_path: Path) -> None:
    async with open_observed(tmp_path, model=ScriptedModel(QUIET)) as observed:
        await observed.open(ORDERS)
        assert await observed.app.action_types(observed.session_id) == ["file_open"]
        assert observed.app.of_type("observer:nudge") == []
        assert observed.observer.status(observed.app.editor).last_evaluation is not None


@pytest.mark.requirement("EC-67")
async def test_a_verdict_that_contradicts_itself_is_not_acted_on(tmp_path: Path) -> None:
    """Should_nudge with no_nudge is a warning in the server's log."""
    async with open_observed(
        tmp_path, model=ScriptedModel(verdict(Signal.NO_NUDGE, 0.9))
    ) as observed:
        with capture_logs() as logs:
            await observed.open(README)
        warnings = [entry["event"] for entry in logs if entry["log_level"] == "warning"]
        assert warnings == ["observer.contradiction"]
        assert await observed.app.action_types(observed.session_id) == ["file_open"]
        assert observed.app.of_type("observer:nudge") == []


@pytest.mark.requirement("EC-68")
async def test_a_nudge_that_no_window_hears_is_logged_all_the_same(tmp_path: Path) -> None:
    """And kept for who comes later."""
    async with open_coach(tmp_path, model=ScriptedModel(verdict())) as app:
        observer = Observer(app.core, app.editors, Windows(Broadcaster()))
        await observer.start()
        session = await app.start_session()
        await app.core.actions.log_action(session.id, ActionType.FILE_OPEN, {"path": README})
        await observer.settled()
        assert await app.action_types(session.id) == ["file_open", "nudge_sent"]
        assert len(observer.nudges(app.editor)) == 1
        await observer.stop()


@pytest.mark.requirement("CO-45", "FR-140")
async def test_without_a_model_wrong_edits_are_noticed_by_rule(tmp_path: Path) -> None:
    """Five edits in a file that the phase does not need; the nudge says how."""
    async with open_observed(tmp_path) as observed:
        await observed.begin_phase()
        await observed.open(README)
        assert observed.app.of_type("observer:nudge") == []
        await observed.edit(README, 5)
        nudge = await observed.app.hear("observer:nudge")
        assert (nudge["signal"], nudge["confidence"]) == ("wrong_file", 0.8)
        assert nudge["context"]["expected_file"] == ORDERS
        assert nudge["offline"] is True


@pytest.mark.requirement("CO-45")
@pytest.mark.parametrize("signal", [signal for signal in Signal if signal != Signal.NO_NUDGE])
@pytest.mark.parametrize(
    "known", [NudgeContext(), NudgeContext(current_file="a", expected_file="b")]
)
def test_a_nudge_is_a_short_question_that_points_less_the_further_one_is(
    signal: Signal, known: NudgeContext
) -> None:
    """Worded by signal and stage, with and without a context."""
    novice = for_person(signal, Stage.NOVICE, known)
    competent = for_person(signal, Stage.COMPETENT, known)
    assert novice != competent
    for message in (novice, competent):
        assert message.endswith("?")
        assert len(message) < 200
        assert "None" not in message
    assert "b" not in competent.split()
