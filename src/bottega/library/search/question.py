"""A question: the words that say what it is about."""

from dataclasses import dataclass

from bottega.core.search.text_index import words

#: Words that only ask.
ASKING = frozenset(
    """
    many much long often old early late soon far quickly high may might must shall need needs can
    could would get gets give gives given do done make makes made go goes take takes taking bring
    happen happens tell say says said know explain mean means meaning called please kind sort want
    wants also us let there right few together people person somebody someone anybody anyone nobody
    everybody everyone
    """.split()  # noqa: SIM905 - a list of them would be a page
)
#: Words of a question that are looked at: more of them add time, not certainty.
MAX_WORDS = 16


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    #: Those that say what it is about.
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Question":
        content = [word for word in words(text) if word not in ASKING and len(word) > 1]
        return cls(text, tuple(content[:MAX_WORDS]))
