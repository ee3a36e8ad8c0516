"""The snapshot that triage judges by."""

from pathlib import Path

import pytest

from bottega.coach.enums import Stage
from bottega.coach.file_roles import is_test
from bottega.coach.observer.context import (
    FileChange,
    TriageContext,
    format_duration,
    is_expected,
    is_imported,
)
from bottega.coach.observer.snapshot import take_snapshot
from bottega.coach.skills.tables import DreyfusAssessment
from bottega.core.sessions.actions import ActionType
from tests.coach.observed import ORDERS, PRICES, README, ObservedSession, open_observed


async def look(observed: ObservedSession) -> TriageContext:
    state = observed.observer._states[observed.session_id]
    return await take_snapshot(observed.app.core.database, state, observed.clock.now())


@pytest.mark.requirement("FR-137")
async def test_a_snapshot_has_all_that_triage_needs(tmp_path: Path, database_url: str) -> None:
    """Phase, actions, times, stage and idleness."""
    async with open_observed(tmp_path, database_url=database_url) as observed:
        await observed.begin_phase()
        await observed.log(ActionType.FILE_SAVE, path=ORDERS, charCount=12)
        await observed.open(PRICES)
        await observed.log(ActionType.TAB_SWITCH, fromPath=PRICES, toPath=ORDERS)
        await observed.log(ActionType.HINT_LEVEL_CHANGE, level="line", previousLevel="file")
        await observed.clock.advance(130)
        seen = await look(observed)
    assert seen.current_phase is not None
    assert seen.model_dump(mode="json")["current_phase"] == {
        "number": 1,
        "title": "Make the total exact",
        "description": "Find out where the cent goes missing",
        "expected_files": [ORDERS],
    }
    told = [(action.type, action.path) for action in seen.recent_actions]
    assert told == [
        ("hint_level_change", None),
        ("tab_switch", ORDERS),
        ("file_open", PRICES),
        ("file_save", ORDERS),
    ]
    assert seen.recent_actions[-1].ago.startswith(("2m0", "2m10s"))
    assert seen.time_since_last_save.startswith(("2m0", "2m10s"))
    assert seen.time_since_last_nudge == "never"
    assert (seen.user_idle, seen.current_file, seen.in_current_file_for) == (False, ORDERS, 130)


@pytest.mark.requirement("FR-137", "FR-138")
async def test_without_a_plan_and_without_actions_there_is_a_snapshot_too(tmp_path: Path) -> None:
    """No phase, nothing saved, and a novice."""
    async with open_observed(tmp_path) as observed:
        seen = await look(observed)
    assert seen.current_phase is None
    assert seen.recent_actions == []
    assert (seen.time_since_last_save, seen.dreyfus_stage) == ("never", Stage.NOVICE)


@pytest.mark.requirement("FR-138")
async def test_the_stage_is_the_one_that_was_assessed(tmp_path: Path) -> None:
    """Novice only where nothing is known."""
    async with open_observed(tmp_path) as observed:
        async with observed.app.core.database.write() as session:
            session.add(
                DreyfusAssessment(
                    skill_area="Python",
                    stage=Stage.COMPETENT,
                    confidence=0.8,
                    evidence="Six sessions",
                    recommendation="Ask",
                )
            )
        assert (await look(observed)).dreyfus_stage == Stage.COMPETENT


@pytest.mark.requirement("FR-137")
async def test_the_last_twenty_things_that_the_person_did_are_in_it(tmp_path: Path) -> None:
    """What the house did in between does not push them out."""
    async with open_observed(tmp_path) as observed:
        for number in range(25):
            await observed.log(ActionType.SELECTION, path=f"{number}.py")
            await observed.log(ActionType.MCP_TOOL_CALL, toolName="paige_get_buffer")
        seen = await look(observed)
    assert [action.path for action in seen.recent_actions] == [
        f"{number}.py" for number in range(24, 4, -1)
    ]


@pytest.mark.requirement("FR-137")
async def test_idleness_is_more_than_five_minutes_without_a_sign_of_life(tmp_path: Path) -> None:
    async with open_observed(tmp_path) as observed:
        await observed.open(ORDERS)
        await observed.clock.advance(300)
        assert (await look(observed)).user_idle is False
        await observed.clock.advance(1)
        seen = await look(observed)
        assert (seen.user_idle, seen.idle_for) == (True, 301)


@pytest.mark.requirement("CO-45")
async def test_work_on_files_is_counted_from_the_log_and_from_unlogged_edits(
    tmp_path: Path,
) -> None:
    """Edits, changes in size, saves, and what is unsaved."""
    async with open_observed(tmp_path) as observed:
        await observed.begin_phase()
        await observed.log(ActionType.BUFFER_SIGNIFICANT_CHANGE, path=ORDERS, delta=600)
        await observed.log(ActionType.BUFFER_SUMMARY, path=ORDERS, editCount=7, charDelta=-20)
        await observed.log(ActionType.FILE_SAVE, path=ORDERS)
        await observed.edit(ORDERS)
        await observed.edit(PRICES, 3)
        observed.app.editor.files.update_buffer(PRICES, "PRICES = {}\n")
        seen = await look(observed)
    prices, orders = seen.work_on(PRICES), seen.work_on(ORDERS)
    assert prices is not None
    assert orders is not None
    assert (orders.is_expected, orders.edits, orders.saves) == (True, 8, 1)
    assert orders.changes == [FileChange(edits=1, chars=600), FileChange(edits=7, chars=-20)]
    assert (orders.is_unsaved, prices.is_unsaved) == (False, True)
    assert (prices.is_expected, prices.edits) == (False, 3)


@pytest.mark.requirement("CO-45")
async def test_a_new_phase_begins_with_a_clean_slate(tmp_path: Path) -> None:
    """What was edited for the last phase is not held against this one."""
    async with open_observed(tmp_path) as observed:
        await observed.log(ActionType.BUFFER_SUMMARY, path=README, editCount=9, charDelta=3)
        await observed.edit(README, 3)
        await observed.begin_phase()
        await observed.log(ActionType.PHASE_STARTED, phaseNumber=1)
        assert (await look(observed)).files == []


@pytest.mark.requirement("CO-45")
async def test_a_closed_file_is_no_longer_where_the_person_is(tmp_path: Path) -> None:
    async with open_observed(tmp_path) as observed:
        await observed.open(README)
        await observed.log(ActionType.FILE_CLOSE, path=ORDERS)
        await observed.log(ActionType.SELECTION)
        assert (await look(observed)).current_file == README
        await observed.log(ActionType.FILE_CLOSE, path=README)
        assert (await look(observed)).current_file is None


@pytest.mark.requirement("CO-45")
@pytest.mark.parametrize(
    ("path", "related"),
    [(PRICES, True), ("tests/test_orders.py", True), (README, False), (ORDERS, False)],
)
async def test_an_import_of_an_expected_file_and_a_test_are_related(
    tmp_path: Path, path: str, related: bool
) -> None:
    """Told from the project's own files."""
    async with open_observed(tmp_path) as observed:
        await observed.begin_phase(ORDERS, "src/bakery/not_there_yet.py")
        await observed.open(path)
        assert (await look(observed)).is_current_file_related is related


@pytest.mark.requirement("FR-137")
@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-3, "0s"), (0, "0s"), (45.9, "45s"), (130, "2m10s"), (192, "3m12s"), (3_900, "1h05m")],
)
def test_durations_are_as_people_write_them(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words


@pytest.mark.requirement("CO-45")
@pytest.mark.parametrize(
    ("path", "expected", "belongs"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "./src/a.py", True),
        ("src/a.py", "src/", True),
        ("src/a.py", "a.py", True),
        ("src/ba.py", "a.py", False),
        ("src/a.py", "src/a", False),
        ("src/a.py", "", False),
    ],
)
def test_a_plan_may_name_a_file_in_several_ways(path: str, expected: str, belongs: bool) -> None:
    """A path, a folder, the end of a path."""
    assert is_expected(path, [expected]) is belongs


@pytest.mark.requirement("CO-45")
@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("tests/a.py", True),
        ("src/test_a.py", True),
        ("web/a.test.ts", True),
        ("web/__tests__/a.ts", True),
        ("a_spec.rb", True),
        ("src/contest.py", False),
        ("src/latest.py", False),
    ],
)
def test_tests_are_told_by_their_names(path: str, answer: bool) -> None:
    assert is_test(path) is answer


@pytest.mark.requirement("CO-45")
@pytest.mark.parametrize(
    ("path", "text", "answer"),
    [
        ("src/bakery/prices.py", "from bakery.prices import price_of", True),
        ("src/prices.ts", "import { priceOf } from './prices'", True),
        ("src/prices.js", "const { priceOf } = require('./prices')", True),
        ("src/bakery/__init__.py", "import bakery", True),
        ("src/prices.py", "# prices are elsewhere\nprices = {}", False),
        ("src/price.py", "import prices", False),
    ],
)
def test_imports_are_told_by_their_lines(path: str, text: str, answer: bool) -> None:
    assert is_imported(path, text) is answer
