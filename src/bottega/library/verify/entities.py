"""Entity grounding: whether what an answer names stands in the paragraphs that it rests on.

An entity is grounded if a paragraph has it
1. as such: the same words, in singular or plural;
2. as a number of the same value and unit ("two weeks" in "14 days");
3. by another name that is known for it;
4. by definition: the paragraph uses a term that is defined as the entity, or the other way round.
"""

import re
from collections.abc import Mapping, Sequence

from bottega.core.readers.quantities import Quantity, find_quantities
from bottega.core.text.words import content_words, stem
from bottega.library.verify.verdicts import AxisResult

#: The share of entities that must be grounded.
ENOUGH = 0.8
#: The share of a definition's words that make it the same thing.
SAME_DEFINITION = 0.75
PLURAL = re.compile(r"(?<=ss|sh|ch)es$|(?<=[xz])es$|(?<![su])s$", re.I)


def verify_entities(
    entities: Sequence[str],
    paragraphs: Sequence[str],
    *,
    terms: Mapping[str, str] | None = None,
    aliases: Mapping[str, Sequence[str]] | None = None,
) -> AxisResult:
    text = "\n".join(paragraphs)
    details = []
    for entity in dict.fromkeys(entities):
        how = _grounding(entity, text, terms or {}, aliases or {})
        details.append({"entity": entity, "grounded": how is not None, "how": how})
    found = sum(bool(detail["grounded"]) for detail in details)
    score = found / len(details) if details else 1.0
    return AxisResult(round(score, 3), score >= ENOUGH, tuple(details))


def _grounding(
    entity: str, text: str, terms: Mapping[str, str], aliases: Mapping[str, Sequence[str]]
) -> str | None:
    if stands_in(entity, text):
        return "text"
    if _is_defined(entity, text, terms):
        return "definition"
    numbers = find_quantities(entity)
    if numbers:
        said = find_quantities(text)
        if not all(any(_is_same(number, other) for other in said) for number in numbers):
            return None
        counted = " ".join(number.text.lower() for number in numbers)
        rest = [word for word in content_words(entity) if word not in counted]
        return "number" if all(stands_in(word, text) for word in rest) else None
    known = {name.lower(): others for name, others in aliases.items()}
    if any(stands_in(alias, text) for alias in known.get(entity.lower(), ())):
        return "alias"
    return None


def _numbers_agree(entity: str, definition: str) -> bool:
    said = find_quantities(definition)
    return all(any(_is_same(number, other) for other in said) for number in find_quantities(entity))


def _is_same(number: Quantity, other: Quantity) -> bool:
    return number.agrees(other) and (number.unit == other.unit or not number.unit)


def stands_in(entity: str, text: str) -> bool:
    """Word by word, in singular or plural, next to each other."""
    parts = [re.escape(PLURAL.sub("", part)) for part in re.split(r"[\s-]+", entity) if part]
    if not parts:
        return False
    pattern = r"(?:s|es|'s|’s)?[\s-]+".join(parts)
    return re.search(rf"(?<![\w]){pattern}(?:s|es|'s|’s)?(?!\w)", text, re.I) is not None


def _is_defined(entity: str, text: str, terms: Mapping[str, str]) -> bool:
    asked = _stems(entity)
    for term, definition in terms.items():
        meant = _stems(definition)
        is_used = stands_in(term, text) and len(asked) > 1
        if is_used and len(asked & meant) / len(asked) >= SAME_DEFINITION:
            return _numbers_agree(entity, definition)
        if term.lower() == entity.lower():
            return bool(meant) and len(meant & _stems(text)) / len(meant) >= SAME_DEFINITION
    return False


def _stems(text: str) -> set[str]:
    return {stem(word) for word in content_words(text) if not word.isdigit()}
