"""A sheet behind a window, as a picture that plays by itself.

Every row stands in the file once. A cover in the colour of the background hides the rows that have
not been printed yet and steps down; when it reaches the bottom of the window the sheet steps up.
Both are style rules, so there is no script and no font in the file. Whoever asked for reduced
motion sees the end of the session, still.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from docs.recording.sheet import PROMPT, Row, Run, Sheet
from docs.recording.terminal import COLUMNS

WIDTH, HEIGHT = 8.4, 18
PADDING = 16
BAR = 34
#: Seconds: a row appears, a reader reads it, a key is pressed; the end is looked at.
APPEARS, READS, KEY, STAYS = 0.12, 0.006, 0.045, 8
BACKGROUND = "#16181d"
INK = "#d8dce4"
COLOURS = {
    "default": INK,
    "black": "#5c6370",
    "brightblack": "#8b93a3",
    "red": "#f07178",
    "green": "#7fd88f",
    "brown": "#e6c07b",
    "yellow": "#e6c07b",
    "blue": "#7aa2f7",
    "magenta": "#c792ea",
    "cyan": "#6fd3d6",
    "white": INK,
}
FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"


@dataclass(frozen=True)
class Moment:
    """From this second on so many rows are seen."""

    at: float
    rows: int


def draw(sheet: Sheet, *, rows: int, about: str) -> str:
    lines = sheet.rows
    moments, keys, end = pace(sheet)
    width = COLUMNS * WIDTH + 2 * PADDING
    height = BAR + rows * HEIGHT + PADDING
    hidden = max(len(lines) - rows, 0)
    covers = "".join(
        f'<rect class="c k{row}" x="{PADDING + len(PROMPT) * WIDTH:g}" y="{row * HEIGHT}" '
        f'width="{width:g}" height="{HEIGHT}"/>'
        for row in keys
    )
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" \
aria-label="{escape(about)}">
<title>{escape(about)}</title>
<style>
text{{font:14px {FONTS};fill:{INK};white-space:pre}}
.c{{fill:{BACKGROUND}}}
{"".join(f".{name}{{fill:{colour}}}" for name, colour in COLOURS.items() if colour != INK)}
.b{{font-weight:700}}
.s{{transform:translateY({-hidden * HEIGHT}px)}}
.o{{transform:translateY({len(lines) * HEIGHT}px)}}
{"".join(f".k{row}{{transform:translateX({width:g}px)}}" for row in keys)}
@media (prefers-reduced-motion:no-preference){{
.s,.o,.c{{animation:s {end:g}s step-end infinite}}
.o{{animation-name:o}}
{"".join(f".k{row}{{animation-name:k{row}}}" for row in keys)}
}}
@keyframes s{{{scrolling(moments, rows, end)}}}
@keyframes o{{{covering(moments, end)}}}
{"".join(typing(row, start, length, end, width) for row, (start, length) in keys.items())}
</style>
<rect width="{width:g}" height="{height:g}" rx="10" fill="{BACKGROUND}"/>
{"".join(f'<circle cx="{20 + 18 * n}" cy="18" r="5.5" fill="#3a3f4b"/>' for n in range(3))}
<svg y="{BAR}" width="{width:g}" height="{rows * HEIGHT}" viewBox="0 0 {width:g} {rows * HEIGHT}">
<g class="s">
{chr(10).join(text(number, line) for number, line in enumerate(lines) if line)}
{covers}<rect class="c o" width="{width:g}" height="{(len(lines) + rows) * HEIGHT}"/>
</g>
</svg>
</svg>
"""


def pace(sheet: Sheet) -> tuple[list[Moment], dict[int, tuple[float, int]], float]:
    """When how many rows are seen; when which row is typed, and how long it is; the whole time."""
    now = 0.0
    moments = []
    keys: dict[int, tuple[float, int]] = {}
    for number, row in enumerate(sheet.rows):
        moments.append(Moment(now, number + 1))
        length = sum(len(run.text) for run in row)
        if number in sheet.typed:
            keys[number] = (now + 0.4, row[-1].column + len(row[-1].text) - len(PROMPT))
            now += 0.4 + keys[number][1] * KEY + 0.5
        else:
            now += (APPEARS + READS * length) if length else 0
    return moments, keys, now + STAYS


def scrolling(moments: list[Moment], rows: int, end: float) -> str:
    steps = [(each.at, max(each.rows - rows, 0)) for each in moments]
    changes = [steps[0], *(step for before, step in pairwise(steps) if step[1] != before[1])]
    return "".join(
        f"{at / end:.2%}{{transform:translateY({-up * HEIGHT}px)}}" for at, up in changes
    )


def covering(moments: list[Moment], end: float) -> str:
    return "".join(
        f"{each.at / end:.2%}{{transform:translateY({each.rows * HEIGHT}px)}}" for each in moments
    )


def typing(row: int, start: float, length: int, end: float, width: float) -> str:
    stop = start + length * KEY
    return (
        f"@keyframes k{row}{{0%{{transform:none}}"
        f"{start / end:.2%}{{transform:none;animation-timing-function:steps({length})}}"
        f"{stop / end:.2%}{{transform:translateX({length * WIDTH:g}px)}}"
        f"{(stop + 0.01) / end:.2%}{{transform:translateX({width:g}px)}}}}\n"
    )


def text(number: int, row: Row) -> str:
    baseline = number * HEIGHT + 13
    return f'<text y="{baseline}">{"".join(pieces(row))}</text>'


def pieces(row: Row) -> Iterator[str]:
    for run in row:
        classes = " ".join(look(run))
        named = f' class="{classes}"' if classes else ""
        # However wide the reader's font: columns stay below each other.
        yield (
            f'<tspan x="{PADDING + run.column * WIDTH:g}" textLength="{len(run.text) * WIDTH:g}" '
            f'lengthAdjust="spacingAndGlyphs"{named}>{escape(run.text, quote=False)}</tspan>'
        )


def look(run: Run) -> Iterator[str]:
    if COLOURS.get(run.colour, INK) != INK:
        yield run.colour
    if run.is_bold:
        yield "b"
