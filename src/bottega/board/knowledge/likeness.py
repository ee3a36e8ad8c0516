"""Whether two texts say the same, so that they are kept once.

The similarity of two embeddings alone does not tell: "before the server starts" and "after the
server starts" come out at 0.95, while good paraphrases lie between 0.45 and 0.95. So texts must be
near *and* agree in every word that turns a meaning round or names one particular thing. Where both
were given the same key, somebody has already said that they are about the same, and less nearness
is enough.
"""

import re
from collections.abc import Sequence

import numpy as np

from bottega.board.knowledge.naming import words
from bottega.core.embeddings import Embedder

ALIKE = 0.88
ALIKE_UNDER_ONE_KEY = 0.6

#: Words that turn a sentence round.
TURNING = words(
    "not no never none without cannot don't doesn't mustn't shouldn't avoid except unless instead "
    "before after above below first last more less min max minimum maximum "
    "enable disable enabled disabled allow forbid add remove local remote sync async"
)
_WORD = re.compile(r"[\w'./-]+")
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
    stripped = (word.strip("'./-") for word in _WORD.findall(text))
    return frozenset(
        word.lower() for word in stripped if word.lower() in TURNING or _PARTICULAR.search(word)
    )
