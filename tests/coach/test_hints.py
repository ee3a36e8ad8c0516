"""Hint levels change what the windows are sent, and the log and the progress say what happened."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.enums import HintLevel, HintType, PhaseStatus
from bottega.coach.protocol.files import HighlightLines, LevelChange
from bottega.coach.repository import plans
from bottega.coach.repository.plans import NewHint, NewPhase
from bottega.coach.sessions.hints import Hints
from bottega.errors import Conflict
from tests.coach.house import House, open_house

ORDERS, PRICES, MISSING = "src/bakery/orders.py", "src/bakery/prices.py", "src/bakery/ghost.py"
HINTS = (
    NewHint(HintType.FILE, ORDERS, "critical"),
    NewHint(HintType.FILE, PRICES, "suggested"),
    NewHint(HintType.LINE, ORDERS, "hint", 4, 5, "What does sum start from?"),
    NewHint(HintType.LINE, ORDERS, "warning", 20, 22),
    NewHint(HintType.LINE, ORDERS, "focus", 60, 60),
)
CLEARS = ["explorer:clear_hints", "editor:clear_decorations", "editor:clear_highlights"]


@pytest.fixture
def hints(house: House) -> Hints:
    return Hints(house.core, house.voice)


async def begin(
    house: House, level: HintLevel, *hints: NewHint, status: PhaseStatus = PhaseStatus.ACTIVE
) -> str:
    """A session with one phase; gives the phase's id."""
    await house.start_session()
    phase = NewPhase(1, "Find it", "Look.", level, hints=hints or HINTS, status=status)
    return (await house.add_plan(phase)).phases[0].id


async def progress(house: House, phase_id: str) -> list[tuple[str, dict[str, Any] | None]]:
    async with house.core.database.read() as session:
        rows = await plans.progress_of(session, phase_id)
    return [(row.event_type, row.data) for row in rows]


def types(house: House) -> list[str]:
    return [heard.type for heard in house.heard]


async def test_at_none_nothing_is_shown(house: House, hints: Hints) -> None:
    """CO-17: none sends nothing, and opening a hinted file is no use of a hint."""
    phase_id = await begin(house, HintLevel.NONE)
    await hints.show(house.desk)
    await hints.file_opened(house.desk, ORDERS)
    assert house.heard == []
    assert await progress(house, phase_id) == []
    assert await house.actions(house.desk.require_session()) == []


async def test_at_file_only_files_glow(house: House, hints: Hints) -> None:
    """CO-17: file sends the files with their folders, and no line of them."""
    await begin(house, HintLevel.FILE)
    await hints.show(house.desk)
    folders = ["src", "src/bakery"]
    assert types(house) == ["explorer:hint_files"]
    assert house.heard[0].payload["hints"] == [
        {"path": ORDERS, "style": "critical", "directories": folders},
        {"path": PRICES, "style": "suggested", "directories": folders},
    ]
    await hints.file_opened(house.desk, ORDERS)
    assert types(house) == ["explorer:hint_files"]


async def test_at_region_lines_are_widened_merged_and_wordless(house: House, hints: Hints) -> None:
    """CO-17: region sends ten lines either side, overlapping ones as one, without text."""
    await begin(house, HintLevel.REGION)
    await hints.show(house.desk)
    assert types(house) == ["explorer:hint_files", "editor:decorations"]
    assert house.heard[1].payload == {
        "path": ORDERS,
        "decorations": [
            {"start": 1, "end": 32, "style": "warning"},
            {"start": 50, "end": 70, "style": "focus"},
        ],
    }


async def test_at_line_the_lines_are_shown_and_words_come_with_the_file(
    house: House, hints: Hints
) -> None:
    """CO-17: line sends exact lines; a hint with words hovers when its file is opened."""
    await begin(house, HintLevel.LINE)
    await hints.show(house.desk)
    lines = house.of_type("editor:highlight_lines")
    assert [(line["start"], line["end"], line["hoverText"]) for line in lines] == [
        (4, 5, "What does sum start from?"),
        (20, 22, None),
        (60, 60, None),
    ]
    assert house.of_type("editor:decorations") == house.of_type("editor:hover_hint") == []
    await hints.file_opened(house.desk, PRICES)
    assert house.of_type("editor:hover_hint") == []
    await hints.file_opened(house.desk, ORDERS)
    (hover,) = house.of_type("editor:hover_hint")
    assert hover["hintText"] == "What does sum start from?"
    assert (hover["range"]["startLine"], hover["range"]["endLine"]) == (4, 5)


async def test_what_was_shown_is_logged(house: House, hints: Hints) -> None:
    """CO-18: file_hints_applied with the paths, decorations_applied with file and count."""
    await begin(house, HintLevel.LINE)
    await hints.show(house.desk)
    logged = await house.actions(house.desk.require_session())
    assert [(row.action_type, row.data) for row in logged] == [
        ("file_hints_applied", {"paths": [ORDERS, PRICES]}),
        ("decorations_applied", {"path": ORDERS, "count": 3}),
    ]


async def test_a_hint_at_a_file_that_does_not_exist_is_kept_and_sent(
    house: House, hints: Hints
) -> None:
    """EC-64: the window decides what to do with a path that is not in its tree."""
    line = NewHint(HintType.LINE, MISSING, "focus", 3, 4, "Here it will be.")
    phase_id = await begin(house, HintLevel.LINE, line)
    await hints.show(house.desk)
    assert house.of_type("explorer:hint_files")[0]["hints"][0]["path"] == MISSING
    assert house.of_type("editor:highlight_lines")[0]["path"] == MISSING
    async with house.core.database.read() as session:
        assert [hint.path for hint in await plans.hints_of(session, phase_id)] == [MISSING]


async def test_the_persons_choice_wins_over_the_phase_and_lasts(house: House, hints: Hints) -> None:
    """CO-19: own choice, else the active phase's level, else file."""
    assert await hints.level(house.desk) is HintLevel.FILE
    await begin(house, HintLevel.LINE, status=PhaseStatus.PENDING)
    assert await hints.level(house.desk) is HintLevel.FILE
    await house.add_plan(NewPhase(1, "Again", "", HintLevel.LINE, status=PhaseStatus.ACTIVE))
    assert await hints.level(house.desk) is HintLevel.LINE
    await hints.set_level(house.desk, LevelChange(level=HintLevel.REGION))
    assert await hints.level(house.desk) is HintLevel.REGION
    assert await Hints(house.core, house.voice).level(house.desk) is HintLevel.REGION


async def test_lowering_clears_before_it_shows_the_rest(house: House, hints: Hints) -> None:
    """CO-20: after lowering no line is left from before, an agent's included."""
    phase_id = await begin(house, HintLevel.LINE)
    house.desk.highlights.append(HighlightLines(path=PRICES, start=1, end=2, style="hint"))
    change = LevelChange(level=HintLevel.FILE, previous_level=HintLevel.NONE)
    await hints.set_level(house.desk, change)
    assert types(house) == [*CLEARS, "explorer:hint_files"]
    assert house.desk.highlights == []
    assert await progress(house, phase_id) == []
    first = (await house.actions(house.desk.require_session()))[0]
    assert first.action_type == "hint_level_change"
    # What the window believed was wrong.
    assert first.data == {"level": "file", "previousLevel": "line"}


async def test_raising_shows_more_and_counts_as_escalation(house: House, hints: Hints) -> None:
    """CO-21: hint_escalated is the person raising the level; exact lines replace the regions."""
    phase_id = await begin(house, HintLevel.REGION)
    await hints.set_level(house.desk, LevelChange(level=HintLevel.LINE))
    assert types(house)[:2] == ["editor:clear_decorations", "explorer:hint_files"]
    assert len(house.of_type("editor:highlight_lines")) == 3
    assert await progress(house, phase_id) == [
        ("hint_escalated", {"level": "line", "previousLevel": "region"})
    ]
    house.heard.clear()
    await hints.set_level(house.desk, LevelChange(level=HintLevel.LINE))
    assert house.heard == []
    assert len(await progress(house, phase_id)) == 1


async def test_opening_a_hinted_file_is_a_use_once_a_file_and_phase(
    tmp_path: Path, database_url: str
) -> None:
    """CO-22: hint_used is the person opening a file that a shown hint points at."""
    async with open_house(tmp_path, database_url=database_url) as house:
        hints = Hints(house.core, house.voice)
        phase_id = await begin(house, HintLevel.FILE)
        await hints.file_opened(house.desk, "README.md")
        assert await progress(house, phase_id) == []
        await asyncio.gather(*(hints.file_opened(house.desk, ORDERS) for _ in range(5)))
        await hints.file_opened(house.desk, PRICES)
        used = [("hint_used", {"path": ORDERS}), ("hint_used", {"path": PRICES})]
        assert await progress(house, phase_id) == used


async def test_without_a_session_there_is_no_level_to_set(house: House, hints: Hints) -> None:
    """CO-19: a choice needs a session to be kept in; showing and opening are quiet."""
    await hints.show(house.desk)
    await hints.file_opened(house.desk, ORDERS)
    with pytest.raises(Conflict, match="No active session"):
        await hints.set_level(house.desk, LevelChange(level=HintLevel.LINE))
    assert house.heard == []
