"""Words of questions and texts, brought into one form so that they can be compared."""

import re

from bottega.core.textindex.stopwords import STOP_WORDS
from bottega.library.service import Question, concept

#: Words that say how to answer, not what about.
_MANNER = frozenset(
    """
    everything anything all detail details detailed depth thorough thoroughly comprehensive quick
    quickly brief briefly short overview summary summarise summarize list compare comparison
    difference differences differ versus vs definition definitions define answer research show find
    look
    """.split()  # noqa: SIM905 - a list of them would be a page
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def all_words(text: str) -> list[str]:
    return [word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text.lower())]


def concepts(text: str) -> frozenset[str]:
    """What the text speaks of: one word for the forms of a word and for its synonyms."""
    return frozenset(concept(word) for word in all_words(text) if word not in STOP_WORDS)


def content_words(question: str) -> tuple[str, ...]:
    """Those that say what it is about, without those that only ask or say how to answer."""
    return tuple(word for word in Question.of(question).words if word not in _MANNER)


def likeness(one: str, other: str) -> float:
    """The share of what two texts speak of that both do."""
    mine, others = concepts(one), concepts(other)
    return len(mine & others) / len(mine | others) if mine and others else 0.0


def shorten(text: str, longest: int) -> str:
    """To whole words, with a sign that something is left out."""
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    return text[: longest - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
