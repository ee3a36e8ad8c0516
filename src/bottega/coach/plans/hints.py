"""Hints: how closely the windows point at where the active phase's work is.

The level is the person's own choice for the session, else the active phase's, else `file`. Each
level sends other messages: `none` nothing, `file` the files, `region` also the surroundings of the
lines, `line` the lines themselves with words on hover.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.editor.schemas import (
    ClearDecorations,
    ClearHighlights,
    ClearHints,
    Decoration,
    Decorations,
    FileHint,
    HighlightLines,
    HintFiles,
    HoverHint,
    LevelChange,
    Range,
)
from bottega.coach.editor.state import EditorState, Windows
from bottega.coach.enums import FileStyle, HintLevel, HintType, LineStyle, ProgressType
from bottega.coach.plans import repository as plans
from bottega.coach.plans.repository import choose_level, facts_of
from bottega.coach.plans.tables import Phase, PhaseHint
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import find

#: How far a region reaches beyond its lines, so that it shows where and not what.
AROUND = 10


@dataclass(frozen=True, slots=True)
class VisibleHints:
    """What the active phase's hints show at one level."""

    files: list[FileHint] = field(default_factory=list)
    regions: list[Decorations] = field(default_factory=list)
    highlights: list[HighlightLines] = field(default_factory=list)


class PhaseHints:
    def __init__(self, core: Core, windows: Windows) -> None:
        self._core = core
        self._windows = windows

    async def level(self, editor: EditorState) -> HintLevel:
        if editor.session_id is None:
            return HintLevel.FILE
        async with self._core.database.read() as session:
            phase = await plans.active_phase(session, editor.session_id)
            return await level_at(session, editor.session_id, phase)

    async def set_level(self, editor: EditorState, change: LevelChange) -> None:
        """The person moved the slider. What it was before we know better than the window does."""
        session_id = editor.require_session()
        previous = await self.level(editor)
        await choose_level(self._core.database, session_id, editor.user_id, change.level)
        await self._core.actions.log_action(
            session_id,
            ActionType.HINT_LEVEL_CHANGE,
            {"level": change.level, "previousLevel": previous},
        )
        if change.level.rank < previous.rank:
            self.clear(editor)
        elif change.level.rank > previous.rank:
            await self._escalated(session_id, previous, change.level)
            if previous is HintLevel.REGION:
                self._windows.send(editor, ClearDecorations())
        if change.level is not previous:
            await self.show(editor)

    async def shown(self, editor: EditorState) -> VisibleHints:
        """What the active phase's hints allow at the current level."""
        level, _, hints = await self._active_hints(editor)
        if level is HintLevel.NONE:
            return VisibleHints()
        return VisibleHints(
            _file_hints(hints),
            _regions(hints) if level is HintLevel.REGION else [],
            _highlights(hints) if level is HintLevel.LINE else [],
        )

    async def show(self, editor: EditorState) -> None:
        """Send it to the windows."""
        shown = await self.shown(editor)
        if shown.files:
            await self._show_files(editor, shown.files)
            await self._show_lines(editor, shown.regions or shown.highlights)

    def clear(self, editor: EditorState) -> None:
        """Remove all hints and highlights from the windows, those of an agent too."""
        editor.highlights.clear()
        self._windows.send(editor, ClearHints(), ClearDecorations(), ClearHighlights())

    async def file_opened(self, editor: EditorState, path: str) -> None:
        level, phase, hints = await self._active_hints(editor)
        if phase is None or level is HintLevel.NONE:
            return
        if any(hint.path == path for hint in hints):
            await self._used(phase.id, path)
        if level is HintLevel.LINE:
            self._windows.send(editor, *_hovers(hints, path))

    async def _active_hints(
        self, editor: EditorState
    ) -> tuple[HintLevel, Phase | None, Sequence[PhaseHint]]:
        if editor.session_id is None:
            return HintLevel.FILE, None, ()
        async with self._core.database.read() as session:
            phase = await plans.active_phase(session, editor.session_id)
            level = await level_at(session, editor.session_id, phase)
            return level, phase, await plans.hints_of(session, phase.id) if phase else ()

    async def _show_files(self, editor: EditorState, files: list[FileHint]) -> None:
        self._windows.send(editor, HintFiles(hints=files))
        paths = [hint.path for hint in files]
        await self._core.actions.log_action(
            editor.session_id, ActionType.FILE_HINTS_APPLIED, {"paths": paths}
        )

    async def _show_lines(
        self, editor: EditorState, shown: Sequence[Decorations] | Sequence[HighlightLines]
    ) -> None:
        counts: dict[str, int] = {}
        for message in shown:
            self._windows.send(editor, message)
            several = len(message.decorations) if isinstance(message, Decorations) else 1
            counts[message.path] = counts.get(message.path, 0) + several
        for path, count in counts.items():
            await self._core.actions.log_action(
                editor.session_id, ActionType.DECORATIONS_APPLIED, {"path": path, "count": count}
            )

    async def _escalated(self, session_id: str, previous: HintLevel, level: HintLevel) -> None:
        async with self._core.database.write() as session:
            phase = await plans.active_phase(session, session_id)
            if phase is not None:
                data = {"level": level, "previousLevel": previous}
                await plans.add_progress(session, phase.id, ProgressType.HINT_ESCALATED, data)

    async def _used(self, phase_id: str, path: str) -> None:
        """Once a file and phase."""
        async with self._core.database.write() as session:
            await session.get(Phase, phase_id, with_for_update=True)
            known = await plans.progress_of(session, phase_id)
            used = (row.data for row in known if row.event_type == ProgressType.HINT_USED)
            if not any(data and data.get("path") == path for data in used):
                await plans.add_progress(session, phase_id, ProgressType.HINT_USED, {"path": path})


async def level_at(session: AsyncSession, session_id: str, phase: Phase | None) -> HintLevel:
    chosen = facts_of(await find(session, session_id, user_id=None)).hint_level
    if chosen is not None:
        return chosen
    return HintLevel(phase.hint_level) if phase else HintLevel.FILE


def _file_hints(hints: Sequence[PhaseHint]) -> list[FileHint]:
    """Each file once. One that only a line hint points at is suggested: without it nobody would
    find the line."""
    styles = {hint.path: FileStyle.SUGGESTED for hint in hints}
    styles |= {hint.path: FileStyle(hint.style) for hint in hints if hint.type == HintType.FILE}
    return [
        FileHint(path=path, style=style, directories=_folders(path) or None)
        for path, style in styles.items()
    ]


def _regions(hints: Sequence[PhaseHint]) -> list[Decorations]:
    """The lines' surroundings, without words; regions that overlap are one."""
    by_path: dict[str, list[Decoration]] = defaultdict(list)
    for hint in _at_lines(hints):
        start, end = _lines(hint)
        region = Decoration(
            start=max(1, start - AROUND), end=end + AROUND, style=LineStyle(hint.style)
        )
        by_path[hint.path].append(region)
    return [Decorations(path=path, decorations=_merged(found)) for path, found in by_path.items()]


def _highlights(hints: Sequence[PhaseHint]) -> list[HighlightLines]:
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


def _hovers(hints: Sequence[PhaseHint], path: str) -> list[HoverHint]:
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
