"""How someone fared in each skill, over their last sessions."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.file_roles import language_name
from bottega.coach.wrapup.evidence import PhaseEvidence, SessionEvidence, gather
from bottega.core.sessions.session import Session, SessionKind, SessionStatus

#: What was shown longer ago says little about today.
SESSIONS = 11
#: Of fewer phases no trend can be told.
FEWEST_FOR_TREND = 4
#: By how much help a phase the halves must differ.
NOTICEABLE = 0.5


class Trend(StrEnum):
    FALLING = "falling"
    STEADY = "steady"
    RISING = "rising"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SkillEvidence:
    skill_area: str
    sessions: int
    phases: int
    completed: int
    independent: int
    #: Close hints, escalations and explanations.
    help_taken: int
    hint_trend: Trend
    #: Whether the newest session had to do with it.
    recent: bool

    @property
    def completion_rate(self) -> float:
        return round(self.completed / self.phases, 2)

    @property
    def independence(self) -> float:
        """The share of completed phases that went without help."""
        return round(self.independent / self.completed, 2) if self.completed else 0.0


async def earlier_sessions(session: AsyncSession, than: Session) -> list[SessionEvidence]:
    """The same person's last ones before it, in any project, newest first."""
    query = (
        select(Session)
        .where(Session.user_id == than.user_id, Session.kind == SessionKind.COACHING)
        .where(Session.id != than.id, Session.started_at <= than.started_at)
        .order_by(Session.started_at.desc(), Session.id.desc())
        .limit(SESSIONS)
    )
    rows = (await session.scalars(query)).all()
    return [_finished(row, await gather(session, row)) for row in rows]


def skills_shown(newest_first: Sequence[SessionEvidence]) -> list[SkillEvidence]:
    """By language and by what phases were a chance to learn, in the order of their names."""
    seen: defaultdict[str, list[tuple[int, PhaseEvidence]]] = defaultdict(list)
    names: dict[str, str] = {}
    for age, evidence in reversed(list(enumerate(newest_first))):
        for phase in evidence.worked:
            for area in areas_of(phase):
                names.setdefault(area.lower(), area)
                seen[area.lower()].append((age, phase))
    return [_sum_up(names[key], seen[key]) for key in sorted(seen)]


def areas_of(phase: PhaseEvidence) -> list[str]:
    languages = filter(None, map(language_name, phase.files))
    return list(dict.fromkeys([*languages, *phase.opportunities]))


def _finished(row: Session, evidence: SessionEvidence) -> SessionEvidence:
    """An abandoned session's open phase was not failed; it may have been taken up elsewhere."""
    if row.status != SessionStatus.ABANDONED:
        return evidence
    done = [phase for phase in evidence.phases if phase.complete]
    return SessionEvidence(done, evidence.phases_total, evidence.minutes, evidence.active)


def _sum_up(area: str, oldest_first: Sequence[tuple[int, PhaseEvidence]]) -> SkillEvidence:
    phases = [phase for _, phase in oldest_first]
    ages = {age for age, _ in oldest_first}
    return SkillEvidence(
        skill_area=area,
        sessions=len(ages),
        phases=len(phases),
        completed=sum(phase.complete for phase in phases),
        independent=sum(phase.independent for phase in phases),
        help_taken=sum(phase.help_taken for phase in phases),
        hint_trend=_trend(phases),
        recent=0 in ages,
    )


def _trend(oldest_first: Sequence[PhaseEvidence]) -> Trend:
    if len(oldest_first) < FEWEST_FOR_TREND:
        return Trend.UNKNOWN
    half = len(oldest_first) // 2
    change = _mean_help(oldest_first[half:]) - _mean_help(oldest_first[:half])
    if abs(change) < NOTICEABLE:
        return Trend.STEADY
    return Trend.RISING if change > 0 else Trend.FALLING


def _mean_help(phases: Iterable[PhaseEvidence]) -> float:
    taken = [phase.help_taken for phase in phases]
    return sum(taken) / len(taken)
