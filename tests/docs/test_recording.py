"""The pictures of the docs: a terminal is read as it looks, and a recording plays without help."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageDraw

from docs.recording.photographs import LARGEST, is_same
from docs.recording.sheet import Sheet
from docs.recording.svg import BACKGROUND, COLOURS, draw
from docs.recording.terminal import Terminal
from tests.docs.pages import ROOT

IMAGES = sorted((ROOT / "docs" / "images").iterdir())
LIMITS = {".png": LARGEST, ".svg": 300_000}
#: Of whoever made them.
PERSONAL = re.compile(rb"/(home|root|work|tmp)/(?!bottega-demo\b)|[0-9a-f]{32}|:\d{5}\b")


def shown(sheet: Sheet) -> list[str]:
    return [" ".join(run.text for run in row) for row in sheet.rows]


def test_a_terminal_shows_a_command_what_a_person_has(tmp_path: Path) -> None:
    with Terminal(["sh", "-c", "test -t 1 && stty size && tput bold && echo done"], tmp_path) as it:
        it.read_to_end()
    sheet = Sheet()
    sheet.prints(it.output)
    assert shown(sheet) == ["30 100", "done"]
    assert sheet.rows[1][0].is_bold


def test_a_command_that_fails_ends_the_recording(tmp_path: Path) -> None:
    with (
        pytest.raises(SystemExit, match="ended with 3"),
        Terminal(["sh", "-c", "exit 3"], tmp_path) as it,
    ):
        it.read_to_end()


def test_what_was_there_for_a_moment_only_is_not_on_the_sheet() -> None:
    sheet = Sheet()
    sheet.types("bottega demo")
    sheet.prints("⠋ Starting\r\x1b[2K✓ Started  \x1b[2mREST\x1b[0m\r\n")
    assert shown(sheet) == ["$ bottega demo", "✓ Started REST"]
    assert sheet.rows[1][1].colour == "brightblack"
    assert sheet.typed == {0}


def test_what_differs_each_time_is_written_the_same() -> None:
    sheet = Sheet()
    link = "\x1b]8;id=1;http://127.0.0.1:40213/x\x1b\\"
    sheet.prints(f"at http://127.0.0.1:40213/{link}run_{'0a' * 16} in /tmp/bottega-demo-kx_3/data")
    assert shown(sheet) == ["at http://127.0.0.1:3000/… in /tmp/bottega-demo/data"]


def test_a_recording_holds_every_row_once_and_is_still_for_those_who_want_that() -> None:
    sheet = Sheet()
    sheet.types("count")
    sheet.prints("".join(f"\x1b[32mrow <{number}>\x1b[0m\r\n" for number in range(40)))
    picture = draw(sheet, rows=10, about="Counting")
    texts = [
        "".join(each.itertext())
        for each in ElementTree.fromstring(picture).iter()
        if "text" in each.tag
    ]
    assert texts == ["$ count", *(f"row <{number}>" for number in range(40))]
    assert COLOURS["green"] in picture
    still, moving = picture.split("@media (prefers-reduced-motion:no-preference)")
    assert "animation" not in still
    assert f".s{{transform:translateY({-31 * 18}px)}}" in still
    assert "infinite" in moving
    assert BACKGROUND in picture
    assert "<script" not in picture
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")


def test_a_photograph_is_the_same_if_only_the_time_of_day_changed() -> None:
    before = Image.new("RGB", (400, 300), "white")
    later = before.copy()
    ImageDraw.Draw(later).text((20, 20), "2 minutes ago", fill="black")
    assert is_same(before, later)
    ImageDraw.Draw(later).rectangle((0, 0, 200, 40), fill="black")
    assert not is_same(before, later)


@pytest.mark.parametrize("path", IMAGES, ids=lambda path: str(path.name))
def test_a_picture_is_small_and_tells_nothing_of_who_made_it(path: Path) -> None:
    content = path.read_bytes()
    assert len(content) <= LIMITS[path.suffix]
    if path.suffix == ".svg":
        assert not PERSONAL.search(content)
