"""Hints: how closely the windows point at where the active phase's work is.

The level is the person's own choice for the session, else the active phase's, else `file`. Each
level sends other messages: `none` nothing, `file` the files, `region` also the surroundings of the
lines, `line` the lines themselves with words on hover.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.enums import HintLevel, ProgressType
from bottega.coach.protocol.files import (
    ClearDecorations,
    ClearHighlights,
    ClearHints,
    Decorations,
    FileHint,
    HighlightLines,
    HintFiles,
    LevelChange,
)
from bottega.coach.repository import plans
from bottega.coach.sessions import pointing
from bottega.coach.sessions.facts import choose_level, facts_of
from bottega.coach.tables import Phase, PhaseHint
from bottega.core.actions import ActionType
from bottega.core.services import Core
from bottega.core.sessions import find


@dataclass(frozen=True, slots=True)
class Shown:
    """What the active phase's hints show at one level."""

    files: list[FileHint] = field(default_factory=list)
    regions: list[Decorations] = field(default_factory=list)
    highlights: list[HighlightLines] = field(default_factory=list)


class Hints:
    def __init__(self, core: Core, voice: Voice) -> None:
        self._core = core
        self._voice = voice

    async def level(self, desk: Desk) -> HintLevel:
        if desk.session_id is None:
            return HintLevel.FILE
        async with self._core.database.read() as session:
            phase = await plans.active_phase(session, desk.session_id)
            return await level_at(session, desk.session_id, phase)

    async def set_level(self, desk: Desk, change: LevelChange) -> None:
        """The person moved the slider. What it was before we know better than the window does."""
        session_id = desk.require_session()
        previous = await self.level(desk)
        await choose_level(self._core.database, session_id, desk.user_id, change.level)
        await self._core.actions.log_action(
            session_id,
            ActionType.HINT_LEVEL_CHANGE,
            {"level": change.level, "previousLevel": previous},
        )
        if change.level.rank < previous.rank:
            self.clear(desk)
        elif change.level.rank > previous.rank:
            await self._escalated(session_id, previous, change.level)
            if previous is HintLevel.REGION:
                self._voice.say(desk, ClearDecorations())
        if change.level is not previous:
            await self.show(desk)

    async def shown(self, desk: Desk) -> Shown:
        """What the active phase's hints allow at the current level."""
        level, _, hints = await self._at_hand(desk)
        if level is HintLevel.NONE:
            return Shown()
        return Shown(
            pointing.files(hints),
            pointing.regions(hints) if level is HintLevel.REGION else [],
            pointing.highlights(hints) if level is HintLevel.LINE else [],
        )

    async def show(self, desk: Desk) -> None:
        """Send it to the windows."""
        shown = await self.shown(desk)
        if shown.files:
            await self._show_files(desk, shown.files)
            await self._show_lines(desk, shown.regions or shown.highlights)

    def clear(self, desk: Desk) -> None:
        """Everything that points, an agent's too: the windows are as the desk says."""
        desk.highlights.clear()
        self._voice.say(desk, ClearHints(), ClearDecorations(), ClearHighlights())

    async def file_opened(self, desk: Desk, path: str) -> None:
        level, phase, hints = await self._at_hand(desk)
        if phase is None or level is HintLevel.NONE:
            return
        if any(hint.path == path for hint in hints):
            await self._used(phase.id, path)
        if level is HintLevel.LINE:
            self._voice.say(desk, *pointing.hovers(hints, path))

    async def _at_hand(self, desk: Desk) -> tuple[HintLevel, Phase | None, Sequence[PhaseHint]]:
        if desk.session_id is None:
            return HintLevel.FILE, None, ()
        async with self._core.database.read() as session:
            phase = await plans.active_phase(session, desk.session_id)
            level = await level_at(session, desk.session_id, phase)
            return level, phase, await plans.hints_of(session, phase.id) if phase else ()

    async def _show_files(self, desk: Desk, files: list[FileHint]) -> None:
        self._voice.say(desk, HintFiles(hints=files))
        paths = [hint.path for hint in files]
        await self._core.actions.log_action(
            desk.session_id, ActionType.FILE_HINTS_APPLIED, {"paths": paths}
        )

    async def _show_lines(
        self, desk: Desk, shown: Sequence[Decorations] | Sequence[HighlightLines]
    ) -> None:
        counts: dict[str, int] = {}
        for message in shown:
            self._voice.say(desk, message)
            several = len(message.decorations) if isinstance(message, Decorations) else 1
            counts[message.path] = counts.get(message.path, 0) + several
        for path, count in counts.items():
            await self._core.actions.log_action(
                desk.session_id, ActionType.DECORATIONS_APPLIED, {"path": path, "count": count}
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
