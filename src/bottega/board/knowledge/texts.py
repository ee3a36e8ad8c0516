"""The words of an item: its key and title, the agents it is for, and what repeats it."""

import hashlib
import re
from collections.abc import Iterable, Sequence

import numpy as np

from bottega.board.changes.agent_types import SUBJECTS
from bottega.board.knowledge.schemas import LONGEST_KEY
from bottega.core.readers.embedder import Embedder
from bottega.core.text.words import shorten_to_words

WORDS_IN_KEY = 8
LONGEST_TITLE = 80

_KEY_WORD = re.compile(r"[^\W_]+")


def key_of(content: str) -> str:
    words = _KEY_WORD.findall(first_line(content).lower())[:WORDS_IN_KEY]
    return "_".join(words)[:LONGEST_KEY].strip("_") or "note"


def longer_key_of(content: str) -> str:
    """For what begins with the same words as something else."""
    tail = hashlib.sha256(content.encode()).hexdigest()[:6]
    return f"{key_of(content)[: LONGEST_KEY - 7]}_{tail}"


def title_of(content: str) -> str:
    return shorten_to_words(first_line(content), LONGEST_TITLE)


def first_line(content: str) -> str:
    return next((line.strip("#*- \t") for line in content.splitlines() if line.strip("#*- \t")), "")


ALL_SUBJECTS = frozenset().union(*SUBJECTS.values())

_SUBJECT = re.compile(r"[a-z0-9][a-z0-9.+-]*[a-z0-9]|[a-z0-9]")


def is_for(agent_type: str, tags: Sequence[str], title: str) -> bool:
    own = SUBJECTS.get(agent_type)
    named = subjects_in(tags or [title])
    return not own or not named or not named.isdisjoint(own)


def subjects_in(texts: Iterable[str]) -> frozenset[str]:
    """The specialists' subjects that the texts name."""
    named = (word for text in texts for word in _SUBJECT.findall(text.lower()))
    return ALL_SUBJECTS.intersection(named)


ALIKE = 0.88
ALIKE_UNDER_ONE_KEY = 0.6

#: Words that turn a sentence round.
TURNING = frozenset(
    """
    not no never none without cannot don't doesn't mustn't shouldn't avoid except unless instead
    before after above below first last more less min max minimum maximum
    enable disable enabled disabled allow forbid add remove local remote sync async
    """.split()  # noqa: SIM905 - a list of them would be a page
)
_TOKEN = re.compile(r"[\w'./-]+")
_PARTICULAR = re.compile(r"\d|\w[._/-]\w|[a-z][A-Z]")


async def similarities(embedder: Embedder, text: str, others: Sequence[str]) -> list[float]:
    if not others:
        return []
    own, *rest = await embedder.embed([text, *others])
    return [float(np.dot(own, other)) for other in rest]


def says_the_same(text: str, other: str, similarity: float, *, same_key: bool = False) -> bool:
    enough = ALIKE_UNDER_ONE_KEY if same_key else ALIKE
    return similarity >= enough and telling_words(text) == telling_words(other)


def telling_words(text: str) -> frozenset[str]:
    """Negations, directions, numbers and names such as `orders.customer_id`."""
    stripped = (word.strip("'./-") for word in _TOKEN.findall(text))
    return frozenset(
        word.lower() for word in stripped if word.lower() in TURNING or _PARTICULAR.search(word)
    )
