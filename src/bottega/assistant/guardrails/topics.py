"""Topics and words that are not for every age, found by lists that say from which age on.

A topic that may be taught is told from its praise by what stands around it: warnings and help on
one side, fun and invitations on the other.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import yaml
from pydantic import BaseModel, ConfigDict

from bottega.assistant.guardrails.word_lists import LISTS


class Severity(StrEnum):
    #: The output must not go out so.
    ABORT = "abort"
    #: The teacher should know.
    NOTE = "note"


class Topic(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    concern: str
    #: What happens for a class whose youngest are younger than the key.
    under: Mapping[int, Severity]
    promoted: Severity | None = None
    everywhere: bool = False
    words: Sequence[str]

    def severity(self, age: int, *, is_promoted: bool) -> Severity | None:
        if is_promoted and self.promoted is not None:
            return self.promoted
        return next((each for limit, each in sorted(self.under.items()) if age < limit), None)


@dataclass(frozen=True, slots=True)
class TopicFound:
    topic: Topic
    word: str
    start: int
    is_promoted: bool


_PRAISE = re.compile(
    r"\b(?:fun|cool|great|awesome|amazing|better|best|energy|exciting|enjoy|delicious|tasty|"
    r"winnings|(?:should|must|let['’]s|everybody|to)\s+try|try\s+(?:a|some|it)|advert(?:isement)?|"
    r"want\s+to\s+start|how\s+much\s+they\s+take|open\s+an\s+account|place\s+your\s+own|nobody\s+"
    r"notices|with\s+your\s+friends|feels?\s+to)\b",
    re.IGNORECASE,
)
_WARNING = re.compile(
    r"\b(?:harm(?:s|ful|ed)?|danger\w*|risk\w*|illegal|addict\w*|unsafe|not\s+safe|unhealthy|bad|"
    r"warn\w*|stop(?:s|ping)?|say\s+no|worried|helpline|distress|trust|laws?|consequences|damage\w*|"
    r"disease\w*|lose|house\s+always\s+wins|against)\b",
    re.IGNORECASE,
)


def topics_in(text: str) -> Iterator[TopicFound]:
    """The first word of each topic."""
    is_promoted = _PRAISE.search(text) is not None and _WARNING.search(text) is None
    for topic, pattern in _topics():
        if found := pattern.search(text):
            yield TopicFound(topic, found[0], found.start(), is_promoted)


@cache
def _topics() -> tuple[tuple[Topic, re.Pattern[str]], ...]:
    listed = yaml.safe_load((LISTS / "topics.yaml").read_text("utf-8"))
    topics = [Topic.model_validate(each) for each in listed]
    return tuple((topic, _pattern(topic.words)) for topic in topics)


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    each = (
        re.escape(word.removesuffix("*")).replace(r"\ ", r"\s+") + (r"\w*" if "*" in word else "")
        for word in words
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(each)})(?!\w)", re.IGNORECASE)
