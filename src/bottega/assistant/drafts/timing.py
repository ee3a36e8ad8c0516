"""How the whole time is divided, and whether the times in a document add up."""

import re
from collections.abc import Iterable, Mapping, Sequence

from bottega.assistant.drafts.phrases import has_any, has_phrase
from bottega.assistant.drafts.playbook import Timing
from bottega.assistant.workspace.texts import statements

#: Minutes that a whole can have; other numbers of minutes are about something in it.
SHORTEST, LONGEST = 20, 240

_WORDS = "one two three four five six seven eight nine ten eleven twelve"
_TENS = {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}
NUMBERS = {word: number for number, word in enumerate(_WORDS.split(), 1)} | _TENS

_NUMBER = rf"(\d{{1,3}}|{'|'.join(NUMBERS)})"
_MINUTES = re.compile(rf"(?<!\w){_NUMBER}[\s-]*min(?:ute)?s?\b", re.IGNORECASE)


def minutes_in(text: str) -> list[tuple[int, int]]:
    """Every number of minutes, with where it stands."""
    return [(_number(found[1]), found.start()) for found in _MINUTES.finditer(text)]


def find_whole(
    timing: Timing,
    spoken: Sequence[str],
    written: Sequence[str],
    subjects: Iterable[str] = (),
    subject: str = "",
) -> int:
    """What the person said goes before what their files say of it.

    A file may give several: in "English (four periods) and History (a period of 100 minutes)" the
    number is about the one of the `subjects` that stands before it.
    """
    for text in spoken:
        for number, _ in minutes_in(text):
            if SHORTEST <= number <= LONGEST:
                return number
    for text in written:
        for statement in statements(text):
            for number, at in minutes_in(statement.text):
                before = statement.text[:at]
                is_about = has_any(statement.text, timing.words) and SHORTEST <= number <= LONGEST
                if is_about and _last_named(before, subjects) in (None, subject):
                    return number
    return timing.whole


def divide(timing: Timing, whole: int, known: Sequence[str]) -> dict[str, int]:
    """Minutes for each part, which add up to the whole. `known` is asked in its order."""
    minutes = {name: _part(timing, name, whole, known) for name in timing.parts}
    rest = next((name for name, part in timing.parts.items() if part.takes_rest), None)
    rest = rest or max(minutes, key=lambda name: minutes[name])
    minutes[rest] = whole - sum(each for name, each in minutes.items() if name != rest)
    # Too little time for so many parts: those that can give some do, the longest first.
    while minutes[rest] < timing.parts[rest].least:
        longest = max((name for name in minutes if name != rest), key=lambda name: minutes[name])
        if minutes[longest] <= 1:
            break
        minutes[longest] -= 1
        minutes[rest] += 1
    return minutes


def asked_minutes(text: str, part: str) -> int | None:
    """`a 5-minute starter`, `starters (5 min) work better`, `keep the starter to five minutes`."""
    named = rf"\b{re.escape(part)}s?\b"
    before = re.search(rf"{_MINUTES.pattern}\s+(?:\w+\s+)?{named}", text, re.IGNORECASE)
    after = re.search(rf"{named}[^.;\d]{{0,40}}?{_MINUTES.pattern}", text, re.IGNORECASE)
    found = before or after
    return _number(found[1]) if found else None


def minutes_by_section(titles: Iterable[str]) -> Mapping[str, int]:
    return {title: found[0][0] for title in titles if (found := minutes_in(title))}


def _part(timing: Timing, name: str, whole: int, known: Sequence[str]) -> int:
    part = timing.parts[name]
    for text in known:
        if (asked := asked_minutes(text, name)) is not None and asked < whole:
            return asked
        for phrase, minutes in part.when.items():
            if any(has_phrase(line, phrase) for line in text.split("\n")):
                return minutes
    return min(part.most, max(part.least, round(part.of * whole / timing.whole)))


def _last_named(text: str, subjects: Iterable[str]) -> str | None:
    places = {subject: text.casefold().rfind(subject.casefold()) for subject in subjects}
    named = [subject for subject, at in places.items() if at >= 0]
    return max(named, key=lambda subject: places[subject], default=None)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else NUMBERS[text.lower()]
