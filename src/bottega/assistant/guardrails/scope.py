"""Whether a request is near to what a plugin is for, or nearer to what it is not for.

A request is compared with the plugin's own sentences and with things that people ask any assistant
for. Those of the latter that are near to the plugin itself do not count: to plan a lesson is no
foreign request to a plugin that plans lessons. A wrong refusal is worse than a wrong pass, so it
takes a clear margin; what lies between is for a model, or passes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from bottega.assistant.guardrails.word_lists import lines
from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.workspace.texts import classes_in
from bottega.core.readers.embedder import Embedder
from bottega.core.text.words import STOP_WORDS, sentences

_WORD = re.compile(r"[^\W\d_]{3,}")
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
    rf"\W*(?:please\s+|can\s+you\s+|could\s+you\s+)?(?:{'|'.join(lines('asking_words'))})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PluginDomain:
    plugin: str
    #: What it can do, a sentence each.
    sentences: Sequence[str]
    #: The words of what it does and whom it works for.
    words: frozenset[str]
    #: Those of its skills, which are about how to do it well.
    advice_words: frozenset[str]
    #: Its commands as a person reads them.
    offers: Sequence[str]

    @classmethod
    def of(cls, plugin: Plugin) -> "PluginDomain":
        work = list(_work(plugin))
        advice = [
            sentence
            for skill in plugin.skills.values()
            for sentence in sentences(skill.meta.description)
        ]
        return cls(
            plugin=plugin.name,
            sentences=[*work, *advice],
            words=content_words(" ".join([plugin.name.replace("-", " "), *work])),
            advice_words=content_words(" ".join(advice)),
            offers=[
                f"{command.full_name} ({command.meta.description.rstrip('.')})"
                for command in plugin.commands.values()
            ],
        )


def content_words(text: str) -> frozenset[str]:
    words = {word.casefold() for word in _WORD.findall(text)}
    return frozenset(_singular(word) for word in words - STOP_WORDS)


def _work(plugin: Plugin) -> Iterator[str]:
    for command in plugin.commands.values():
        yield f"{command.name.replace('-', ' ')}: {command.meta.description}"
    for agent in plugin.agents.values():
        if agent.meta.description:
            yield agent.meta.description


def _singular(word: str) -> str:
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


class ScopeLevel(StrEnum):
    INSIDE = "inside"
    UNSURE = "unsure"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class ScopeEstimate:
    """Where a request stands."""

    scope: ScopeLevel
    #: Below nothing: nearer to something else.
    score: float
    #: The sentence of the plugin that it is nearest to.
    nearest: str
    #: The foreign request that it is nearest to.
    foreign: str


async def estimate_scope(
    request: str, domain: PluginDomain, embedder: Embedder, names: Sequence[str] = ()
) -> ScopeEstimate:
    """`names` are the person's own files and classes, without endings."""
    request = request[:LONGEST]
    foreign = lines("other_requests")
    vectors = await embedder.embed([request, *domain.sentences, *foreign])
    asked, own, other = np.split(vectors, [1, 1 + len(domain.sentences)])
    if not len(own) or not asked.any():  # nothing to compare: nobody is refused for that
        return ScopeEstimate(ScopeLevel.INSIDE, 0.0, "", "")
    near = (own @ asked[0]).tolist()
    far = np.where((other @ own.T).max(axis=1) < KINDRED, other @ asked[0], -1.0).tolist()
    score = max(near) - max(far) + _signs(request, domain, names)
    taken_for = foreign[far.index(max(far))]
    return ScopeEstimate(
        scope=_scope(score, request, domain, taken_for),
        score=round(score, 3),
        nearest=domain.sentences[near.index(max(near))],
        foreign=taken_for,
    )


def _signs(request: str, domain: PluginDomain, names: Sequence[str]) -> float:
    shared = len(content_words(request) & domain.words)
    sign = TWO_WORDS if shared > 1 else ONE_WORD if shared else 0.0
    if classes_in(request, names):
        sign += NAMES_A_FILE
    if not _ASKS.match(request) and not request.rstrip().endswith("?"):
        sign += ONLY_A_SUBJECT
    return sign - (OVERRIDES if _OVERRIDE.search(request) else 0.0)


def _scope(score: float, request: str, domain: PluginDomain, taken_for: str) -> ScopeLevel:
    if score >= FAMILIAR:
        return ScopeLevel.INSIDE
    words = content_words(request)
    is_in_our_words = bool(words & domain.words) or len(words & domain.advice_words) > 1
    accounted_for = len(words & content_words(taken_for)) >= ACCOUNTED_FOR * len(words)
    is_far = score <= (FOREIGN_IN_OUR_WORDS if is_in_our_words else FOREIGN)
    is_outside = is_far and (accounted_for or _OVERRIDE.search(request) is not None)
    return ScopeLevel.OUTSIDE if is_outside else ScopeLevel.UNSURE
