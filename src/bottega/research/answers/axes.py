"""How an answer does on the four axes, each measured by the library as a call of its own.

What failed is told in sentences that a person understands and a model can act on. Claims are quoted
as they stand: whoever repairs an answer finds them by their words.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bottega.library.service import CitationDetail, Relation, Report
from bottega.research.agents.definition import Thresholds
from bottega.research.answers.claim_filter import is_framing
from bottega.research.pipeline.context import StageContext
from bottega.research.pipeline.schemas import ClaimedRelation, JudgedClaim, VerificationScores

_MONEY = r"(?:EUR|USD|GBP|CHF|€|\$|£)\s?\d[\d.,]*"

_UNITS = (
    "percent|per cent|grams?|kilograms?|tonnes?|tons?|litres?|millimetres?|centimetres?|metres?"
    "|kilometres?|miles?|knots|degrees|kilowatts?|seconds?|minutes?|hours?|days?|weeks?|months?"
    "|years?|nights?|working days?|euros?|dollars?"
)

_AMOUNT = rf"\d[\d.,:]*(?:\s?%|\s(?:{_UNITS})\b)?"
_QUANTITY = re.compile(rf"(?<![\w.(-])(?:{_MONEY}|{_AMOUNT})(?![\w(-])")
#: Capitals inside a sentence: its first word has one anyway.
_NAME = re.compile(r"(?<=[\w,;:)] )[A-Z][\w’'-]*\w(?: [A-Z][\w’'-]*\w)*")
#: Of a paragraph, so much is quoted.
QUOTED = 400
#: Things that are compared one with every other; more would take minutes.
MOST_COMPARED = 50
MOST_ENTITIES = 200
#: What the library takes.
LONGEST_NAME, LONGEST_RELATION = 500, 50


def find_entities(texts: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        for pattern in (_QUANTITY, _NAME):
            found.update(dict.fromkeys(each.strip(" .,:;") for each in pattern.findall(text)))
    return [each for each in found if each]


def about_claim(judged: JudgedClaim, details: Sequence[CitationDetail]) -> str:
    claim = f"The claim “{judged.claim.text}”"
    if judged.invented:
        names = ", ".join(judged.invented)
        return (
            f"{claim} cites {names}, which the library does not have. Cite only paragraphs that "
            "you were given, or leave the claim out."
        )
    if judged.verdict == "uncited":
        return f"{claim} cites nothing. Name the paragraph that it rests on, or leave it out."
    how = "is not clearly borne out" if judged.verdict == "undecided" else "is not borne out"
    quotes = [f"{each.cited} says: “{_cut(each.source_text or '')}”" for each in details]
    return " ".join(
        [
            f"{claim} {how}: {'; '.join(judged.reasons)}.",
            *quotes,
            "Say only what one cited paragraph says, or leave the claim out.",
        ]
    )


def about_entity(detail: dict[str, Any]) -> str:
    return (
        f"“{detail['entity']}” is named, but none of the cited paragraphs has it. Use their words, "
        "cite the paragraph that has it, or leave it out."
    )


def about_relation(detail: dict[str, Any]) -> str:
    stated = f"{detail['source']} {detail['relation_type']} {detail['target']}"
    return f"The relation “{stated}” does not hold: {detail['reason']}. Correct it or leave it out."


def about_contradiction(detail: dict[str, Any], claims: Sequence[str]) -> str:
    numbered = {f"claim {number}": "a claim" for number in range(1, len(claims) + 1)}
    sides = [
        f"{numbered.get(where, where)} (“{_cut(statement)}”)"
        for where, statement in zip(detail["between"], detail["statements"], strict=True)
    ]
    return (
        f"These contradict each other: {' and '.join(sides)}; {detail['reason']}. Say which holds "
        "when, or leave one out."
    )


def missed(scores: VerificationScores, thresholds: Thresholds) -> list[str]:
    """The axes on which an answer fails, each with what it reached and what was needed."""
    axes = (
        ("entity grounding", scores.entity_grounding, thresholds.entity_grounding),
        ("citation accuracy", scores.citation_accuracy, thresholds.citation_accuracy),
        ("relation preservation", scores.relation_preservation, thresholds.relation_preservation),
    )
    failed = [
        f"{axis} is {got:.2f}, {least:.2f} is needed" for axis, got, least in axes if got < least
    ]
    if scores.contradictions > thresholds.max_contradictions:
        failed.append(
            f"there are {scores.contradictions} contradictions, {thresholds.max_contradictions} "
            "are allowed"
        )
    return failed


def _cut(text: str) -> str:
    return text if len(text) <= QUOTED else f"{text[:QUOTED].rstrip()}…"


@dataclass(frozen=True, slots=True)
class Measurement:
    scores: VerificationScores
    #: On the axes beside citation accuracy.
    failures: list[str]


async def measure(
    context: StageContext,
    claims: Sequence[JudgedClaim],
    entities: Sequence[str],
    relations: Sequence[ClaimedRelation],
) -> Measurement:
    cited = [judged.claim for judged in claims if judged.claim.citations and not judged.invented]
    refs = list(dict.fromkeys(ref for claim in cited for ref in claim.citations))
    texts = list(dict.fromkeys(claim.text for claim in cited))
    named = [*entities, *find_entities(texts)]
    grounding = await _entities(context, named, refs)
    preservation = await _relations(context, relations)
    clashes = await _contradictions(context, refs, texts, _borne_out(claims, texts))
    return Measurement(
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


async def _entities(context: StageContext, named: Sequence[str], refs: Sequence[str]) -> Report:
    entities = [each for each in dict.fromkeys(named) if 0 < len(each.strip()) <= LONGEST_NAME]
    entities = entities[:MOST_ENTITIES]
    if not entities:
        return _passed()
    return await context.calls.tool(
        "orch_entity_verify",
        lambda: context.libraries.verification.entities(context.library, entities, refs),
        input={"entities": entities, "paragraphs": list(refs)},
        shown=lambda report: f"{_count(report, 'grounded')} of {len(report.details)} names found",
        result=Report,
    )


async def _relations(context: StageContext, relations: Sequence[ClaimedRelation]) -> Report:
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
        lambda: context.libraries.verification.relations(context.library, asked),
        input={"relations": [each.model_dump() for each in asked]},
        shown=lambda report: f"{_count(report, 'holds')} of {len(report.details)} relations hold",
        result=Report,
    )


async def _contradictions(
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
        lambda: context.libraries.verification.contradictions(context.library, refs, texts),
        input={"paragraphs": list(refs), "claims": len(texts)},
        shown=lambda report: f"{len(clashes(report)) or 'no'} contradictions",
        result=Report,
    )
    return clashes(report)


def _passed() -> Report:
    return Report(score=1.0, passed=True, details=[])


def _count(report: Report, key: str) -> int:
    return sum(bool(detail[key]) for detail in report.details)
