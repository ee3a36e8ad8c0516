"""How far a learner has come, as the rest of the coach asks for it."""

import re
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.editor.state import EditorState
from bottega.coach.enums import Stage
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.schemas import DreyfusRadar, GapView, SkillPoint
from bottega.coach.skills.tables import DreyfusAssessment, KnowledgeGap
from bottega.core.db.database import Database
from bottega.errors import NotFound


class Skills:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self, user_id: str) -> Sequence[DreyfusAssessment]:
        """Most recent first."""
        async with self._database.read() as session:
            return await skill_records.assessments(session, user_id)

    async def radar(self, user_id: str) -> DreyfusRadar:
        return radar(await self.all(user_id))

    async def stage(self, user_id: str, *topics: str) -> Stage:
        """See `stage_for`."""
        async with self._database.read() as session:
            return await stage_for(session, user_id, *topics)


async def stage_for(session: AsyncSession, user_id: str, *topics: str) -> Stage:
    """The stage in the skill that is nearest to these topics.

    Without a skill that has a word in common it is the one assessed last, and without any the
    learner is a novice (FR-138).
    """
    known = await skill_records.assessments(session, user_id)
    if not known:
        return Stage.NOVICE
    wanted = _words(*topics)
    nearest = max(known, key=lambda row: len(wanted & _words(row.skill_area)))
    return Stage(nearest.stage)


def _words(*texts: str) -> set[str]:
    return {word for text in texts for word in re.findall(r"\w+", text.lower())}


def radar(known: Sequence[DreyfusAssessment]) -> DreyfusRadar:
    """`dashboard:dreyfus`: a skill's score is its stage and, within it, how sure that is."""
    points = [
        SkillPoint(
            name=row.skill_area,
            stage=Stage(row.stage),
            score=round((Stage(row.stage).rank + row.confidence) / len(Stage), 3),
        )
        for row in sorted(known, key=lambda row: row.skill_area.lower())
    ]
    return DreyfusRadar(skill_areas=points, overall_stage=_overall(known))


def _overall(known: Sequence[DreyfusAssessment]) -> Stage:
    """The mean stage, in which sure assessments weigh more."""
    weight = sum(row.confidence for row in known)
    if not weight:
        return Stage.NOVICE
    mean = sum(Stage(row.stage).rank * row.confidence for row in known) / weight
    return tuple(Stage)[round(mean)]


class Gaps:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, editor: EditorState, addressed: bool | None = None) -> list[GapView]:
        """Severe first; all of them, or only those that are (not) addressed."""
        async with self._database.read() as session:
            rows = await skill_records.gaps(session, editor.user_id, addressed=addressed)
        return [_view(row) for row in rows]

    async def mark(self, editor: EditorState, gap_id: str, addressed: bool) -> GapView:
        async with self._database.write() as session:
            for row in await skill_records.gaps(session, editor.user_id):
                if row.id == gap_id:
                    row.addressed = addressed
                    return _view(row)
        raise NotFound(f"There is no knowledge gap {gap_id!r}; `GET /api/coach/gaps` lists them.")


def _view(row: KnowledgeGap) -> GapView:
    return GapView.model_validate(row, from_attributes=True)
