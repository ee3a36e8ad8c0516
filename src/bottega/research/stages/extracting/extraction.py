"""An answer without a model: the sentences of the library that answer, as they stand.

Each part of the question gets the sentence that answers it best, what stands beside that in the
same list, and only what answers about as well. Fewer sentences that are right are worth more than
many that are near.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bottega.library.service import Kind, Role
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.outputs import (
    AnswerSection,
    Claim,
    QueryPlan,
    Retrieved,
    Synthesis,
)
from bottega.research.stages.extracting.relevance import Relevance
from bottega.research.stages.extracting.statements import (
    Statement,
    prior_statements,
    read_statements,
)
from bottega.research.stages.wording import likeness, shorten
from bottega.research.talking.prior import PriorResearch

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
class Answered:
    #: The sub-query.
    asked: str
    #: What answers it, without what was said before: none need be left.
    chosen: Sequence[Statement] = ()
    is_answered: bool = False

    @property
    def first(self) -> Sequence[Statement]:
        """The best of it: a sentence, or a list that is short enough."""
        listed = [each for each in self.chosen if each.family and _are_listed(each, self.chosen[0])]
        return listed if 0 < len(listed) <= MOST_IN_SUMMARY else self.chosen[:1]


def extract(
    plan: QueryPlan, paragraphs: Sequence[Retrieved], prior: PriorResearch, depth: Depth
) -> Synthesis:
    statements = [*read_statements(paragraphs), *prior_statements(prior)]
    relevance = Relevance(statements)
    asked = [each.query for each in plan.sub_queries if each.role is Role.PRIMARY]
    parts: list[Answered] = []
    for query in asked:
        taken = [each for part in parts for each in part.chosen]
        parts.append(_answer(query, statements, relevance, taken, depth))
    beside = _beside(plan, statements, relevance, parts) if depth is Depth.DEEP else []
    return _compose(plan, parts, beside)


def _answer(
    query: str,
    statements: Sequence[Statement],
    relevance: Relevance,
    taken: Sequence[Statement],
    depth: Depth,
) -> Answered:
    ranked = relevance.rank(statements, query)
    if not ranked or ranked[0][0] < FLOOR:
        return Answered(query)
    best_score, best = ranked[0]
    listed: list[Statement] = []
    others: list[Statement] = []
    for score, statement in ranked:
        in_list = _are_listed(statement, best)
        place, most = (listed, MOST_LISTED) if in_list else (others, MOST_ANSWERS[depth])
        is_good = score >= (IN_LIST if in_list else AS_GOOD) * best_score
        if is_good and len(place) < most and _is_new(statement, [*taken, *listed, *others]):
            place.append(statement)
    # A list reads in its own order.
    return Answered(query, [*sorted(listed, key=_order), *others], is_answered=True)


def _are_listed(one: Statement, other: Statement) -> bool:
    return one.family is not None and one.family == other.family


def _order(statement: Statement) -> tuple[str, int]:
    return statement.ref, statement.place


def _is_new(statement: Statement, chosen: Iterable[Statement]) -> bool:
    return all(likeness(statement.text, each.text) < SAME for each in chosen)


def _beside(
    plan: QueryPlan,
    statements: Sequence[Statement],
    relevance: Relevance,
    parts: Sequence[Answered],
) -> list[Statement]:
    """Definitions and exceptions that a thorough answer should not leave out."""
    taken = [each for part in parts for each in part.chosen]
    found: list[Statement] = []
    for sub_query in plan.sub_queries:
        if sub_query.role is not Role.SUPPORTING or not taken:
            continue
        standards = [each for each in statements if each.kind is Kind.STANDARD]
        for score, statement in relevance.rank(standards, sub_query.query)[:1]:
            if score >= BESIDE and _is_new(statement, [*taken, *found]):
                found.append(statement)
    return found[:MOST_BESIDE]


def _compose(plan: QueryPlan, parts: Sequence[Answered], beside: Sequence[Statement]) -> Synthesis:
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


def _claim(statement: Statement) -> Claim:
    if statement.label:
        return Claim(text=statement.text, labels=[statement.label])
    return Claim(text=statement.text, citations=[statement.ref])


def _title(plan: QueryPlan) -> str:
    return shorten(plan.original_query.rstrip("?. "), 100)


def _heading(asked: str) -> str:
    """The question without what it leans on: "who may exceed it (What is the speed limit)?"."""
    own = _LEANS_ON.sub("", asked.rstrip("?. "))
    return shorten(own[:1].upper() + own[1:], 100)
