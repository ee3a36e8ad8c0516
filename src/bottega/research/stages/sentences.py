"""Retrieved paragraphs as sentences that stand on their own, with where each stands; and how well a
sentence answers a question.

How likely its passage answers counts most, as the reader has it; then the question's words, rare
ones first, and a sentence's own more than those around it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bottega.core.text.words import rarity, sentences, stem
from bottega.library.service import (
    Kind,
    Role,
    join_lead,
    parent_ref,
)
from bottega.research.pipeline.schemas import PriorResearch, Retrieved
from bottega.research.stages.question import concepts, content_words

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
