"""How far a learner has come, as the rest of the coach asks for it."""

import re
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.protocol.dashboard import DreyfusRadar, SkillPoint
from bottega.coach.repository import learning
from bottega.coach.stages import Stage
from bottega.coach.tables import DreyfusAssessment
from bottega.core.database import Database


class Skills:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self, user_id: str) -> Sequence[DreyfusAssessment]:
        """Most recent first."""
        async with self._database.read() as session:
            return await learning.assessments(session, user_id)

    async def stage(self, user_id: str, *topics: str) -> Stage:
        """See `stage_for`."""
        async with self._database.read() as session:
            return await stage_for(session, user_id, *topics)


async def stage_for(session: AsyncSession, user_id: str, *topics: str) -> Stage:
    """The stage in the skill that is nearest to these topics.

    Without a skill that has a word in common it is the one assessed last, and without any the
    learner is a novice (FR-138).
    """
    known = await learning.assessments(session, user_id)
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
