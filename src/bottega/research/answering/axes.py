"""How an answer does on the four axes, each measured by the library as a call of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bottega.library.service import LibraryService, Relation, Report
from bottega.research.answering.entities import find_entities
from bottega.research.answering.feedback import about_contradiction, about_entity, about_relation
from bottega.research.answering.framing import is_framing
from bottega.research.pipeline.outputs import (
    ClaimedRelation,
    JudgedClaim,
    VerificationScores,
)
from bottega.research.pipeline.stage import StageContext

#: Things that are compared one with every other; more would take minutes.
MOST_COMPARED = 50
MOST_ENTITIES = 200
#: What the library takes.
LONGEST_NAME, LONGEST_RELATION = 500, 50


@dataclass(frozen=True, slots=True)
class Measured:
    scores: VerificationScores
    #: On the axes beside citation accuracy.
    failures: list[str]


async def measure(
    libraries: LibraryService,
    context: StageContext,
    claims: Sequence[JudgedClaim],
    entities: Sequence[str],
    relations: Sequence[ClaimedRelation],
) -> Measured:
    cited = [judged.claim for judged in claims if judged.claim.citations and not judged.invented]
    refs = list(dict.fromkeys(ref for claim in cited for ref in claim.citations))
    texts = list(dict.fromkeys(claim.text for claim in cited))
    named = [*entities, *find_entities(texts)]
    grounding = await _entities(libraries, context, named, refs)
    preservation = await _relations(libraries, context, relations)
    clashes = await _contradictions(libraries, context, refs, texts, _borne_out(claims, texts))
    return Measured(
        VerificationScores(
            entity_grounding=grounding.score,
            citation_accuracy=citation_accuracy(claims, context.order.question),
            relation_preservation=preservation.score,
            contradictions=len(clashes),
        ),
        [
            *(about_entity(each) for each in grounding.details if not each["grounded"]),
            *(about_relation(each) for each in preservation.details if not each["holds"]),
            *(about_contradiction(each, texts) for each in clashes),
        ],
    )


def _borne_out(claims: Sequence[JudgedClaim], texts: Sequence[str]) -> Mapping[str, set[str]]:
    """By the name that the contradiction check has for a claim: what it is supported by."""
    supported: dict[str, set[str]] = {}
    for judged in claims:
        if judged.verdict == "supported" and judged.claim.text in texts:
            name = f"claim {texts.index(judged.claim.text) + 1}"
            supported.setdefault(name, set()).update(judged.claim.citations)
    return supported


def _within_a_paragraph(clash: Mapping[str, Any], borne_out: Mapping[str, set[str]]) -> bool:
    """A rule and its exception, of one paragraph: "eight hours", "in that case twelve"."""
    one, other = (borne_out.get(where, {where}) for where in clash["between"])
    return not one.isdisjoint(other)


def citation_accuracy(claims: Sequence[JudgedClaim], question: str) -> float:
    """The share of claims that are borne out; an answer that claims nothing has none."""
    counted = [judged for judged in claims if not is_framing(judged.claim, question)]
    supported = sum(judged.verdict == "supported" for judged in counted)
    return round(supported / len(counted), 3) if counted else 0.0


async def _entities(
    libraries: LibraryService, context: StageContext, named: Sequence[str], refs: Sequence[str]
) -> Report:
    entities = [each for each in dict.fromkeys(named) if 0 < len(each.strip()) <= LONGEST_NAME]
    entities = entities[:MOST_ENTITIES]
    if not entities:
        return _passed()
    return await context.calls.tool(
        "orch_entity_verify",
        lambda: libraries.verification.entities(context.library, entities, refs),
        input={"entities": entities, "paragraphs": list(refs)},
        shown=lambda report: f"{_count(report, 'grounded')} of {len(report.details)} names found",
        result=Report,
    )


async def _relations(
    libraries: LibraryService, context: StageContext, relations: Sequence[ClaimedRelation]
) -> Report:
    asked = [
        Relation(
            source_paragraph=each.source[:LONGEST_NAME] or "?",
            target_paragraph=each.target[:LONGEST_NAME] or "?",
            relation_type=each.relation[:LONGEST_RELATION] or "?",
        )
        for each in relations
    ]
    if not asked:
        return _passed()
    return await context.calls.tool(
        "orch_relation_verify",
        lambda: libraries.verification.relations(context.library, asked),
        input={"relations": [each.model_dump() for each in asked]},
        shown=lambda report: f"{_count(report, 'holds')} of {len(report.details)} relations hold",
        result=Report,
    )


async def _contradictions(
    libraries: LibraryService,
    context: StageContext,
    refs: Sequence[str],
    texts: Sequence[str],
    borne_out: Mapping[str, set[str]],
) -> list[dict[str, Any]]:
    refs, texts = refs[:MOST_COMPARED], texts[:MOST_COMPARED]
    if not refs:
        return []

    def clashes(report: Report) -> list[dict[str, Any]]:
        return [each for each in report.details if not _within_a_paragraph(each, borne_out)]

    report = await context.calls.tool(
        "orch_contradiction_check",
        lambda: libraries.verification.contradictions(context.library, refs, texts),
        input={"paragraphs": list(refs), "claims": len(texts)},
        shown=lambda report: f"{len(clashes(report)) or 'no'} contradictions",
        result=Report,
    )
    return clashes(report)


def _passed() -> Report:
    return Report(score=1.0, passed=True, details=[])


def _count(report: Report, key: str) -> int:
    return sum(bool(detail[key]) for detail in report.details)
