"""Assessments, knowledge gaps and katas: what a learner can do, cannot do yet, and practises."""

from collections.abc import Sequence

from sqlalchemy import case, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.enums import Severity, Stage
from bottega.coach.skills.tables import DreyfusAssessment, KnowledgeGap
from bottega.core import clock

#: Severe first.
SEVERITY = case(
    {severity.value: severity.rank for severity in Severity}, value=KnowledgeGap.severity
).desc()


async def assess(
    session: AsyncSession,
    user_id: str,
    skill_area: str,
    stage: Stage,
    confidence: float,
    evidence: str,
    recommendation: str = "",
) -> DreyfusAssessment:
    """The user's one assessment of a skill, made or overwritten (FR-121)."""
    same = (
        select(DreyfusAssessment)
        .where(DreyfusAssessment.user_id == user_id)
        .where(func.lower(DreyfusAssessment.skill_area) == skill_area.lower())
    )
    row = await session.scalar(same)
    if row is None:
        row = DreyfusAssessment(user_id=user_id, skill_area=skill_area)
        session.add(row)
    row.stage, row.confidence = stage, confidence
    row.evidence, row.recommendation = evidence, recommendation
    row.assessed_at = clock.now()
    await session.flush()
    return row


async def assessments(session: AsyncSession, user_id: str) -> Sequence[DreyfusAssessment]:
    """Most recent first."""
    query = (
        select(DreyfusAssessment)
        .where(DreyfusAssessment.user_id == user_id)
        .order_by(DreyfusAssessment.assessed_at.desc(), DreyfusAssessment.skill_area)
    )
    return (await session.scalars(query)).all()


async def record_gap(
    session: AsyncSession,
    user_id: str,
    session_id: str,
    topic: str,
    severity: Severity,
    evidence: str,
    related_concepts: Sequence[str] = (),
) -> tuple[KnowledgeGap, bool]:
    """A gap seen in a session, and whether it is new. One met before gains frequency."""
    same = (
        select(KnowledgeGap)
        .where(KnowledgeGap.user_id == user_id)
        .where(func.lower(KnowledgeGap.topic) == topic.lower())
        .limit(1)
    )
    row = await session.scalar(same)
    new = row is None
    if row is None:
        row = KnowledgeGap(user_id=user_id, session_id=session_id, topic=topic)
        session.add(row)
    else:
        row.frequency += 1
    row.severity, row.evidence = severity, evidence
    row.related_concepts = sorted({*(row.related_concepts or ()), *related_concepts})
    row.last_encountered_at = clock.now()
    row.addressed = False
    await session.flush()
    return row, new


async def address_gap(session: AsyncSession, gap_id: str) -> KnowledgeGap | None:
    row = await session.get(KnowledgeGap, gap_id)
    if row is not None:
        row.addressed = True
        await session.flush()
    return row


async def gaps(
    session: AsyncSession,
    user_id: str,
    *,
    addressed: bool | None = None,
    session_id: str | None = None,
    limit: int | None = None,
) -> Sequence[KnowledgeGap]:
    """Severe first, then frequent, then recent (FR-175)."""
    query = select(KnowledgeGap).where(KnowledgeGap.user_id == user_id)
    if addressed is not None:
        query = query.where(KnowledgeGap.addressed.is_(addressed))
    if session_id is not None:
        query = query.where(KnowledgeGap.session_id == session_id)
    ordered = query.order_by(
        SEVERITY,
        KnowledgeGap.frequency.desc(),
        KnowledgeGap.last_encountered_at.desc(),
        KnowledgeGap.id,
    )
    return (await session.scalars(ordered.limit(limit))).all()
