"""Whether a text suits the age of the pupils who will read it: topics, words, sentences.

The parts that pupils read are known by their headings, their age by the class's profile.

Topics and words that are not for every age are found by lists that say from which age on. A topic
that may be taught is told from its praise by what stands around it: warnings and help on one side,
fun and invitations on the other.

How old a reader has to be is told by the length of sentences and of words: the Flesch-Kincaid grade
(Kincaid et al., 1975) and the share of long words (Gunning, 1952), with our own count of syllables.
A long word counts once: a term that is taught is not hard again each time. Nothing is said of a
text that is too short to tell.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import yaml
from pydantic import BaseModel

from bottega.assistant.guardrails.word_lists import LISTS, phrase_pattern
from bottega.core.definitions import Document, sections


class Severity(StrEnum):
    #: The output must not go out so.
    ABORT = "abort"
    #: The teacher should know.
    NOTE = "note"


class SensitiveTopic(BaseModel, frozen=True, extra="forbid"):
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
    topic: SensitiveTopic
    word: str
    start: int
    is_promoted: bool


_PRAISE = phrase_pattern("praise")
_WARNING = phrase_pattern("warnings")


def topics_in(text: str) -> Iterator[TopicFound]:
    """The first word of each topic."""
    is_promoted = _PRAISE.search(text) is not None and _WARNING.search(text) is None
    for topic, pattern in _listed_topics():
        if found := pattern.search(text):
            yield TopicFound(topic, found[0], found.start(), is_promoted)


@cache
def _listed_topics() -> tuple[tuple[SensitiveTopic, re.Pattern[str]], ...]:
    listed = yaml.safe_load((LISTS / "topics.yaml").read_text("utf-8"))
    topics = [SensitiveTopic.model_validate(each) for each in listed]
    return tuple((topic, _pattern(topic.words)) for topic in topics)


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    each = (
        re.escape(word.removesuffix("*")).replace(r"\ ", r"\s+") + (r"\w*" if "*" in word else "")
        for word in words
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(each)})(?!\w)", re.IGNORECASE)


#: Under this many words the measure jumps about.
FEWEST_WORDS = 30
LONG_WORD_SYLLABLES = 3

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?:;]+(?=\s|$)|\n\s*\n|\n(?=\s*(?:[-*+•|>]|\d{1,3}[.)])\s)")
_NOT_PROSE = re.compile(
    r"```.*?```|~~~.*?~~~|`[^`\n]*`|\[evidence:[^\]]{0,2000}\]|https?://\S+|"
    r"^\s*\|?[\s:|-]+\|?\s*$|^#+ [^\n]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
#: Vowels that stand together and are spoken apart: via, video, idea, quiet, poem, doing.
_SPOKEN_APART = re.compile(
    r"(?<![tscg])i[ao](?!u)|eo(?!u|ple)|[dr]ea$|(?:sc|qu|d|l)ie[nt]|oe[mt]|creat|[aeiouy]ing$|ism$|"
    r"ua(?=[tl])"
)
_VOWELS = re.compile(r"[aeiouyàáâäèéêëìíîïòóôöùúûü]+")


@dataclass(frozen=True, slots=True)
class ReadingLevel:
    words: int
    words_a_sentence: float
    syllables_a_word: float
    #: The share of different words that have three syllables or more.
    long_words: float

    @property
    def age(self) -> float:
        """Of a reader who can follow it alone."""
        kincaid = 0.39 * self.words_a_sentence + 11.8 * self.syllables_a_word - 15.59
        fog = 0.4 * (self.words_a_sentence + 100 * self.long_words)
        return max(5.0, (kincaid + fog) / 2 + 5)


def reading_level(text: str) -> ReadingLevel | None:
    prose = _NOT_PROSE.sub("\n\n", text)
    sentences = [words for each in _SENTENCE_END.split(prose) if (words := _WORD.findall(each))]
    words = [word for sentence in sentences for word in sentence]
    if len(words) < FEWEST_WORDS:
        return None
    different = {word.casefold() for word in words}
    is_long = [syllables(word) >= LONG_WORD_SYLLABLES for word in different]
    return ReadingLevel(
        words=len(words),
        words_a_sentence=len(words) / len(sentences),
        syllables_a_word=sum(map(syllables, words)) / len(words),
        long_words=sum(is_long) / len(words),
    )


def syllables(word: str) -> int:
    word = word.casefold()
    count = len(_VOWELS.findall(word))
    # A silent e, alone or before s and d: cake, loops, moved; but not table, wanted, classes.
    if re.search(r"[^aeiouyl]e$|[aeiou]le$|[^aeioutd]ed$|[^aeiouyscxzgh]es$", word):
        count -= 1
    return max(1, count + len(_SPOKEN_APART.findall(word)))


_FOR_PUPILS = phrase_pattern("pupil_headings")
_FOR_STAFF = phrase_pattern("staff_headings")
_AGES = re.compile(
    r"\b(?:ages?|aged)\s*:?\s*(?P<from>\d{1,2})(?:\s*(?:-|–|to|and)\s*(?P<to>\d{1,2}))?\b"
    r"|\b(?P<olds>\d{1,2})(?:\s*(?:-|–|to)\s*(?P<olds_to>\d{1,2}))?[-\s]year[-\s]olds?\b",
    re.IGNORECASE,
)
#: Years that a text may be ahead of its readers: a teacher is there to help.
NOTED_YEARS, ABORTED_YEARS = 3, 12
#: From this age on pupils do not want to be talked to like small children.
GROWN = 13
#: What is stopped for pupils of this age is stopped for all.
OLDEST = 18
#: From this reading age on it is an adult's text.
ADULT = 18
_CHILDISH = phrase_pattern("childish_words")


@dataclass(frozen=True, slots=True)
class PartOfText:
    heading: str
    text: str
    #: Of the output, where the part begins.
    line: int
    is_for_pupils: bool


def parts_of(output: str, *, is_all_for_pupils: bool = False) -> Sequence[PartOfText]:
    """Every section with whether pupils read it. `is_all_for_pupils` for an output that is one
    resource: then only what says that it is for staff is not."""
    found = []
    for section in sections(Document("output", {}, output.replace("\r\n", "\n"))):
        path = list(section.path)
        is_ours = any(_FOR_STAFF.search(title) for title in path[-1:])
        is_theirs = is_all_for_pupils or any(_FOR_PUPILS.search(title) for title in path)
        heading = path[-1] if path else ""
        found.append(
            PartOfText(heading, section.text, section.start_line, is_theirs and not is_ours)
        )
    return found


@dataclass(frozen=True, slots=True)
class YearGroup:
    #: As the profile has it.
    name: str
    youngest: int
    oldest: int


Ages = Callable[[int], tuple[int, int]]

#: The youngest and the oldest of a year, by how the year is called.
_YEARS: tuple[tuple[re.Pattern[str], Ages], ...] = (
    (re.compile(r"\b(?:S|Secondary\s)([1-6])\b"), lambda year: (year + 10, year + 12)),
    (re.compile(r"\b(?:P|Primary\s)([1-7])\b"), lambda year: (year + 3, year + 5)),
    (re.compile(r"\b(?:Year|Yr\.?|Y)\s?(1[0-3]|[1-9])\b", re.I), lambda year: (year + 4, year + 5)),
    (re.compile(r"\bGrade\s?(1[0-2]|[1-9])\b", re.I), lambda y: (y + 5, y + 6)),
    (re.compile(r"\b(1[0-2]|[1-9])(?:st|nd|rd|th)\s+grade\b", re.I), lambda y: (y + 5, y + 6)),
    (
        re.compile(r"\b(?:KS|Key\sStage\s)([1-5])\b", re.IGNORECASE),
        lambda stage: ((5, 7), (7, 11), (11, 14), (14, 16), (16, 18))[stage - 1],
    ),
)


def year_group(profile: str) -> YearGroup | None:
    """What a profile says first; ages go before the name of a year."""
    if found := _AGES.search(profile):
        youngest = int(found["from"] or found["olds"])
        oldest = int(found["to"] or found["olds_to"] or youngest)
        if 3 <= youngest <= oldest <= 25:
            return YearGroup(found[0], youngest, oldest)
    named = [
        (found.start(), YearGroup(found[0], *ages(int(found[1]))))
        for pattern, ages in _YEARS
        if (found := pattern.search(profile))
    ]
    return min(named, key=lambda each: each[0])[1] if named else None


class Aspect(StrEnum):
    TOPIC = "topic"
    READING = "reading level"
    REGISTER = "register"


class Concern(BaseModel, frozen=True):
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
