"""What a terminal has shown, as one long sheet of rows.

What our commands print is only ever added to: the sheet, once read to its end, holds every moment
of the session, and to play it is to uncover it row by row.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import pyte
from pyte.screens import Char

from docs.recording.terminal import COLUMNS

LONGEST = 2000
PROMPT = "$ "
#: The target of a link, which no picture can follow.
LINK = re.compile(r"\x1b\]8;.*?(?:\x1b\\|\x07)")
#: Colours and weights; pyte knows no faint, grey says the same.
STYLE = re.compile(r"\x1b\[([\d;]*)m")
#: What differs each time, and what stands for it.
VOLATILE = (
    (re.compile(r"(http://127\.0\.0\.1:)\d+"), r"\g<1>3000"),
    (re.compile(r"(/\S+/bottega-demo)-\w+"), r"\1"),
    (re.compile(r"/\S+/tmp\w{8}(?=/)"), "~"),
    (re.compile(r"(?:run_)?[0-9a-f]{32}"), "…"),
)


@dataclass(frozen=True)
class Run:
    """Neighbours that look alike."""

    column: int
    text: str
    colour: str
    is_bold: bool


Row = list[Run]


class Sheet:
    def __init__(self) -> None:
        self._screen = pyte.Screen(COLUMNS, LONGEST)
        self._stream = pyte.Stream(self._screen)
        #: Rows that a person types rather than a program prints.
        self.typed: set[int] = set()

    def types(self, command: str) -> None:
        if self._screen.cursor.y:
            self._stream.feed("\r\n")
        first = self._screen.cursor.y
        self._stream.feed(f"{PROMPT}{command}\r\n")
        self.typed.update(range(first, self._screen.cursor.y))

    def prints(self, output: str) -> None:
        text = LINK.sub("", output)
        for volatile, stable in VOLATILE:
            text = volatile.sub(stable, text)
        self._stream.feed(STYLE.sub(_without_faint, text))

    @property
    def rows(self) -> list[Row]:
        rows = [list(self._runs(number)) for number in range(self._screen.cursor.y + 1)]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def _runs(self, number: int) -> Iterator[Run]:
        line = self._screen.buffer[number]
        cells = [(column, line[column]) for column in range(COLUMNS)]
        for (colour, is_bold), alike in groupby(cells, key=_look):
            run = list(alike)
            text = "".join(cell.data for _, cell in run)
            if text.strip():
                column = run[0][0] + len(text) - len(text.lstrip())
                yield Run(column, text.strip(), colour, is_bold)


def _look(cell: tuple[int, Char]) -> tuple[str, bool]:
    return cell[1].fg, cell[1].bold


def _without_faint(style: re.Match[str]) -> str:
    codes = ["90" if code == "2" else code for code in style[1].split(";")]
    return f"\x1b[{';'.join(codes)}m"
