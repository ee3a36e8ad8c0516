"""Four axes on which an answer is checked against the paragraphs that it cites.

Entity grounding: are the things it names in its sources? Citation accuracy: does each cited
paragraph say what is claimed? Relation preservation: are the paragraphs related as it says?
Contradiction: do its sources and claims agree with each other? The rules are in `judging`; here
references become texts.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.services import Core
from bottega.library import repository
from bottega.library.judging.relations import ENOUGH, Edge, verify_relation
from bottega.library.judging.verdicts import ErrorCategory
from bottega.library.tables import Library
from bottega.library.tool_arguments import Citation, Relation
from bottega.library.verifying.citing import Cited, find_cited, get_cited
from bottega.library.verifying.claim_judge import (
    CitedClaim,
    ClaimJudge,
    Opinion,
    Terms,
    blocking_embed,
)
from bottega.library.verifying.verified import CitationDetail, CitationReport, Report

#: The least share of supported claims that passes.
CITATION_ACCURACY = 0.75


class Verification:
    def __init__(self, core: Core) -> None:
        self._database = core.database
        self._embedder = core.embedder
        self._judge = ClaimJudge(core.embedder, core.gateway, entailment=core.choices.entailment)

    async def citations(self, library: Library, citations: Sequence[Citation]) -> CitationReport:
        async with self._database.read() as session:
            found = [await find_cited(session, library, each.cited) for each in citations]
            terms = await _terms(session, library)
        judged = [
            CitedClaim(citation.claim, cited)
            for citation, cited in zip(citations, found, strict=True)
            if cited is not None and cited.is_there
        ]
        opinions = iter(await self._judge.judge(judged, terms))
        details = [
            _detail(citation, cited, next(opinions) if cited and cited.is_there else None)
            for citation, cited in zip(citations, found, strict=True)
        ]
        score = sum(detail.supports_claim for detail in details) / len(details)
        return CitationReport(score=score, passed=score >= CITATION_ACCURACY, details=details)

    async def entities(
        self, library: Library, entities: Sequence[str], sources: Sequence[str]
    ) -> Report:
        async with self._database.read() as session:
            texts = [cited.in_full for cited in await get_cited(session, library, sources)]
            terms = await _terms(session, library)
        # Here and below: what judges is large, and loaded when there is something to judge.
        from bottega.library.judging.entities import verify_entities

        return Report.of(await asyncio.to_thread(verify_entities, entities, texts, terms=terms))

    async def contradictions(
        self, library: Library, paragraphs: Sequence[str], claims: Sequence[str] = ()
    ) -> Report:
        async with self._database.read() as session:
            found = await get_cited(session, library, paragraphs)
        from bottega.library.judging.contradictions import find_contradictions

        texts = {cited.paragraph.ref: cited.in_full for cited in found}
        result = await asyncio.to_thread(
            find_contradictions, texts, claims, embed=blocking_embed(self._embedder)
        )
        return Report.of(result)

    async def relations(self, library: Library, relations: Sequence[Relation]) -> Report:
        async with self._database.read() as session:
            pairs = [
                (
                    await find_cited(session, library, each.source_paragraph),
                    await find_cited(session, library, each.target_paragraph),
                )
                for each in relations
            ]
            there = {cited.paragraph.id: cited for pair in pairs for cited in pair if cited}
            edges = await _edges(session, there)
        details = [
            await self._check_relation(relation, source, target, edges)
            for relation, (source, target) in zip(relations, pairs, strict=True)
        ]
        score = sum(bool(detail["holds"]) for detail in details) / len(details)
        return Report(score=round(score, 3), passed=score >= ENOUGH, details=details)

    async def _check_relation(
        self, relation: Relation, source: Cited | None, target: Cited | None, edges: set[Edge]
    ) -> dict[str, Any]:
        for written, cited in (
            (relation.source_paragraph, source),
            (relation.target_paragraph, target),
        ):
            if missing := _missing(written, cited):
                return {
                    "source": relation.source_paragraph,
                    "target": relation.target_paragraph,
                    "relation_type": relation.relation_type,
                    "holds": False,
                    "evidence": None,
                    "reason": missing["reasons"][0],
                    "error_category": missing["error_category"],
                }
        assert source is not None
        assert target is not None
        result = await asyncio.to_thread(
            verify_relation,
            source.paragraph.ref,
            target.paragraph.ref,
            relation.relation_type,
            edges,
            texts={cited.paragraph.ref: cited.in_full for cited in (source, target)},
            embed=blocking_embed(self._embedder),
        )
        return result.details[0]


def _detail(citation: Citation, cited: Cited | None, opinion: Opinion | None) -> CitationDetail:
    detail = CitationDetail(cited=citation.cited, claim=citation.claim)
    if missing := _missing(citation.cited, cited):
        detail = detail.model_copy(update=missing)
    if cited is None:
        return detail
    place = {
        "paragraph_id": cited.paragraph.id,
        "paragraph_ref": cited.paragraph.ref,
        "source_text": cited.quoted,
    }
    if opinion is None:
        return detail.model_copy(update=place)
    error = None if opinion.supports_claim else ErrorCategory.CONTENT_MISMATCH
    judged = {"exists": True, "error_category": error, **asdict(opinion)}
    return detail.model_copy(update=place | judged)


def _missing(written: str, cited: Cited | None) -> dict[str, Any] | None:
    """What is wrong with a reference that is not there."""
    if cited is None:
        reason = f"this library has no {written!r}"
        return {"error_category": ErrorCategory.NOT_FOUND, "reasons": [reason]}
    if not cited.is_there:
        reason = f"there is {cited.paragraph.ref}, but no {written!r}"
        return {"error_category": ErrorCategory.SUB_PARA_NOT_FOUND, "reasons": [reason]}
    return None


async def _terms(session: AsyncSession, library: Library) -> Terms:
    return {row.term: row.definition for row in await repository.terms(session, library.id)}


async def _edges(session: AsyncSession, there: Mapping[str, Cited]) -> set[Edge]:
    """Those between these paragraphs."""
    return {
        Edge(there[edge.source_id].paragraph.ref, there[edge.target_id].paragraph.ref, edge.kind)
        for edge in await repository.edges_from(session, there)
        if edge.target_id in there
    }
