"""What failed, in sentences that a person understands and a model can act on.

Claims are quoted as they stand: whoever repairs an answer finds them by their words.
"""

from collections.abc import Sequence
from typing import Any

from bottega.library.service import CitationDetail
from bottega.research.agents.definition import Thresholds
from bottega.research.pipeline.outputs import JudgedClaim, VerificationScores

#: Of a paragraph, so much is quoted.
QUOTED = 400


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
