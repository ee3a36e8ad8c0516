"""What a request is about: which class, and which of the files that could be loaded.

Classes are named by their files: `classes/3B.md` is 3B. Other files are about a request if it names
them (their file name, their title) or shares words with them that few others have. The same words
always choose the same files.

Also what a markdown file says, statement by statement, each with its line.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bottega.core.text.words import shorten

#: A name weighs as much as so many words of the text.
NAME_WEIGHT = 3.0
#: Less than one word that only a third of the files have.
LEAST_SCORE = 1.0
#: A file that is nearly as near as the nearest one belongs to it.
NEARLY = 0.6
MOST_CHOSEN = 2

_WORD = re.compile(r"[^\W\d_]{3,}")
_TITLE = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_FOR = re.compile(r"\bfor\s+(?:(?:my|our|the|class|group|year)\s+)*$", re.IGNORECASE)
_INSIDE_ID = re.compile(r"(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)|[\s_-]+", re.IGNORECASE)

#: Words of requests, not of subjects.
_COMMON = frozenset(Path(__file__).with_name("common_words.txt").read_text("utf-8").split())


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What a file can be recognised by."""

    title: str
    #: Of its path and title.
    names: frozenset[str]
    words: frozenset[str]


def facts_of(path: str, text: str) -> FileFacts:
    stem = path.rsplit("/", 1)[-1].removesuffix(".md")
    found = _TITLE.search(text)
    title = found[1] if found else stem
    return FileFacts(title, words_of(f"{stem.replace('_', '-')} {title}"), words_of(text))


def words_of(text: str) -> frozenset[str]:
    words = {word.casefold() for word in _WORD.findall(text)} - _COMMON
    return frozenset(_singular(word) for word in words)


def classes_in(request: str, class_ids: Iterable[str]) -> list[str]:
    """Those that the request names: `3B`, `3b` and `3 B` are one class. Whom it is for comes first:
    3B in "as we did with 2C, but for 3B"."""
    places = {}
    for class_id in class_ids:
        inner = r"[\s_-]?".join(re.escape(part) for part in _INSIDE_ID.split(class_id) if part)
        # A class called A is not meant by every "a".
        before = r"(?:class|group|set|form)\s+" if len(class_id) == 1 else ""
        found = list(re.finditer(rf"(?<!\w){before}{inner}(?!\w)", request, re.IGNORECASE))
        if inner and found:
            is_for = any(_FOR.search(request, 0, each.start()) for each in found)
            places[class_id] = (not is_for, found[0].start())
    return sorted(places, key=lambda each: places[each])


def nearest(request: str, files: Mapping[str, FileFacts], hints: Sequence[str] = ()) -> list[str]:
    """The paths that a request is about, the nearest first. `hints` are texts that go with it, such
    as the class's profile: their words count where they name a file."""
    spread = Counter(word for each in files.values() for word in each.words | each.names)
    asked, hinted = words_of(request), words_of(" ".join(hints))
    scores = {path: _score(each, asked, hinted, spread, len(files)) for path, each in files.items()}
    best = max(scores.values(), default=0.0)
    least = max(LEAST_SCORE, best * NEARLY)
    chosen = sorted((-score, path) for path, score in scores.items() if score >= least)
    return [path for _, path in chosen[:MOST_CHOSEN]]


def _score(
    facts: FileFacts,
    asked: frozenset[str],
    hinted: frozenset[str],
    spread: Counter[str],
    files: int,
) -> float:
    def weight(words: Iterable[str]) -> float:
        # In order: sums of floats depend on it.
        return sum(math.log((files + 1) / spread[word]) for word in sorted(words))

    named = {name for name in facts.names if _is_named(name, asked)}
    also = {name for name in facts.names if _is_named(name, hinted)} - named
    spoken = (asked & facts.words) - named
    return NAME_WEIGHT * weight(named) + NAME_WEIGHT / 2 * weight(also) + weight(spoken)


def _is_named(name: str, words: frozenset[str]) -> bool:
    """Also by the beginning of it: maths and mathematics, tech and technologies."""
    if name in words:
        return True
    return len(name) >= 4 and any(
        len(word) >= 4 and (word.startswith(name) or name.startswith(word)) for word in words
    )


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


LONGEST = 240

_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.+)$")
#: The last two are what a workspace shows of a file that is too long.
_NO_STATEMENT = re.compile(r"^\s*(?:#|\||>|<|---|```|~~~|$|L\d+: #|\(too long)")
_EMPHASIS = re.compile(r"(\*\*|\*|__|_|`)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\d])")


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    #: Of the file, from 1.
    line: int


def statements(text: str) -> list[Statement]:
    """List items, and the sentences of paragraphs."""
    found: list[Statement] = []
    is_fenced, is_open = False, False
    for number, line in enumerate(_without_frontmatter(text).split("\n"), 1):
        if line.lstrip().startswith(("```", "~~~")):
            is_fenced, is_open = not is_fenced, False
        elif is_fenced or _NO_STATEMENT.match(line):
            is_open = False
        elif bullet := _BULLET.match(line):
            found.append(Statement(bullet["text"].strip(), number))
            is_open = True
        elif is_open:
            last = found.pop()
            found += _sentences(f"{last.text} {line.strip()}", last.line)
        else:
            found += _sentences(line.strip(), number)
            is_open = True
    return [Statement(_plain(each.text), each.line) for each in found]


def choose(found: Sequence[Statement], request: str, most: int) -> list[Statement]:
    """The ones nearest to a request, in the file's order; the first ones where none is nearer."""
    asked = words_of(request)
    ranked = sorted(found, key=lambda each: (-len(asked & words_of(each.text)), each.line))
    return sorted(ranked[:most], key=lambda each: each.line)


def _sentences(text: str, line: int) -> list[Statement]:
    return [Statement(sentence, line) for sentence in _SENTENCE_END.split(text)]


def _plain(text: str) -> str:
    return shorten(_EMPHASIS.sub(r"\2", text), LONGEST)


def _without_frontmatter(text: str) -> str:
    """Its lines are emptied and not removed: the others keep their numbers."""
    if found := re.match(r"---\n.*?\n---\n", text, re.DOTALL):
        return "\n" * found[0].count("\n") + text[found.end() :]
    return text
