"""How clear a question is, and what to ask back where it is not, by rules."""

import re
from dataclasses import dataclass, field

from bottega.research.stages.planning.surroundings import Surroundings
from bottega.research.stages.wording import content_words

#: From here on the research can begin.
CLEAR = 0.7
#: With more words than these, a question says what it is about whatever its pronouns do.
MOST_WORDS_AROUND = 2

_DUMMY_IT = re.compile(r"\b(?:is|was|be) it (?:\w+ )?\w+ (?:to|that|if|for|when|whether)\b", re.I)
_POINTING = re.compile(
    r"\b(?:it|its|they|them|their|he|she)\b"
    r"|\b(?:this|that|these|those)\b(?=\s*(?:$|[?.,]|is|are|was|were|do|does|mean|cost|happen))",
    re.IGNORECASE,
)
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Clarity:
    score: float
    questions: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)


def assess(question: str, around: Surroundings, prior_question: str | None = None) -> Clarity:
    words = content_words(question)
    pointing = lost_pronoun(question)
    if pointing and prior_question:
        assumption = f"“{pointing}” is about what was asked before: “{prior_question}”"
        return Clarity(0.8, assumptions=[assumption])
    if not words and not pointing:
        return Clarity(0.1, ["What do you want to know? Name the thing or rule that it is about."])
    unknown = around.unknown_words
    if words and len(unknown) == len(words):
        return Clarity(0.3, [_ask_about(unknown)])
    if pointing:
        return Clarity(0.5, [f"What does “{pointing}” stand for here?"])
    if len(words) == 1 and not _is_defined(words[0], around):
        headings = _headings(around)
        return Clarity(
            0.5,
            [f"What do you want to know about “{words[0]}”?{_for_example(headings)}"],
            alternatives=[f"{words[0]}: {heading}" for heading in headings],
        )
    if unknown:
        # One foreign word among many may be only a way to say it.
        return Clarity(round(0.9 - 0.5 * len(unknown) / len(words), 2), [_ask_about(unknown)])
    return Clarity(0.9)


def lost_pronoun(question: str) -> str | None:
    """A word that points to something which the question does not say."""
    question = _DUMMY_IT.sub(" ", question)
    found = _POINTING.search(question)
    # "What does it cost to use the crane" says enough.
    if found is None or len(content_words(question)) > MOST_WORDS_AROUND:
        return None
    before = question[: found.start()].rstrip().lower()
    words = content_words(before)
    # "Who may work it" has only the verb before it; "what happens to cargo if it" has a noun.
    is_lost = not words or (len(words) == 1 and before.endswith(words[0]))
    return found.group().lower() if is_lost else None


def _is_defined(word: str, around: Surroundings) -> bool:
    return any(word in term.split() for term in around.terms)


def _ask_about(unknown: list[str]) -> str:
    named = " and ".join(f"“{word}”" for word in unknown[:_MOST_NAMED])
    return f"The library does not speak of {named} near this. What would it call that?"


def _headings(around: Surroundings) -> list[str]:
    found = dict.fromkeys(each.heading for each in around.passages if each.heading)
    return list(found)[:3]


def _for_example(headings: list[str]) -> str:
    return f" The library has, for example: {', '.join(headings)}." if headings else ""
