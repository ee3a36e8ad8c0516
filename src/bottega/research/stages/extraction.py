"""An answer without a model: the sentences of the library that answer, as they stand.

Retrieved paragraphs are read as sentences that stand on their own. How well one answers a question
is a sum: how likely its passage answers counts most, as the reader has it; then the question's
words, rare ones first, and a sentence's own more than those around it.

Each part of the question gets the sentence that answers it best, what stands beside that in the
same list, and only what answers about as well. Fewer sentences that are right are worth more than
many that are near. A repair without a model leaves out what failed, and touches nothing else.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bottega.core.text.words import rarity, sentences, shorten_to_words, stem
from bottega.library.service import (
    Kind,
    Role,
    join_lead,
    parent_ref,
)
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.schemas import (
    AnswerSection,
    Claim,
    PriorResearch,
    QueryPlan,
    Retrieved,
    Synthesis,
)
from bottega.research.stages.question import concepts, content_words, likeness

#: A sentence that means nothing without the one before it.
_LEANS = re.compile(
    r"(?:it|its|they|their|them|he|she|this|that|these|those|such|in that case|in this case"
    r"|after that|before that|then|otherwise|both|neither|none of them|the same|also|however|but"
    r"|only then|except)\b",
    re.IGNORECASE,
)
#: Longer than this, nobody reads it as one statement.
_LONGEST = 600
#: What search would have given a sentence that answered a question before.
PRIOR = 0.5


@dataclass(frozen=True)
class LibrarySentence:
    text: str
    ref: str
    document: str
    heading: str
    kind: Kind
    role: Role
    #: Of its paragraph, as retrieved.
    score: float
    #: How likely that paragraph answers the question.
    answers: float
    #: The whole paragraph, with its title and headings.
    surroundings: str
    #: Its place among the sentences of the paragraph.
    place: int = 0
    #: Of earlier research that said it, which has no reference here.
    label: str = ""

    @property
    def family(self) -> str | None:
        """The list that it is an item of."""
        return parent_ref(self.ref) if self.ref.endswith(")") else None

    @cached_property
    def concepts(self) -> frozenset[str]:
        return concepts(self.text)

    @cached_property
    def surrounding_concepts(self) -> frozenset[str]:
        return concepts(self.surroundings)


def read_statements(paragraphs: Sequence[Retrieved]) -> list[LibrarySentence]:
    texts = {each.paragraph.ref: each.paragraph.text for each in paragraphs}
    return [
        statement
        for each in paragraphs
        if not each.paragraph.text.rstrip().endswith(":")
        for statement in _statements(each, texts)
    ]


def prior_statements(prior: PriorResearch) -> list[LibrarySentence]:
    """Whole sentences of what earlier research said."""
    return [
        LibrarySentence(
            text=text,
            ref="",
            document=section.heading,
            heading=section.heading,
            kind=Kind.STANDARD,
            role=Role.SUPPORTING,
            score=PRIOR,
            answers=0.0,
            surroundings=f"{section.heading} {section.excerpt}",
            place=place,
            label=section.label,
        )
        for section in prior.sections
        for place, text in enumerate(_joined(sentences(section.excerpt)))
        if text.rstrip().endswith((".", "!"))
    ]


def _statements(retrieved: Retrieved, texts: Mapping[str, str]) -> Iterator[LibrarySentence]:
    paragraph = retrieved.paragraph
    whole = _with_leads(paragraph.ref, paragraph.text, texts)
    around = " ".join([paragraph.document, *paragraph.headings, whole])
    for place, text in enumerate(_joined(sentences(whole))):
        yield LibrarySentence(
            text=text,
            ref=paragraph.ref,
            document=paragraph.document,
            heading=paragraph.headings[-1] if paragraph.headings else paragraph.document,
            kind=paragraph.kind,
            role=retrieved.role,
            score=retrieved.score,
            answers=retrieved.answers,
            surroundings=around,
            place=place,
        )


def _with_leads(ref: str, text: str, texts: Mapping[str, str]) -> str:
    above = parent_ref(ref)
    while above is not None and above in texts:
        if texts[above].rstrip().endswith(":"):
            text = join_lead(texts[above], text)
        above = parent_ref(above)
    return text


def _joined(parts: Sequence[str]) -> list[str]:
    found: list[str] = []
    for part in parts:
        if found and _LEANS.match(part) and len(found[-1]) + len(part) <= _LONGEST:
            found[-1] += f" {part}"
        elif part.strip():
            found.append(part)
    return found


#: What each says at most; together 1.
OWN, AROUND, FOUND, ANSWERS = 0.4, 0.1, 0.2, 0.3
#: Added where a question asks what something is, and the sentence says so.
DEFINES = 0.2
#: A guide only says what a standard rules.
GUIDE = 0.85
#: What was found for its own sake answers better than what it led to.
ROLES = {Role.PRIMARY: 1.0, Role.SUPPORTING: 0.95, Role.CONTEXT: 0.9}

_ASKS_WHAT = re.compile(
    r"^\W*(?:definition of|(?:what|who|which \w+)\s+(?:is|are|was|counts? as|does|do))\s+"
    r"(?:meant by\s+)?(?:an?\s+|the\s+)?(?P<thing>[\w'’-]+(?:\s[\w'’-]+){0,3}?)(?:\s+means?)?\W*$",
    re.IGNORECASE,
)
_SINGULAR = re.compile(r"(?<=[^s])s$")
_SAYS_WHAT = (
    r"(?:^|\W)(?:an?\s+|the\s+)?{thing}s?\s+(?:means?|refers? to|counts? as"
    r"|(?:is|are)\s+(?:an?|the|any|both|all|each|not))\b"
)


class Relevance:
    def __init__(self, statements: Sequence[LibrarySentence]) -> None:
        holders = Counter(word for each in statements for word in each.surrounding_concepts)
        self._rarity = {word: rarity(count, len(statements)) for word, count in holders.items()}
        self._unknown = rarity(0, len(statements))

    def rank(
        self, statements: Sequence[LibrarySentence], question: str
    ) -> list[tuple[float, LibrarySentence]]:
        """Best first; equal ones in the order of their references."""
        asked = map(stem, content_words(question))
        weights = {word: self._rarity.get(word, self._unknown) for word in asked}
        scored = [(_score(each, question, weights), each) for each in statements if weights]
        return sorted(scored, key=lambda pair: (-pair[0], pair[1].ref, pair[1].place))


def _score(statement: LibrarySentence, question: str, weights: Mapping[str, float]) -> float:
    score = (
        OWN * _share(weights, statement.concepts)
        + AROUND * _share(weights, statement.surrounding_concepts)
        + FOUND * statement.score
        + ANSWERS * statement.answers
        + DEFINES * defines(statement.text, question)
    )
    return score * (GUIDE if statement.kind is Kind.GUIDE else 1.0) * ROLES[statement.role]


def _share(weights: Mapping[str, float], there: frozenset[str]) -> float:
    return sum(weight for word, weight in weights.items() if word in there) / sum(weights.values())


def defines(text: str, question: str) -> bool:
    """Whether the question asks what something is, and the text says what that is."""
    asked = _ASKS_WHAT.match(question)
    if asked is None:
        return False
    thing = r"\s+".join(map(re.escape, _SINGULAR.sub("", asked["thing"].strip()).split()))
    return re.search(_SAYS_WHAT.format(thing=thing), text, re.IGNORECASE) is not None


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
