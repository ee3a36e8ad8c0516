"""Whether a request is near to what a plugin is for, or nearer to what it is not for.

A request is compared with the plugin's own sentences and with things that people ask any assistant
for. Those of the latter that are near to the plugin itself do not count: to plan a lesson is no
foreign request to a plugin that plans lessons. A wrong refusal is worse than a wrong pass, so it
takes a clear margin; what lies between is for a model, or passes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from bottega.assistant.guardrails.domain import Domain, content_words
from bottega.assistant.guardrails.word_lists import lines
from bottega.assistant.workspace.topics import classes_in
from bottega.core.embeddings import Embedder

#: A foreign request that is this near to a sentence of the plugin is none to it.
KINDRED = 0.38
#: What speaks for a request beside its likeness: a word of the plugin's own, two, one of the
#: person's files or classes, and that it asks for nothing but names a subject.
ONE_WORD, TWO_WORDS, NAMES_A_FILE, ONLY_A_SUBJECT = 0.06, 0.12, 0.25, 0.12
OVERRIDES = 0.2
#: Chosen on the labelled requests for tuning. A request in the plugin's own words has to be further
#: away, and what it is taken for has to account for a good part of it: "the lottery function" is no
#: wish for lottery numbers.
FOREIGN, FOREIGN_IN_OUR_WORDS, FAMILIAR = -0.32, -0.5, -0.05
ACCOUNTED_FOR = 0.3
LONGEST = 2_000

_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget)\s+(?:\w+\s+){0,3}(?:instructions?|rules?|prompts?|guidelines?)\b",
    re.IGNORECASE,
)
#: How somebody begins who asks for something rather than naming it.
_ASKS = re.compile(
    r"\W*(?:please\s+|can\s+you\s+|could\s+you\s+)?(?:i|we|my|you|what|which|who|whom|whose|when|where|"
    r"why|how|is|are|am|was|do|does|did|can|could|should|would|will|shall|have|has|may|add|advise|"
    r"answer|arrange|ask|assess|book|build|buy|calculate|call|change|check|compare|compose|cook|"
    r"correct|count|create|debug|describe|design|draft|draw|edit|estimate|explain|fill|find|fix|"
    r"forget|format|generate|get|give|go|grade|help|ignore|disregard|improve|invent|invest|list|look|"
    r"make|mark|negotiate|open|order|organi[sz]e|outline|plan|play|point|prepare|print|propose|"
    r"recommend|refine|rename|reserve|review|rewrite|rework|run|search|sell|send|set|show|simplify|"
    r"solve|sort|suggest|summari[sz]e|take|teach|tell|test|translate|turn|update|use|want|write)\b",
    re.IGNORECASE,
)


class Scope(StrEnum):
    INSIDE = "inside"
    UNSURE = "unsure"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Bearing:
    """Where a request stands."""

    scope: Scope
    #: Below nothing: nearer to something else.
    score: float
    #: The sentence of the plugin that it is nearest to.
    nearest: str
    #: The foreign request that it is nearest to.
    foreign: str


async def take_bearing(
    request: str, domain: Domain, embedder: Embedder, names: Sequence[str] = ()
) -> Bearing:
    """`names` are the person's own files and classes, without endings."""
    request = request[:LONGEST]
    foreign = lines("other_requests")
    vectors = await embedder.embed([request, *domain.sentences, *foreign])
    asked, own, other = np.split(vectors, [1, 1 + len(domain.sentences)])
    if not len(own) or not asked.any():  # nothing to compare: nobody is refused for that
        return Bearing(Scope.INSIDE, 0.0, "", "")
    near = (own @ asked[0]).tolist()
    far = np.where((other @ own.T).max(axis=1) < KINDRED, other @ asked[0], -1.0).tolist()
    score = max(near) - max(far) + _signs(request, domain, names)
    taken_for = foreign[far.index(max(far))]
    return Bearing(
        scope=_scope(score, request, domain, taken_for),
        score=round(score, 3),
        nearest=domain.sentences[near.index(max(near))],
        foreign=taken_for,
    )


def _signs(request: str, domain: Domain, names: Sequence[str]) -> float:
    shared = len(content_words(request) & domain.words)
    sign = TWO_WORDS if shared > 1 else ONE_WORD if shared else 0.0
    if classes_in(request, names):
        sign += NAMES_A_FILE
    if not _ASKS.match(request) and not request.rstrip().endswith("?"):
        sign += ONLY_A_SUBJECT
    return sign - (OVERRIDES if _OVERRIDE.search(request) else 0.0)


def _scope(score: float, request: str, domain: Domain, taken_for: str) -> Scope:
    if score >= FAMILIAR:
        return Scope.INSIDE
    words = content_words(request)
    is_in_our_words = bool(words & domain.words) or len(words & domain.advice_words) > 1
    accounted_for = len(words & content_words(taken_for)) >= ACCOUNTED_FOR * len(words)
    is_far = score <= (FOREIGN_IN_OUR_WORDS if is_in_our_words else FOREIGN)
    is_outside = is_far and (accounted_for or _OVERRIDE.search(request) is not None)
    return Scope.OUTSIDE if is_outside else Scope.UNSURE
