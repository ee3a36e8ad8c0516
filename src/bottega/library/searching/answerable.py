"""Whether a library holds the answer to a question at all.

A logistic rule over the evidence of `evidence.py`. Its coefficients are fitted on half of the
questions in `tests/library/data/questions.jsonl`, with the default embedder;
`bench/answerability.py` fits them anew and says how good they are on the other half.
"""

import math
from collections.abc import Mapping

from bottega.core.services import Core
from bottega.library.searching.evidence import Evidence, Findings, best_candidate, weigh
from bottega.library.searching.findings import Searcher
from bottega.library.searching.sought import has_what_is_sought
from bottega.library.tables import Library
from bottega.library.views import View

COEFFICIENTS: Mapping[str, float] = {
    "echoed": 2.16,
    "carried": 2.90,
    "known": 1.28,
    "margin": 2.41,
    "sought": 1.49,
}
INTERCEPT = -5.46
#: From here on a word of the question counts as taken up when people are told why.
TAKEN_UP = 0.5


class Answerability(View):
    answerable: bool
    #: How likely it is that the library holds the answer, from 0 to 1.
    confidence: float
    #: What speaks for it and what against, for people.
    reasons: list[str]
    #: The reference of the paragraph that takes up most of the question.
    best: str | None


class AnswerabilityJudge:
    def __init__(self, core: Core) -> None:
        self._searcher = Searcher(core)

    async def answerable(self, library: Library, query: str) -> Answerability:
        findings = await self._searcher.findings(library, query)
        confidence = likelihood(weigh(findings))
        best = best_candidate(findings)
        return Answerability(
            answerable=confidence >= 0.5,
            confidence=round(confidence, 3),
            reasons=_reasons(findings),
            best=best.ref if best else None,
        )


def likelihood(evidence: Evidence) -> float:
    values = evidence.values()
    score = INTERCEPT + sum(COEFFICIENTS[name] * values[name] for name in COEFFICIENTS)
    return 1 / (1 + math.exp(-score))


def _reasons(findings: Findings) -> list[str]:
    question, best = findings.question, best_candidate(findings)
    if not question.words:
        return ["The question has no word that says what it is about."]
    if best is None:
        return ["The library has nothing that is near to the question."]
    taken_up = [word for word in question.words if best.matches[word] >= TAKEN_UP]
    reasons = []
    if taken_up:
        reasons.append(f"{best.ref} takes up: {', '.join(taken_up)}.")
    if unknown := [word for word in question.words if word in findings.unknown]:
        reasons.append(f"The library does not have: {', '.join(unknown)}.")
    if elsewhere := [word for word in question.words if word not in (*taken_up, *unknown)]:
        reasons.append(f"The library has, but not there: {', '.join(elsewhere)}.")
    if has_what_is_sought(question.text, best.text) is False:
        reasons.append(f"{best.ref} has no sum, number or time of the kind that is asked for.")
    return reasons
