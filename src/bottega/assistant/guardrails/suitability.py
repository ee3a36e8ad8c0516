"""Whether an output suits the age of those who will read it: topics, words, sentences."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from bottega.assistant.guardrails.pupil_texts import PartOfText, parts_of
from bottega.assistant.guardrails.reading_level import reading_level
from bottega.assistant.guardrails.topics import Severity, topics_in

#: Years that a text may be ahead of its readers: a teacher is there to help.
NOTED_YEARS, ABORTED_YEARS = 3, 12
#: From this age on pupils do not want to be talked to like small children.
GROWN = 13
#: What is stopped for pupils of this age is stopped for all.
OLDEST = 18
#: From this reading age on it is an adult's text.
ADULT = 18
_CHILDISH = re.compile(
    r"\b(?:yay|yippee|hooray|super-duper|boys\s+and\s+girls|teeny\W+weeny|\w+y-w\w+y|kiddies|"
    r"thinking\s+caps?|little\s+(?:stars?|scientists?|ones|learners)|clap\s+your\s+hands|"
    r"wave\s+hello|gold\s+stars?|tummy|doggy|horsey)\b",
    re.IGNORECASE,
)


class Aspect(StrEnum):
    TOPIC = "topic"
    READING = "reading level"
    REGISTER = "register"


class Concern(BaseModel):
    model_config = ConfigDict(frozen=True)

    aspect: Aspect
    severity: Severity
    #: What it is about, in words for the teacher.
    text: str
    heading: str
    line: int
    #: The words that gave rise to it; empty for what is about the whole.
    quote: str = ""
    #: Suits no age, whatever stands around it.
    is_final: bool = False

    def __str__(self) -> str:
        where = f"line {self.line}" + (f", “{self.heading}”" if self.heading else "")
        return f"{where}: {self.text}"


def judge(output: str, age: int, *, is_all_for_pupils: bool = False) -> list[Concern]:
    """Every concern about a class whose youngest are of this age. For a thread."""
    parts = parts_of(output, is_all_for_pupils=is_all_for_pupils)
    concerns = [each for part in parts for each in _topics(part, age)]
    for_pupils = [part for part in parts if part.is_for_pupils]
    return [*concerns, *_reading(for_pupils, age), *_register(for_pupils, age)]


def _topics(part: PartOfText, age: int) -> Iterator[Concern]:
    for found in topics_in(part.text):
        if not part.is_for_pupils and not found.topic.everywhere:
            continue
        severity = found.topic.severity(age, is_promoted=found.is_promoted)
        if severity is not None:
            line = part.line + part.text.count("\n", 0, found.start)
            text = f"“{found.word}” ({found.topic.concern}) for pupils aged {age}"
            if found.is_promoted and found.topic.promoted:
                text += ", and nothing warns of it"
            yield Concern(
                aspect=Aspect.TOPIC,
                severity=severity,
                text=f"{text}.",
                heading=part.heading,
                line=line,
                quote=found.word,
                is_final=found.topic.severity(OLDEST, is_promoted=False) is Severity.ABORT,
            )


def _reading(parts: Sequence[PartOfText], age: int) -> Iterator[Concern]:
    for part in parts:
        level = reading_level(part.text)
        if level is None or level.age - age < NOTED_YEARS:
            continue
        is_much = level.age - age >= ABORTED_YEARS
        yield Concern(
            aspect=Aspect.READING,
            severity=Severity.ABORT if is_much else Severity.NOTE,
            text=(
                f"reads like a text for {_readers(level.age)}, and the class is {age} "
                f"({level.words_a_sentence:.0f} words a sentence). Shorter sentences and common "
                "words help."
            ),
            heading=part.heading,
            line=part.line,
        )


def _readers(age: float) -> str:
    return f"age {age:.0f}" if age < ADULT else "adults"


def _register(parts: Sequence[PartOfText], age: int) -> Iterator[Concern]:
    for part in parts:
        childish = {found[0].casefold() for found in _CHILDISH.finditer(part.text)}
        if age >= GROWN and len(childish) >= 2:
            yield Concern(
                aspect=Aspect.REGISTER,
                severity=Severity.NOTE,
                text=f"talks down to pupils aged {age}: {', '.join(sorted(childish))}.",
                heading=part.heading,
                line=part.line,
            )
