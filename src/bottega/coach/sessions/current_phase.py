"""The phase that a learner is in, as those who explain and review are told of it."""

from bottega.coach.explaining.selection import CurrentPhase
from bottega.coach.repository import plans
from bottega.coach.tables import Phase
from bottega.core.database import Database


async def active_phase(database: Database, session_id: str | None) -> Phase | None:
    """None without a session, without a plan, and between phases."""
    if session_id is None:
        return None
    async with database.read() as session:
        return await plans.active_phase(session, session_id)


def current(phase: Phase | None) -> CurrentPhase | None:
    if phase is None:
        return None
    return CurrentPhase(phase.number, phase.title, phase.description, tuple(phase.expected_files))
