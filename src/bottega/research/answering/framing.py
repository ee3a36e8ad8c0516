"""Sentences that only lead through an answer, and claim nothing: they need no citation."""

import re

from bottega.core.textindex.index import words
from bottega.research.pipeline.outputs import Claim

#: How such a sentence begins.
_OPENING = re.compile(
    r"(?:the following|below|here (?:is|are)|this (?:answer|section|overview|summary|part)"
    r"|these (?:sections|points)|in (?:short|summary|brief)|to (?:sum up|summarise|summarize))\b",
    re.IGNORECASE,
)
#: Whatever has one of these says more: a number, a duty, a permission, a denial.
_CLAIMS = re.compile(
    r"\d|\b(?:shall|must|may|might|can|cannot|should|need|needs|not|no|never|none|only|always|all"
    r"|every|each|allowed|permitted|forbidden|prohibited|required|free|exempt)\b",
    re.IGNORECASE,
)
_LEADING_WORDS = frozenset(
    """
    following below here answer section sections overview summary part points short brief sum
    summarise summarize question rules rule standards standard library sources source paragraphs
    paragraph say says said explain explains cover covers covered describe describes list lists
    listed set sets out give gives given details detail apply applies about main key findings
    """.split()  # noqa: SIM905 - a list of them would be a page
)


def is_framing(claim: Claim, question: str) -> bool:
    """Whether it cites nothing and says nothing that the question did not."""
    if claim.citations or claim.labels or not _OPENING.match(claim.text.strip()):
        return False
    if _CLAIMS.search(claim.text):
        return False
    return set(words(claim.text)) <= _LEADING_WORDS.union(words(question))
