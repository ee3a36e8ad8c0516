"""Gaps, katas and assessments, stored as they belong together."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.plans.plan_text import title_of
from bottega.coach.practice import repository as kata_records
from bottega.coach.practice.catalogue import CatalogueKata, by_slug
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.tables import DreyfusAssessment, KnowledgeGap
from bottega.coach.word_index import stems
from bottega.coach.wrapup.assessment import SkillAssessment
from bottega.coach.wrapup.evidence import SessionEvidence
from bottega.coach.wrapup.gaps import GapExtraction, KataWritten, mastered
from bottega.errors import NotFound

#: The levels at which a kata's constraints open up lie between these.
FIRST_LEVEL, LAST_LEVEL = 1, 8

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class StoredGaps:
    #: All that the session showed.
    gaps: Sequence[KnowledgeGap] = ()
    new: int = 0
    katas: int = 0


async def store_gaps(
    session: AsyncSession,
    user_id: str,
    session_id: str,
    found: GapExtraction,
    evidence: SessionEvidence,
) -> StoredGaps:
    """FR-119. A gap met again gains frequency; one that the session shows closed is addressed."""
    before = await skill_records.gaps(session, user_id, addressed=False)
    gaps: dict[str, KnowledgeGap] = {}
    new = 0
    for gap in found.knowledge_gaps:
        if gap.topic.strip().lower() in gaps:
            continue
        row, is_new = await skill_records.record_gap(
            session,
            user_id,
            session_id,
            gap.topic.strip(),
            gap.severity,
            gap.evidence,
            gap.related_concepts,
        )
        gaps[gap.topic.strip().lower()] = row
        new += is_new
    for gap_row in mastered(before, evidence, {row.id for row in gaps.values()}):
        await skill_records.address_gap(session, gap_row.id)
    met = list(gaps.values())
    katas = [await _store_kata(session, kata, met) for kata in found.kata_specs]
    return StoredGaps(met, new, sum(katas))


async def store_assessments(
    session: AsyncSession, user_id: str, found: Sequence[SkillAssessment]
) -> int:
    """FR-121: how many changed. One that says what is known already is no update (EC-59)."""
    known = {
        row.skill_area.lower(): row for row in await skill_records.assessments(session, user_id)
    }
    changed = [one for one in found if not _is_known(one, known.get(one.skill_area.lower()))]
    for one in changed:
        await skill_records.assess(
            session,
            user_id,
            one.skill_area,
            one.stage,
            one.confidence,
            one.evidence,
            one.recommendation,
        )
    return len(changed)


def _is_known(found: SkillAssessment, row: DreyfusAssessment | None) -> bool:
    return row is not None and (row.stage, row.confidence) == (found.stage, found.confidence)


async def _store_kata(
    session: AsyncSession, kata: KataWritten, gaps: Sequence[KnowledgeGap]
) -> bool:
    gap = _gap_for(kata, gaps)
    if gap is None:
        log.warning("coach.kata_without_gap", kata=kata.title)
        return False
    shelved = _from_catalogue(kata.catalogue_slug)
    if shelved is not None:
        fields = shelved.spec_fields()
    elif kata.description.strip():
        fields = _written_fields(kata)
    else:
        log.warning("coach.kata_without_task", kata=kata.title, slug=kata.catalogue_slug)
        return False
    await kata_records.add_kata(session, gap.id, **fields)
    return True


def _gap_for(kata: KataWritten, gaps: Sequence[KnowledgeGap]) -> KnowledgeGap | None:
    """The one whose topic has the most words in common with the kata's; else the first."""
    words = stems(kata.gap_topic) or stems(kata.title, kata.description)
    # `max` keeps the first of equals.
    return max(gaps, key=lambda gap: len(words & stems(gap.topic)), default=None)


def _from_catalogue(slug: str | None) -> CatalogueKata | None:
    try:
        return by_slug(slug) if slug else None
    except NotFound:
        return None


def _written_fields(kata: KataWritten) -> dict[str, Any]:
    return {
        "title": kata.title.strip() or title_of(kata.description),
        "description": kata.description,
        "scaffolding_code": kata.scaffolding_code,
        "instructor_notes": kata.instructor_notes,
        "test_cases": [case for case in kata.test_cases if _is_python(case)],
        "constraints": spread_constraints(kata.constraints, kata.follow_up_constraint),
    }


def spread_constraints(said: Sequence[str], follow_up: str | None) -> list[dict[str, Any]]:
    """Sentences become constraints that open up one after the other, the follow-up last."""
    texts = dict.fromkeys(" ".join(text.split()) for text in (*said, follow_up or ""))
    texts.pop("", None)
    if follow_up and (last := " ".join(follow_up.split())):
        texts[last] = texts.pop(last)
    steps = max(len(texts) - 1, 1)
    titles: set[str] = set()
    constraints = []
    for place, text in enumerate(texts):
        title = title_of(text)
        # Learners choose constraints by their titles.
        title = title if title not in titles else f"{title} ({place + 1})"
        titles.add(title)
        level = FIRST_LEVEL + place * (LAST_LEVEL - FIRST_LEVEL) // steps
        constraints.append({"title": title, "description": text, "minLevel": level})
    return constraints


def _is_python(case: str) -> bool:
    """A test case that cannot run would fail every solution."""
    try:
        return bool(ast.parse(case).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        log.warning("coach.test_case_dropped", case=case[:80])
        return False
