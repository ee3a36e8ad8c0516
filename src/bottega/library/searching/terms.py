"""Defined terms widen a query: who asks for one means also what it is defined to be.

And the other way round: who describes a thing in the words of its definition means the term.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from bottega.core.textindex.index import words

#: Words of a definition that tell it from others; the rest of a long one is exceptions.
DEFINING_WORDS = 12
MOST_EXPANSIONS = 3
#: How much of a query has to stand in a definition for the term to be meant.
DESCRIBED = 0.6


@dataclass(frozen=True, slots=True)
class Expansion:
    term: str
    #: What to search for beside the query.
    query: str


@dataclass(frozen=True, slots=True)
class _Defined:
    term: str
    #: In the form in which words are compared.
    tokens: tuple[str, ...]
    defining: tuple[str, ...]


class Terms:
    def __init__(self, definitions: Iterable[tuple[str, str]]) -> None:
        """Pairs of a term and its definition."""
        self._by_first_word: defaultdict[str, list[_Defined]] = defaultdict(list)
        self._by_defining_word: defaultdict[str, list[_Defined]] = defaultdict(list)
        for term, definition in definitions:
            defined = _Defined(term, _tokens(term), tuple(words(definition)[:DEFINING_WORDS]))
            if not defined.tokens:
                continue
            self._by_first_word[defined.tokens[0]].append(defined)
            for token in set(map(_singular, defined.defining)):
                self._by_defining_word[token].append(defined)

    def expand(self, query: str) -> list[Expansion]:
        """The terms that the query names, longest first, then those that it describes."""
        tokens = _tokens(query)
        named = {each.term: each for each in self._named(tokens)}
        described = {each.term: each for each in self._described(tokens) if each.term not in named}
        found = [
            *(
                Expansion(each.term, f"{each.term} {' '.join(each.defining)}")
                for each in named.values()
            ),
            *(Expansion(each.term, each.term) for each in described.values()),
        ]
        return found[:MOST_EXPANSIONS]

    def named(self, text: str) -> list[str]:
        """The terms that stand in a text, longest first."""
        return list(dict.fromkeys(each.term for each in self._named(_tokens(text))))

    def _named(self, tokens: tuple[str, ...]) -> list[_Defined]:
        found = [
            each
            for place, token in enumerate(tokens)
            for each in self._by_first_word.get(token, ())
            if tokens[place : place + len(each.tokens)] == each.tokens
        ]
        return sorted(found, key=lambda each: (-len(each.tokens), each.term))

    def _described(self, tokens: tuple[str, ...]) -> list[_Defined]:
        shared = Counter(
            each for token in set(tokens) for each in self._by_defining_word.get(token, ())
        )
        least = max(2, DESCRIBED * len(set(tokens)))
        found = [(count, each) for each, count in shared.items() if count >= least]
        return [each for _, each in sorted(found, key=lambda pair: (-pair[0], pair[1].term))]


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_singular(word) for word in words(text))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
