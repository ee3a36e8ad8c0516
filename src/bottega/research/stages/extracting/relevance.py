"""How well a sentence answers a question, by the words that it takes up.

Rare words of the question count most; a sentence's own words more than those around it; and where
the question asks for a sum, a number or a time, the sentence should have one.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from bottega.library.service import Kind, Role, concept, has_what_is_sought
from bottega.research.stages.extracting.statements import Statement
from bottega.research.stages.wording import content_words

#: What each says at most; together 1.
OWN, AROUND, FOUND, SOUGHT = 0.45, 0.15, 0.25, 0.15
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
    def __init__(self, statements: Sequence[Statement]) -> None:
        holders = Counter(word for each in statements for word in each.surrounding_concepts)
        self._rarity = {
            word: math.log(1 + len(statements) / (count + 0.5)) for word, count in holders.items()
        }
        self._unknown = math.log(1 + len(statements) / 0.5)

    def rank(self, statements: Sequence[Statement], question: str) -> list[tuple[float, Statement]]:
        """Best first; equal ones in the order of their references."""
        asked = map(concept, content_words(question))
        weights = {word: self._rarity.get(word, self._unknown) for word in asked}
        scored = [(_score(each, question, weights), each) for each in statements if weights]
        return sorted(scored, key=lambda pair: (-pair[0], pair[1].ref, pair[1].place))


def _score(statement: Statement, question: str, weights: Mapping[str, float]) -> float:
    sought = has_what_is_sought(question, statement.text)
    score = (
        OWN * _share(weights, statement.concepts)
        + AROUND * _share(weights, statement.surrounding_concepts)
        + FOUND * statement.score
        + SOUGHT * (0.5 if sought is None else float(sought))
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
