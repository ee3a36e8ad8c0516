"""Four axes on which an answer is checked against the paragraphs that it cites.

Entity grounding: are the things it names in its sources? Citation accuracy: does each cited
paragraph say what is claimed? Relation preservation: are the paragraphs related as it says?
Contradiction: do its sources and claims agree with each other? Here references become texts.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.readers.choice import claim_reader
from bottega.core.services import Core
from bottega.core.text.words import sentences
from bottega.library.documents import repository
from bottega.library.documents.tables import Library
from bottega.library.parsers.citations import references_in
from bottega.library.parsers.references import LABEL, normalise_ref
from bottega.library.search.service import LibrarySearch
from bottega.library.verify.citations import Cited, find_cited, get_cited
from bottega.library.verify.claims import CitedClaim, ClaimJudge, Opinion, Terms
from bottega.library.verify.contradictions import find_contradictions
from bottega.library.verify.entities import verify_entities
from bottega.library.verify.relations import ENOUGH, StoredEdge, verify_relation
from bottega.library.verify.schemas import (
    CheckedClaim,
    Citation,
    CitationDetail,
    CitationReport,
    Relation,
    Report,
    TextReport,
)
from bottega.library.verify.verdicts import ErrorCategory

#: The least share of supported claims that passes.
CITATION_ACCURACY = 0.75


class Verification:
    def __init__(self, core: Core) -> None:
        self._database = core.database
        self._judge = ClaimJudge(claim_reader(), core.gateway)

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
        return Report.of(await asyncio.to_thread(verify_entities, entities, texts, terms=terms))

    async def contradictions(
        self, library: Library, paragraphs: Sequence[str], claims: Sequence[str] = ()
    ) -> Report:
        async with self._database.read() as session:
            found = await get_cited(session, library, paragraphs)
        texts = {cited.paragraph.ref: cited.in_full for cited in found}
        return Report.of(await asyncio.to_thread(find_contradictions, texts, claims))

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
        self, relation: Relation, source: Cited | None, target: Cited | None, edges: set[StoredEdge]
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
        )
        return result.details[0]


def _detail(citation: Citation, cited: Cited | None, opinion: Opinion | None) -> CitationDetail:
    detail = CitationDetail(cited=citation.cited, claim=citation.claim)
    if missing := _missing(citation.cited, cited):
        detail = detail.model_copy(update=missing)
    if cited is None:
        return detail
    part = cited.parts[opinion.place if opinion else 0]
    place = {"paragraph_id": part.id, "paragraph_ref": part.ref, "source_text": part.quoted}
    if opinion is None:
        return detail.model_copy(update=place)
    error = None if opinion.supports_claim else ErrorCategory.CONTENT_MISMATCH
    judged = {"exists": True, "error_category": error, **asdict(opinion)}
    return detail.model_copy(
        update=place
        | {name: judged[name] for name in judged if name in CitationDetail.model_fields}
    )


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


async def _edges(session: AsyncSession, there: Mapping[str, Cited]) -> set[StoredEdge]:
    """Those between these paragraphs."""
    return {
        StoredEdge(
            there[edge.source_id].paragraph.ref, there[edge.target_id].paragraph.ref, edge.kind
        )
        for edge in await repository.edges_from(session, there)
        if edge.target_id in there
    }


#: Beyond, a text is told to have been cut.
MAX_CLAIMS = 100
#: Paragraphs that a sentence without a reference is held against.
NEAREST = 3

_REF = r"[A-Z]?\d{1,4}(?:\.A?\d{1,3})*(?:\(\w{1,4}\))*"
#: A reference in brackets is no part of what is said: "(see paragraph 210.1)", "[210.2(a), 210.3]".
_BRACKETED = re.compile(
    rf"\s*[\[(](?:see\s+)?(?:{LABEL}\s*)?{_REF}(?:\s*(?:,|;|and)\s*{_REF})*[\])]", re.IGNORECASE
)


class TextVerification:
    """Checks a whole text against a library, sentence by sentence.

    A sentence that cites is checked against what it cites. One that does not is checked against the
    paragraphs that are nearest to it: whether anything in the library bears it out.
    """

    def __init__(self, core: Core, search: LibrarySearch, axes: Verification) -> None:
        self._database = core.database
        self._search = search
        self._axes = axes

    async def verify(self, library: Library, text: str) -> TextReport:
        async with self._database.read() as session:
            numbers = await repository.numbers(session, library.id)
        found = [each for each in sentences(text) if re.search(r"\w", each)]
        claims = [await self._check(library, each, numbers) for each in found[:MAX_CLAIMS]]
        supported = sum(bool(claim.best and claim.best.supports_claim) for claim in claims)
        return TextReport(claims=claims, supported=supported, cut=len(found) > MAX_CLAIMS)

    async def _check(self, library: Library, sentence: str, numbers: set[str]) -> CheckedClaim:
        cites = sorted(references_in(sentence, numbers) - {normalise_ref(sentence)})
        claim = _BRACKETED.sub("", sentence)
        held_against = cites or await self._nearest(library, claim)
        best = await self._best(library, claim, held_against) if held_against else None
        return CheckedClaim(sentence=sentence, cites=cites, best=best)

    async def _nearest(self, library: Library, claim: str) -> list[str]:
        found = await self._search.search(library, claim[:2_000], max_results=NEAREST)
        return [hit.paragraph.ref for hit in found.hits]

    async def _best(self, library: Library, claim: str, refs: Sequence[str]) -> CitationDetail:
        citations = [Citation(paragraph_ref=ref, claim=claim[:5_000]) for ref in refs]
        report = await self._axes.citations(library, citations)
        return max(report.details, key=lambda detail: (detail.supports_claim, detail.score))
