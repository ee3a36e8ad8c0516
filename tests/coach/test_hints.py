"""Hint levels change what the windows are sent, and the log and the progress say what happened."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.editor.schemas import HighlightLines, LevelChange
from bottega.coach.enums import HintLevel, HintType, PhaseStatus
from bottega.coach.plans import repository as plans
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.repository import NewHint, NewPhase
from bottega.errors import Conflict
from tests.coach.builders import CoachApp, open_coach

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
def hints(app: CoachApp) -> PhaseHints:
    return PhaseHints(app.core, app.windows)


async def begin(
    app: CoachApp, level: HintLevel, *hints: NewHint, status: PhaseStatus = PhaseStatus.ACTIVE
) -> str:
    """A session with one phase; gives the phase's id."""
    await app.start_session()
    phase = NewPhase(1, "Find it", "Look.", level, hints=hints or HINTS, status=status)
    return (await app.add_plan(phase)).phases[0].id


async def progress(app: CoachApp, phase_id: str) -> list[tuple[str, dict[str, Any] | None]]:
    async with app.core.database.read() as session:
        rows = await plans.progress_of(session, phase_id)
    return [(row.event_type, row.data) for row in rows]


def types(app: CoachApp) -> list[str]:
    return [heard.type for heard in app.broadcasts]


@pytest.mark.requirement("CO-17")
async def test_at_none_nothing_is_shown(app: CoachApp, hints: PhaseHints) -> None:
    """None sends nothing, and opening a hinted file is no use of a hint."""
    phase_id = await begin(app, HintLevel.NONE)
    await hints.show(app.editor)
    await hints.file_opened(app.editor, ORDERS)
    assert app.broadcasts == []
    assert await progress(app, phase_id) == []
    assert await app.actions(app.editor.require_session()) == []


@pytest.mark.requirement("CO-17")
async def test_at_file_only_files_glow(app: CoachApp, hints: PhaseHints) -> None:
    """File sends the files with their folders, and no line of them."""
    await begin(app, HintLevel.FILE)
    await hints.show(app.editor)
    folders = ["src", "src/bakery"]
    assert types(app) == ["explorer:hint_files"]
    assert app.broadcasts[0].payload["hints"] == [
        {"path": ORDERS, "style": "critical", "directories": folders},
        {"path": PRICES, "style": "suggested", "directories": folders},
    ]
    await hints.file_opened(app.editor, ORDERS)
    assert types(app) == ["explorer:hint_files"]


@pytest.mark.requirement("CO-17")
async def test_at_region_lines_are_widened_merged_and_wordless(
    app: CoachApp, hints: PhaseHints
) -> None:
    """Region sends ten lines either side, overlapping ones as one, without text."""
    await begin(app, HintLevel.REGION)
    await hints.show(app.editor)
    assert types(app) == ["explorer:hint_files", "editor:decorations"]
    assert app.broadcasts[1].payload == {
        "path": ORDERS,
        "decorations": [
            {"start": 1, "end": 32, "style": "warning"},
            {"start": 50, "end": 70, "style": "focus"},
        ],
    }


@pytest.mark.requirement("CO-17")
async def test_at_line_the_lines_are_shown_and_words_come_with_the_file(
    app: CoachApp, hints: PhaseHints
) -> None:
    """Line sends exact lines; a hint with words hovers when its file is opened."""
    await begin(app, HintLevel.LINE)
    await hints.show(app.editor)
    lines = app.of_type("editor:highlight_lines")
    assert [(line["start"], line["end"], line["hoverText"]) for line in lines] == [
        (4, 5, "What does sum start from?"),
        (20, 22, None),
        (60, 60, None),
    ]
    assert app.of_type("editor:decorations") == app.of_type("editor:hover_hint") == []
    await hints.file_opened(app.editor, PRICES)
    assert app.of_type("editor:hover_hint") == []
    await hints.file_opened(app.editor, ORDERS)
    (hover,) = app.of_type("editor:hover_hint")
    assert hover["hintText"] == "What does sum start from?"
    assert (hover["range"]["startLine"], hover["range"]["endLine"]) == (4, 5)


@pytest.mark.requirement("CO-18")
async def test_what_was_shown_is_logged(app: CoachApp, hints: PhaseHints) -> None:
    """File_hints_applied with the paths, decorations_applied with file and count."""
    await begin(app, HintLevel.LINE)
    await hints.show(app.editor)
    logged = await app.actions(app.editor.require_session())
    assert [(row.action_type, row.data) for row in logged] == [
        ("file_hints_applied", {"paths": [ORDERS, PRICES]}),
        ("decorations_applied", {"path": ORDERS, "count": 3}),
    ]


@pytest.mark.requirement("EC-64")
async def test_a_hint_at_a_file_that_does_not_exist_is_kept_and_sent(
    app: CoachApp, hints: PhaseHints
) -> None:
    """The window decides what to do with a path that is not in its tree."""
    line = NewHint(HintType.LINE, MISSING, "focus", 3, 4, "Here it will be.")
    phase_id = await begin(app, HintLevel.LINE, line)
    await hints.show(app.editor)
    assert app.of_type("explorer:hint_files")[0]["hints"][0]["path"] == MISSING
    assert app.of_type("editor:highlight_lines")[0]["path"] == MISSING
    async with app.core.database.read() as session:
        assert [hint.path for hint in await plans.hints_of(session, phase_id)] == [MISSING]


@pytest.mark.requirement("CO-19")
async def test_the_persons_choice_wins_over_the_phase_and_lasts(
    app: CoachApp, hints: PhaseHints
) -> None:
    """Own choice, else the active phase's level, else file."""
    assert await hints.level(app.editor) is HintLevel.FILE
    await begin(app, HintLevel.LINE, status=PhaseStatus.PENDING)
    assert await hints.level(app.editor) is HintLevel.FILE
    await app.add_plan(NewPhase(1, "Again", "", HintLevel.LINE, status=PhaseStatus.ACTIVE))
    assert await hints.level(app.editor) is HintLevel.LINE
    await hints.set_level(app.editor, LevelChange(level=HintLevel.REGION))
    assert await hints.level(app.editor) is HintLevel.REGION
    assert await PhaseHints(app.core, app.windows).level(app.editor) is HintLevel.REGION


@pytest.mark.requirement("CO-20")
async def test_lowering_clears_before_it_shows_the_rest(app: CoachApp, hints: PhaseHints) -> None:
    """After lowering no line is left from before, an agent's included."""
    phase_id = await begin(app, HintLevel.LINE)
    app.editor.highlights.append(HighlightLines(path=PRICES, start=1, end=2, style="hint"))
    change = LevelChange(level=HintLevel.FILE, previous_level=HintLevel.NONE)
    await hints.set_level(app.editor, change)
    assert types(app) == [*CLEARS, "explorer:hint_files"]
    assert app.editor.highlights == []
    assert await progress(app, phase_id) == []
    first = (await app.actions(app.editor.require_session()))[0]
    assert first.action_type == "hint_level_change"
    # What the window believed was wrong.
    assert first.data == {"level": "file", "previousLevel": "line"}


@pytest.mark.requirement("CO-21")
async def test_raising_shows_more_and_counts_as_escalation(
    app: CoachApp, hints: PhaseHints
) -> None:
    """Hint_escalated is the person raising the level; exact lines replace the regions."""
    phase_id = await begin(app, HintLevel.REGION)
    await hints.set_level(app.editor, LevelChange(level=HintLevel.LINE))
    assert types(app)[:2] == ["editor:clear_decorations", "explorer:hint_files"]
    assert len(app.of_type("editor:highlight_lines")) == 3
    assert await progress(app, phase_id) == [
        ("hint_escalated", {"level": "line", "previousLevel": "region"})
    ]
    app.broadcasts.clear()
    await hints.set_level(app.editor, LevelChange(level=HintLevel.LINE))
    assert app.broadcasts == []
    assert len(await progress(app, phase_id)) == 1


@pytest.mark.requirement("CO-22")
async def test_opening_a_hinted_file_is_a_use_once_a_file_and_phase(
    tmp_path: Path, database_url: str
) -> None:
    """Hint_used is the person opening a file that a shown hint points at."""
    async with open_coach(tmp_path, database_url=database_url) as app:
        hints = PhaseHints(app.core, app.windows)
        phase_id = await begin(app, HintLevel.FILE)
        await hints.file_opened(app.editor, "README.md")
        assert await progress(app, phase_id) == []
        await asyncio.gather(*(hints.file_opened(app.editor, ORDERS) for _ in range(5)))
        await hints.file_opened(app.editor, PRICES)
        used = [("hint_used", {"path": ORDERS}), ("hint_used", {"path": PRICES})]
        assert await progress(app, phase_id) == used


@pytest.mark.requirement("CO-19")
async def test_without_a_session_there_is_no_level_to_set(app: CoachApp, hints: PhaseHints) -> None:
    """A choice needs a session to be kept in; showing and opening are quiet."""
    await hints.show(app.editor)
    await hints.file_opened(app.editor, ORDERS)
    with pytest.raises(Conflict, match="No active session"):
        await hints.set_level(app.editor, LevelChange(level=HintLevel.LINE))
    assert app.broadcasts == []
