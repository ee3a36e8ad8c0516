"""An answer without a model: the sentences of the library that answer, as they stand.

Each part of the question gets the sentence that answers it best, what stands beside that in the
same list, and only what answers about as well. Fewer sentences that are right are worth more than
many that are near. A repair without a model leaves out what failed, and touches nothing else.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bottega.core.text.words import shorten_to_words
from bottega.library.service import Kind, Role
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.schemas import (
    AnswerSection,
    Claim,
    PriorResearch,
    QueryPlan,
    Retrieved,
    Synthesis,
)
from bottega.research.stages.question import likeness
from bottega.research.stages.sentences import (
    LibrarySentence,
    Relevance,
    prior_statements,
    read_statements,
)

#: Below this nothing is an answer.
FLOOR = 0.42
#: How near to the best another answer has to come; what stands in the same list, less near.
AS_GOOD, IN_LIST = 0.97, 0.7
MOST_ANSWERS = {Depth.QUICK: 2, Depth.STANDARD: 3, Depth.DEEP: 5}
MOST_LISTED = 8
MOST_IN_SUMMARY = 3
#: Two sentences that are so alike say the same.
SAME = 0.8
#: How good a sentence has to be that a deep answer adds to its own, and how many it adds.
BESIDE, MOST_BESIDE = 0.8, 6
#: What the first part of a question lends to one that needs it.
_LEANS_ON = re.compile(r" \([^()]*\)$")


@dataclass(frozen=True, slots=True)
class AnsweredPart:
    #: The sub-query.
    asked: str
    #: What answers it, without what was said before: none need be left.
    chosen: Sequence[LibrarySentence] = ()
    is_answered: bool = False

    @property
    def first(self) -> Sequence[LibrarySentence]:
        """The best of it: a sentence, or a list that is short enough."""
        listed = [each for each in self.chosen if each.family and _are_listed(each, self.chosen[0])]
        return listed if 0 < len(listed) <= MOST_IN_SUMMARY else self.chosen[:1]


def extract(
    plan: QueryPlan, paragraphs: Sequence[Retrieved], prior: PriorResearch, depth: Depth
) -> Synthesis:
    statements = [*read_statements(paragraphs), *prior_statements(prior)]
    relevance = Relevance(statements)
    asked = [each.query for each in plan.sub_queries if each.role is Role.PRIMARY]
    parts: list[AnsweredPart] = []
    for query in asked:
        taken = [each for part in parts for each in part.chosen]
        parts.append(_answer(query, statements, relevance, taken, depth))
    beside = _beside(plan, statements, relevance, parts) if depth is Depth.DEEP else []
    return _compose(plan, parts, beside)


def _answer(
    query: str,
    statements: Sequence[LibrarySentence],
    relevance: Relevance,
    taken: Sequence[LibrarySentence],
    depth: Depth,
) -> AnsweredPart:
    ranked = relevance.rank(statements, query)
    if not ranked or ranked[0][0] < FLOOR:
        return AnsweredPart(query)
    best_score, best = ranked[0]
    listed: list[LibrarySentence] = []
    others: list[LibrarySentence] = []
    for score, statement in ranked:
        in_list = _are_listed(statement, best)
        place, most = (listed, MOST_LISTED) if in_list else (others, MOST_ANSWERS[depth])
        is_good = score >= (IN_LIST if in_list else AS_GOOD) * best_score
        if is_good and len(place) < most and _is_new(statement, [*taken, *listed, *others]):
            place.append(statement)
    # A list reads in its own order.
    return AnsweredPart(query, [*sorted(listed, key=_order), *others], is_answered=True)


def _are_listed(one: LibrarySentence, other: LibrarySentence) -> bool:
    return one.family is not None and one.family == other.family


def _order(statement: LibrarySentence) -> tuple[str, int]:
    return statement.ref, statement.place


def _is_new(statement: LibrarySentence, chosen: Iterable[LibrarySentence]) -> bool:
    return all(likeness(statement.text, each.text) < SAME for each in chosen)


def _beside(
    plan: QueryPlan,
    statements: Sequence[LibrarySentence],
    relevance: Relevance,
    parts: Sequence[AnsweredPart],
) -> list[LibrarySentence]:
    """Definitions and exceptions that a thorough answer should not leave out."""
    taken = [each for part in parts for each in part.chosen]
    found: list[LibrarySentence] = []
    for sub_query in plan.sub_queries:
        if sub_query.role is not Role.SUPPORTING or not taken:
            continue
        standards = [each for each in statements if each.kind is Kind.STANDARD]
        for score, statement in relevance.rank(standards, sub_query.query)[:1]:
            if score >= BESIDE and _is_new(statement, [*taken, *found]):
                found.append(statement)
    return found[:MOST_BESIDE]


def _compose(
    plan: QueryPlan, parts: Sequence[AnsweredPart], beside: Sequence[LibrarySentence]
) -> Synthesis:
    first = [each for part in parts for each in part.first][:MOST_IN_SUMMARY]
    unanswered = [part.asked for part in parts if not part.is_answered]
    if not first:
        return Synthesis(
            title=_title(plan),
            summary=[],
            cannot_answer="Nothing that was found says it: no sentence takes up the question.",
        )
    sections = [
        AnswerSection(
            heading=_heading(part.asked),
            claims=[_claim(each) for each in part.chosen if each not in first],
        )
        for part in parts
    ]
    sections.append(
        AnswerSection(heading="What else belongs to it", claims=[_claim(each) for each in beside])
    )
    rests_on = dict.fromkeys(each.ref or each.label for part in parts for each in part.chosen)
    return Synthesis(
        title=_title(plan),
        summary=[_claim(each) for each in first],
        sections=[each for each in sections if each.claims],
        key_findings=[each.text for each in first],
        conclusions=[
            f"The answer rests on {', '.join(rests_on)}.",
            *(f"The library says nothing clear about: {asked}" for asked in unanswered),
        ],
    )


def _claim(statement: LibrarySentence) -> Claim:
    if statement.label:
        return Claim(text=statement.text, labels=[statement.label])
    return Claim(text=statement.text, citations=[statement.ref])


def _title(plan: QueryPlan) -> str:
    return shorten_to_words(plan.original_query.rstrip("?. "), 100)


def _heading(asked: str) -> str:
    """The question without what it leans on: "who may exceed it (What is the speed limit)?"."""
    own = _LEANS_ON.sub("", asked.rstrip("?. "))
    return shorten_to_words(own[:1].upper() + own[1:], 100)


def without_failed(previous: Synthesis, failures: Sequence[str]) -> Synthesis:
    """The answer without the claims that a failure quotes."""

    def kept(claims: Iterable[Claim]) -> list[Claim]:
        return [
            each for each in claims if not any(f"“{each.text}”" in failure for failure in failures)
        ]

    sections = [
        section.model_copy(update={"claims": kept(section.claims)}) for section in previous.sections
    ]
    summary = kept(previous.summary)
    filled = [each for each in sections if each.claims]
    nothing = None if summary or filled else "No sentence of the answer held in verification."
    texts = {each.text for each in (*summary, *(one for part in filled for one in part.claims))}
    return previous.model_copy(
        update={
            "summary": summary,
            "sections": filled,
            "key_findings": [each for each in previous.key_findings if each in texts],
            "entities": [],
            "relations": [],
            "cannot_answer": previous.cannot_answer or nothing,
        }
    )
