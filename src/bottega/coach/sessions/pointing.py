"""A phase's hints as the windows show them: files that glow, regions, lines, words on hover."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath

from bottega.coach.enums import FileStyle, HintType, LineStyle
from bottega.coach.protocol.files import (
    Decoration,
    Decorations,
    FileHint,
    HighlightLines,
    HoverHint,
    Range,
)
from bottega.coach.tables import PhaseHint

#: How far a region reaches beyond its lines, so that it shows where and not what.
AROUND = 10


def files(hints: Sequence[PhaseHint]) -> list[FileHint]:
    """Each file once. One that only a line hint points at is suggested: without it nobody would
    find the line."""
    styles = {hint.path: FileStyle.SUGGESTED for hint in hints}
    styles |= {hint.path: FileStyle(hint.style) for hint in hints if hint.type == HintType.FILE}
    return [
        FileHint(path=path, style=style, directories=_folders(path) or None)
        for path, style in styles.items()
    ]


def regions(hints: Sequence[PhaseHint]) -> list[Decorations]:
    """The lines' surroundings, without words; regions that overlap are one."""
    by_path: dict[str, list[Decoration]] = defaultdict(list)
    for hint in _at_lines(hints):
        start, end = _lines(hint)
        region = Decoration(
            start=max(1, start - AROUND), end=end + AROUND, style=LineStyle(hint.style)
        )
        by_path[hint.path].append(region)
    return [Decorations(path=path, decorations=_merged(found)) for path, found in by_path.items()]


def highlights(hints: Sequence[PhaseHint]) -> list[HighlightLines]:
    return [
        HighlightLines(
            path=hint.path,
            start=_lines(hint)[0],
            end=_lines(hint)[1],
            style=LineStyle(hint.style),
            hover_text=hint.hover_text,
        )
        for hint in _at_lines(hints)
    ]


def hovers(hints: Sequence[PhaseHint], path: str) -> list[HoverHint]:
    return [
        HoverHint(
            path=path,
            range=Range(start_line=_lines(hint)[0], end_line=_lines(hint)[1]),
            hint_text=hint.hover_text,
        )
        for hint in _at_lines(hints)
        if hint.path == path and hint.hover_text
    ]


def _folders(path: str) -> list[str]:
    """From the outermost; `.` is the project itself."""
    return [str(parent) for parent in reversed(PurePosixPath(path).parents)][1:]


def _at_lines(hints: Sequence[PhaseHint]) -> list[PhaseHint]:
    return [hint for hint in hints if hint.type == HintType.LINE and hint.start_line]


def _lines(hint: PhaseHint) -> tuple[int, int]:
    start = hint.start_line or 1
    return start, hint.end_line or start


def _merged(found: list[Decoration]) -> list[Decoration]:
    merged: list[Decoration] = []
    for region in sorted(found, key=lambda region: region.start):
        last = merged[-1] if merged else None
        if last is None or region.start > last.end:
            merged.append(region)
        else:
            # The more urgent of two styles.
            style = max(last.style, region.style, key=tuple(LineStyle).index)
            end = max(last.end, region.end)
            merged[-1] = Decoration(start=last.start, end=end, style=style)
    return merged
