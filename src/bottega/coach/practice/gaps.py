"""Knowledge gaps as their learner sees them. Whether one is closed, the learner may say too."""

from datetime import datetime

from bottega.coach.desk.desk import Desk
from bottega.coach.enums import Severity
from bottega.coach.repository import learning
from bottega.coach.tables import KnowledgeGap
from bottega.core.database import Database
from bottega.core.wire import Wired
from bottega.errors import NotFound


class GapView(Wired):
    id: str
    topic: str
    severity: Severity
    evidence: str
    related_concepts: list[str]
    frequency: int
    last_encountered_at: datetime
    addressed: bool


class Gaps:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, desk: Desk, addressed: bool | None = None) -> list[GapView]:
        """Severe first; all of them, or only those that are (not) addressed."""
        async with self._database.read() as session:
            rows = await learning.gaps(session, desk.user_id, addressed=addressed)
        return [_view(row) for row in rows]

    async def mark(self, desk: Desk, gap_id: str, addressed: bool) -> GapView:
        async with self._database.write() as session:
            for row in await learning.gaps(session, desk.user_id):
                if row.id == gap_id:
                    row.addressed = addressed
                    return _view(row)
        raise NotFound(f"There is no knowledge gap {gap_id!r}; `GET /api/coach/gaps` lists them.")


def _view(row: KnowledgeGap) -> GapView:
    return GapView(
        id=row.id,
        topic=row.topic,
        severity=Severity(row.severity),
        evidence=row.evidence,
        related_concepts=row.related_concepts,
        frequency=row.frequency,
        last_encountered_at=row.last_encountered_at,
        addressed=row.addressed,
    )
