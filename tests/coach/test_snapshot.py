"""The snapshot that triage judges by."""

from pathlib import Path

import pytest

from bottega.coach.observer.belonging import is_expected, is_imported, is_test
from bottega.coach.observer.context import Change, TriageContext
from bottega.coach.observer.durations import spoken
from bottega.coach.observer.snapshot import take_snapshot
from bottega.coach.stages import Stage
from bottega.coach.tables import DreyfusAssessment
from bottega.core.actions import ActionType
from tests.coach.watching import ORDERS, PRICES, README, Watched, watched


async def look(world: Watched) -> TriageContext:
    state = world.observer._states[world.session_id]
    return await take_snapshot(world.house.core.database, state, world.clock.now())


async def test_a_snapshot_has_all_that_triage_needs(tmp_path: Path, database_url: str) -> None:
    """FR-137: phase, actions, times, stage and idleness."""
    async with watched(tmp_path, database_url=database_url) as world:
        await world.begin_phase()
        await world.log(ActionType.FILE_SAVE, path=ORDERS, charCount=12)
        await world.open(PRICES)
        await world.log(ActionType.TAB_SWITCH, fromPath=PRICES, toPath=ORDERS)
        await world.log(ActionType.HINT_LEVEL_CHANGE, level="line", previousLevel="file")
        await world.clock.advance(130)
        seen = await look(world)
    assert seen.current_phase is not None
    assert seen.current_phase.model_dump() == {
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


async def test_without_a_plan_and_without_actions_there_is_a_snapshot_too(tmp_path: Path) -> None:
    """FR-137, FR-138: no phase, nothing saved, and a novice."""
    async with watched(tmp_path) as world:
        seen = await look(world)
    assert seen.current_phase is None
    assert seen.recent_actions == []
    assert (seen.time_since_last_save, seen.dreyfus_stage) == ("never", Stage.NOVICE)


async def test_the_stage_is_the_one_that_was_assessed(tmp_path: Path) -> None:
    """FR-138: novice only where nothing is known."""
    async with watched(tmp_path) as world:
        async with world.house.core.database.write() as session:
            session.add(
                DreyfusAssessment(
                    skill_area="Python",
                    stage=Stage.COMPETENT,
                    confidence=0.8,
                    evidence="Six sessions",
                    recommendation="Ask",
                )
            )
        assert (await look(world)).dreyfus_stage == Stage.COMPETENT


async def test_the_last_twenty_things_that_the_person_did_are_in_it(tmp_path: Path) -> None:
    """FR-137: what the house did in between does not push them out."""
    async with watched(tmp_path) as world:
        for number in range(25):
            await world.log(ActionType.SELECTION, path=f"{number}.py")
            await world.log(ActionType.MCP_TOOL_CALL, toolName="paige_get_buffer")
        seen = await look(world)
    assert [action.path for action in seen.recent_actions] == [
        f"{number}.py" for number in range(24, 4, -1)
    ]


async def test_idleness_is_more_than_five_minutes_without_a_sign_of_life(tmp_path: Path) -> None:
    """FR-137."""
    async with watched(tmp_path) as world:
        await world.open(ORDERS)
        await world.clock.advance(300)
        assert (await look(world)).user_idle is False
        await world.clock.advance(1)
        seen = await look(world)
        assert (seen.user_idle, seen.idle_for) == (True, 301)


async def test_work_on_files_is_counted_from_the_log_and_from_unlogged_edits(
    tmp_path: Path,
) -> None:
    """CO-45: edits, changes in size, saves, and what is unsaved."""
    async with watched(tmp_path) as world:
        await world.begin_phase()
        await world.log(ActionType.BUFFER_SIGNIFICANT_CHANGE, path=ORDERS, delta=600)
        await world.log(ActionType.BUFFER_SUMMARY, path=ORDERS, editCount=7, charDelta=-20)
        await world.log(ActionType.FILE_SAVE, path=ORDERS)
        await world.edit(ORDERS)
        await world.edit(PRICES, 3)
        world.house.desk.files.update_buffer(PRICES, "PRICES = {}\n")
        seen = await look(world)
    prices, orders = seen.work_on(PRICES), seen.work_on(ORDERS)
    assert prices is not None
    assert orders is not None
    assert (orders.is_expected, orders.edits, orders.saves) == (True, 8, 1)
    assert orders.changes == [Change(edits=1, chars=600), Change(edits=7, chars=-20)]
    assert (orders.is_unsaved, prices.is_unsaved) == (False, True)
    assert (prices.is_expected, prices.edits) == (False, 3)


async def test_a_new_phase_begins_with_a_clean_slate(tmp_path: Path) -> None:
    """CO-45: what was edited for the last phase is not held against this one."""
    async with watched(tmp_path) as world:
        await world.log(ActionType.BUFFER_SUMMARY, path=README, editCount=9, charDelta=3)
        await world.edit(README, 3)
        await world.begin_phase()
        await world.log(ActionType.PHASE_STARTED, phaseNumber=1)
        assert (await look(world)).files == []


async def test_a_closed_file_is_no_longer_where_the_person_is(tmp_path: Path) -> None:
    """CO-45."""
    async with watched(tmp_path) as world:
        await world.open(README)
        await world.log(ActionType.FILE_CLOSE, path=ORDERS)
        await world.log(ActionType.SELECTION)
        assert (await look(world)).current_file == README
        await world.log(ActionType.FILE_CLOSE, path=README)
        assert (await look(world)).current_file is None


@pytest.mark.parametrize(
    ("path", "related"),
    [(PRICES, True), ("tests/test_orders.py", True), (README, False), (ORDERS, False)],
)
async def test_an_import_of_an_expected_file_and_a_test_are_related(
    tmp_path: Path, path: str, related: bool
) -> None:
    """CO-45: told from the project's own files."""
    async with watched(tmp_path) as world:
        await world.begin_phase(ORDERS, "src/bakery/not_there_yet.py")
        await world.open(path)
        assert (await look(world)).is_current_file_related is related


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-3, "0s"), (0, "0s"), (45.9, "45s"), (130, "2m10s"), (192, "3m12s"), (3_900, "1h05m")],
)
def test_durations_are_as_people_write_them(seconds: float, words: str) -> None:
    """FR-137."""
    assert spoken(seconds) == words


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
    """CO-45: a path, a folder, the end of a path."""
    assert is_expected(path, [expected]) is belongs


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
    """CO-45."""
    assert is_test(path) is answer


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
    """CO-45."""
    assert is_imported(path, text) is answer
