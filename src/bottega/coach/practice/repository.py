"""Queries over katas and their attempts. They take a transaction's session and never commit."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.practice.tables import KataSpec
from bottega.coach.skills.tables import KnowledgeGap


async def add_kata(
    session: AsyncSession,
    knowledge_gap_id: str,
    *,
    title: str,
    description: str,
    scaffolding_code: str,
    instructor_notes: str = "",
    test_cases: Sequence[str] = (),
    constraints: Sequence[dict[str, Any]] = (),
    slug: str | None = None,
) -> KataSpec:
    row = KataSpec(
        knowledge_gap_id=knowledge_gap_id,
        title=title,
        description=description,
        scaffolding_code=scaffolding_code,
        instructor_notes=instructor_notes,
        test_cases=list(test_cases),
        constraints=list(constraints),
        user_attempts=[],
        slug=slug,
    )
    session.add(row)
    await session.flush()
    return row


async def kata(
    session: AsyncSession, kata_id: str, user_id: str
) -> tuple[KataSpec, KnowledgeGap] | None:
    """A kata of this user's with the gap that it is for."""
    query = (
        select(KataSpec, KnowledgeGap)
        .join(KnowledgeGap, KataSpec.knowledge_gap_id == KnowledgeGap.id)
        .where(KataSpec.id == kata_id, KnowledgeGap.user_id == user_id)
    )
    row = (await session.execute(query)).first()
    return None if row is None else (row[0], row[1])


async def katas(session: AsyncSession, user_id: str) -> Sequence[tuple[KataSpec, KnowledgeGap]]:
    """Newest first, each with the gap that it is for."""
    query = (
        select(KataSpec, KnowledgeGap)
        .join(KnowledgeGap, KataSpec.knowledge_gap_id == KnowledgeGap.id)
        .where(KnowledgeGap.user_id == user_id)
        .order_by(KataSpec.created_at.desc(), KataSpec.id)
    )
    return [(row[0], row[1]) for row in (await session.execute(query)).all()]


async def append_attempt(session: AsyncSession, kata_id: str, attempt: dict[str, Any]) -> KataSpec:
    """FR-157. Two at once both stay: the row is held until the transaction ends (EC-79)."""
    query = select(KataSpec).where(KataSpec.id == kata_id).with_for_update()
    row = (await session.scalars(query)).one()
    row.user_attempts = [*row.user_attempts, attempt]
    await session.flush()
    return row


def best_level(kata: KataSpec) -> int | None:
    levels = [attempt["level"] for attempt in kata.user_attempts if attempt.get("level")]
    return max(levels, default=None)


def is_solved(kata: KataSpec) -> bool:
    return any(attempt.get("passed") for attempt in kata.user_attempts)
