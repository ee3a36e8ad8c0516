"""What a plugin is for, in its own words: its commands', agents' and skills' descriptions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bottega.assistant.plugins.definition import Plugin
from bottega.core.textindex.stopwords import STOP_WORDS

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class Domain:
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
    def of(cls, plugin: Plugin) -> "Domain":
        work = list(_work(plugin))
        advice = [
            sentence
            for skill in plugin.skills.values()
            for sentence in _SENTENCE_END.split(skill.meta.description)
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
