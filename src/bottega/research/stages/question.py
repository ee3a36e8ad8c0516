"""A question by its own words and structure, for plans that no model made; what the library has
around it; and by rules, how clear it is in that light.

Words are brought into one form so that they can be compared. Sentences and joined questions are
parts of their own; a comparison is looked up side by side; what is listed is looked up one by
one; a condition and the terms that the question uses support it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from bottega.core.text import words as plain
from bottega.core.text.words import shorten_to_words, stem
from bottega.library.service import (
    Hit,
    Kind,
    Library,
    LibraryService,
    Role,
    question_words,
)
from bottega.research.pipeline.schemas import SubQuery

#: Words that say how to answer, not what about.
_MANNER = frozenset(Path(__file__).with_name("manner_words.txt").read_text("utf-8").split())

LONGEST = 400
#: Two parts that are so alike are one.
ALIKE = 0.9
#: Of a pasted page, so many sentences are looked at.
MOST_PARTS = 40
MOST_TOLD = 3
_SENTENCE_END = re.compile(r"(?<=[?!.])\s+(?=\S)|\n+|;\s+")
_MARKER = re.compile(r"^\s*(?:[-*•]|\(?(?:\d{1,2}|[a-z])[.)])\s+")
_ASKS = (
    r"who|what|when|where|which|whose|whom|why|how|is|are|was|were|does|do|did|may|must|can|could"
    r"|should|shall|will|would|has|have"
)
_JOINED = re.compile(
    rf",?\s+(?:and|but|or)\s+(?:also\s+|then\s+|if so,?\s+)?(?=(?:{_ASKS})\b)", re.I
)
_IS_QUESTION = re.compile(rf"(?:{_ASKS})\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|theirs|he|she|him|her)\b", re.IGNORECASE)
_SIDES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bdifferences?\s+between\s+(.+?)\s+and\s+(.+)",
        r"\bcompare\s+(.+?)\s+(?:and|with|to)\s+(.+)",
        r"\bhow\s+(?:does|do|is|are)\s+(.+?)\s+(?:differ|different)\s+from\s+(.+)",
        r"^(?:what (?:is|are) )?(.+?)\s+(?:versus|vs\.?)\s+(.+)",
    )
)
_LIST = re.compile(
    r"^(?P<stem>.+\b(?:for|of|about|on|to|by|with|from)\s+(?:the\s+|an?\s+)?)"
    r"(?P<listed>[^\W\d][\w'’ -]{1,40}(?:,\s+[^\W\d][\w'’ -]{1,40}){0,8},?\s+and\s+"
    r"[^\W\d][\w'’ -]{1,40})$",
    re.IGNORECASE,
)
_BETWEEN_LISTED = re.compile(r",\s+(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|unless|in case|whenever)\s+(.+?)(?=,|\?|$)", re.IGNORECASE)


def concepts(text: str) -> frozenset[str]:
    """What the text speaks of: one word for all forms of a word."""
    return frozenset(map(stem, plain.content_words(text)))


def content_words(question: str) -> tuple[str, ...]:
    """Those that say what it is about, without those that only ask or say how to answer."""
    return tuple(word for word in question_words(question) if word not in _MANNER)


def likeness(one: str, other: str) -> float:
    """The share of what two texts speak of that both do."""
    mine, others = concepts(one), concepts(other)
    return len(mine & others) / len(mine | others) if mine and others else 0.0


def split_question(question: str) -> list[str]:
    """Its parts that can be asked on their own; at least one, unless there is nothing."""
    sentences = _sentences(question)
    asked = [each for each in sentences if each.endswith("?")] or sentences
    parts: list[str] = []
    for sentence in asked[:MOST_PARTS]:
        for clause in _JOINED.split(sentence):
            _add_part(parts, clause.strip(" ,"))
    return [_as_query(part) for part in parts[:MOST_PARTS]] or [_as_query(question)]


def _sentences(question: str) -> list[str]:
    return [_MARKER.sub("", each).strip() for each in _SENTENCE_END.split(question)]


def _add_part(parts: list[str], clause: str) -> None:
    words = content_words(clause)
    if not words and parts:
        # "… and how often?" says nothing alone.
        parts[-1] = f"{parts[-1].rstrip('?')}, and {clause}"
    elif words and parts and (len(words) == 1 or _PRONOUN.search(clause)):
        parts.append(f"{clause.rstrip('?')} ({parts[-1].rstrip('?')})?")
    elif words:
        is_open = _IS_QUESTION.match(clause) and clause[-1] not in "?."
        parts.append(f"{clause}?" if is_open else clause)


def decompose(
    question: str, *, terms: Iterable[str] = (), has_guides: bool = False
) -> list[SubQuery]:
    parts = split_question(question)
    found = [SubQuery(query=each) for part in parts for each in (part, *_looked_up_apart(part))]
    support = [*_conditions(question), *_told(question)]
    found += [SubQuery(query=each, role=Role.SUPPORTING) for each in support]
    found += [SubQuery(query=f"definition of {term}", role=Role.SUPPORTING) for term in terms]
    if has_guides:
        found.append(SubQuery(query=parts[0], role=Role.CONTEXT))
    return list(_distinct(found))


def _looked_up_apart(part: str) -> Iterator[str]:
    bare = part.rstrip("?. ")
    for pattern in _SIDES:
        if sides := pattern.search(bare):
            yield from (_as_query(side) for side in sides.groups())
            return
    if listed := _LIST.search(bare):
        for item in _BETWEEN_LISTED.split(listed["listed"]):
            yield _as_query(f"{listed['stem']}{item}")


def _conditions(question: str) -> Iterator[str]:
    for condition in _CONDITION.findall(question)[:MOST_PARTS]:
        if len(content_words(condition)) > 1:
            yield _as_query(condition)


def _told(question: str) -> Iterator[str]:
    """What a person says of the case before asking about it."""
    sentences = _sentences(question)
    if any(each.endswith("?") for each in sentences):
        told = [each for each in sentences if not each.endswith("?")]
        yield from (_as_query(each) for each in told[:MOST_TOLD] if len(content_words(each)) > 1)


def _as_query(text: str) -> str:
    return shorten_to_words(text.strip(" ,;"), LONGEST)


def _distinct(found: Iterable[SubQuery]) -> Iterator[SubQuery]:
    seen: list[SubQuery] = []
    for each in found:
        # A guide may be asked the same thing as the standards.
        is_background = each.role is Role.CONTEXT
        same = [other for other in seen if (other.role is Role.CONTEXT) is is_background]
        is_new = all(likeness(each.query, other.query) < ALIKE for other in same)
        if is_new and concepts(each.query):
            seen.append(each)
            yield each


#: Paragraphs that are looked at; a word in none of them is foreign to the library.
LOOKED_AT = 20
#: Of these, those that a model is shown, each so far.
SHOWN = 8
EXCERPT = 240
MOST_DOCUMENTS = 200
MOST_TERMS = 8
#: From here on the research can begin.
CLEAR = 0.7
#: With more words than these, a question says what it is about whatever its pronouns do.
MOST_WORDS_AROUND = 2
_DUMMY_IT = re.compile(r"\b(?:is|was|be) it (?:\w+ )?\w+ (?:to|that|if|for|when|whether)\b", re.I)
_POINTING = re.compile(
    r"\b(?:it|its|they|them|their|he|she)\b"
    r"|\b(?:this|that|these|those)\b(?=\s*(?:$|[?.,]|is|are|was|were|do|does|mean|cost|happen))",
    re.IGNORECASE,
)
_MOST_NAMED = 4


class LibraryDocument(BaseModel):
    model_config = ConfigDict(frozen=True)

    #: Its number, or its path if it has none: what `standards` of a sub-query name.
    name: str
    title: str
    kind: Kind


class Passage(BaseModel):
    model_config = ConfigDict(frozen=True)

    ref: str
    document: str
    heading: str
    excerpt: str


class Surroundings(BaseModel):
    model_config = ConfigDict(frozen=True)

    documents: list[LibraryDocument] = []
    #: Defined terms that the question names or describes, with what they mean.
    terms: dict[str, str] = {}
    passages: list[Passage] = []
    #: Words of the question that stand in nothing near to it.
    unknown_words: list[str] = []

    @property
    def has_guides(self) -> bool:
        return any(each.kind is Kind.GUIDE for each in self.documents)


async def look_around(service: LibraryService, library: Library, question: str) -> Surroundings:
    results = await service.search.search(library, question, max_results=LOOKED_AT)
    defined = await service.libraries.terms(library)
    return Surroundings(
        documents=await list_documents(service, library, results.hits),
        terms={term: defined[term] for term in _near(results.expanded_by, question, defined)},
        passages=[_passage(hit) for hit in results.hits[:SHOWN]],
        unknown_words=_unknown(question, results.hits, defined),
    )


async def list_documents(
    service: LibraryService, library: Library, hits: Sequence[Hit] = ()
) -> list[LibraryDocument]:
    """Those with hits first: a large library has more than fit."""
    near = {hit.paragraph.document_id for hit in hits}
    documents = sorted(
        await service.libraries.documents(library), key=lambda each: each.id not in near
    )
    return [
        LibraryDocument(name=each.prefix or each.path, title=each.title, kind=each.kind)
        for each in documents[:MOST_DOCUMENTS]
    ]


def _near(expanded_by: Sequence[str], question: str, defined: Mapping[str, str]) -> list[str]:
    """The terms that search widened the question by, and those that it names beside."""
    spoken = f" {_spoken(question)} "
    named = [term for term in defined if f" {_spoken(term)} " in spoken]
    found = dict.fromkeys([*expanded_by, *named])
    return [term for term in found if term in defined][:MOST_TERMS]


def _spoken(text: str) -> str:
    return " ".join(map(stem, plain.words(text)))


def _unknown(question: str, hits: Sequence[Hit], defined: Mapping[str, str]) -> list[str]:
    texts = [
        " ".join([hit.paragraph.document, *hit.paragraph.headings, hit.paragraph.text])
        for hit in hits
    ]
    there = concepts(" ".join([*texts, *defined]))
    return [word for word in content_words(question) if stem(word) not in there]


def _passage(hit: Hit) -> Passage:
    paragraph = hit.paragraph
    return Passage(
        ref=paragraph.ref,
        document=paragraph.document,
        heading=paragraph.headings[-1] if paragraph.headings else "",
        excerpt=shorten_to_words(paragraph.text, EXCERPT),
    )


@dataclass(frozen=True, slots=True)
class Clarity:
    score: float
    questions: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)


def assess(question: str, around: Surroundings, prior_question: str | None = None) -> Clarity:
    words = content_words(question)
    pointing = lost_pronoun(question)
    if pointing and prior_question:
        assumption = f"“{pointing}” is about what was asked before: “{prior_question}”"
        return Clarity(0.8, assumptions=[assumption])
    if not words and not pointing:
        return Clarity(0.1, ["What do you want to know? Name the thing or rule that it is about."])
    unknown = around.unknown_words
    if words and len(unknown) == len(words):
        return Clarity(0.3, [_ask_about(unknown)])
    if pointing:
        return Clarity(0.5, [f"What does “{pointing}” stand for here?"])
    if len(words) == 1 and not any(words[0] in term.split() for term in around.terms):
        headings = _headings(around)
        example = f" The library has, for example: {', '.join(headings)}." if headings else ""
        return Clarity(
            0.5,
            [f"What do you want to know about “{words[0]}”?{example}"],
            alternatives=[f"{words[0]}: {heading}" for heading in headings],
        )
    if unknown:
        # One foreign word among many may be only a way to say it.
        return Clarity(round(0.9 - 0.5 * len(unknown) / len(words), 2), [_ask_about(unknown)])
    return Clarity(0.9)


def lost_pronoun(question: str) -> str | None:
    """A word that points to something which the question does not say."""
    question = _DUMMY_IT.sub(" ", question)
    found = _POINTING.search(question)
    # "What does it cost to use the crane" says enough.
    if found is None or len(content_words(question)) > MOST_WORDS_AROUND:
        return None
    before = question[: found.start()].rstrip().lower()
    words = content_words(before)
    # "Who may work it" has only the verb before it; "what happens to cargo if it" has a noun.
    is_lost = not words or (len(words) == 1 and before.endswith(words[0]))
    return found.group().lower() if is_lost else None


def _ask_about(unknown: list[str]) -> str:
    named = " and ".join(f"“{word}”" for word in unknown[:_MOST_NAMED])
    return f"The library does not speak of {named} near this. What would it call that?"


def _headings(around: Surroundings) -> list[str]:
    found = dict.fromkeys(each.heading for each in around.passages if each.heading)
    return list(found)[:3]
