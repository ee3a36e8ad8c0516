"""A question taken apart by its own structure, for a plan that no model made.

Sentences and joined questions are parts of their own; a comparison is looked up side by side; what
is listed is looked up one by one; a condition and the terms that the question uses support it.
"""

import re
from collections.abc import Iterable, Iterator

from bottega.library.service import Role
from bottega.research.pipeline.outputs import SubQuery
from bottega.research.stages.wording import concepts, content_words, likeness, shorten

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
_POINTING = re.compile(r"\b(?:it|its|they|them|their|theirs|he|she|him|her)\b", re.IGNORECASE)
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
    elif words and parts and (len(words) == 1 or _POINTING.search(clause)):
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
    return shorten(text.strip(" ,;"), LONGEST)


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
