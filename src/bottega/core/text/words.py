"""Words: split, the ones that say nothing, stems, how rare one is; and parts of a text: its
sentences, what fits a line or a limit, and how many tokens it takes.
"""

import math
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

_ASCII_WORD = re.compile(r"[a-z0-9]+")
_LISTS: dict[str, str] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
#: English words that say nothing of what a text is about.
STOP_WORDS = frozenset(_LISTS["stop_words"].split())
#: Endings that make one word out of another, the longest first.
ENDINGS = tuple(_LISTS["endings"].split())
SHORTEST_STEM = 3


def words(text: str) -> list[str]:
    """The words in their order, in lower case: letters, marks and digits of any script."""
    lower = text.lower()
    if lower.isascii():
        return _ASCII_WORD.findall(lower)
    return "".join(
        character if unicodedata.category(character)[0] in "LMN" else " " for character in lower
    ).split()


def content_words(text: str) -> list[str]:
    """Those of `words` that are no stop words."""
    return [word for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """What the forms of an English word have in common: `sort` of `sorting` and `sorted`."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            word = word[: -len(ending)]
            break
    if len(word) > SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word


def rarity(count: int, total: int, smoothing: float = 0.5) -> float:
    """How much a word tells texts apart of which `count` of `total` have it: more, if fewer do."""
    return math.log(1 + total / (count + smoothing))


def bm25_rarity(count: int, total: int) -> float:
    """As FTS5 weighs a word; one that stands in more than half of all counts for nothing."""
    return max(math.log((total - count + 0.5) / (count + 0.5)), 0.0)


_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|resp|approx|vs)\.$", re.IGNORECASE)
#: Most models need about this many bytes of English for a token.
BYTES_PER_TOKEN = 4
#: Unicode's categories of characters that nobody sees: control, format, private, separators.
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
#: Characters of a value that a message quotes.
LONGEST_SHOWN = 200


def sentences(text: str) -> list[str]:
    """As they stand there, each on one line; an abbreviation such as `e.g.` ends none."""
    found: list[str] = []
    for part in map(one_line, _SENTENCE_END.split(text)):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += f" {part}"
        elif part:
            found.append(part)
    return found


def one_line(text: str) -> str:
    """The text without line breaks and repeated blanks."""
    return " ".join(text.split())


def shorten(text: str, longest: int) -> str:
    """At most `longest` characters; `…` is the last of them where something is left out."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def excerpt_json(value: Any, longest: int, most: int) -> Any:
    """A JSON value with texts of at most `longest` characters and lists of at most `most` items."""
    if isinstance(value, str):
        return shorten(value, longest)
    if isinstance(value, dict):
        return {name: excerpt_json(each, longest, most) for name, each in value.items()}
    if isinstance(value, list):
        return [excerpt_json(each, longest, most) for each in value[:most]]
    return value


def shorten_to_words(text: str, longest: int) -> str:
    """The same on one line, ending with a whole word."""
    line = one_line(text)
    if len(line) <= longest:
        return line
    return line[: longest - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def make_visible(text: str) -> str:
    """What a terminal or page would obey or hide instead of showing it, written as an escape:
    control characters, marks of direction, blanks of no width."""
    return "".join(
        character.encode("unicode_escape").decode()
        if character not in "\n\t" and unicodedata.category(character) in _UNSEEN
        else character
        for character in text
    )


def shown(value: object, longest: int = LONGEST_SHOWN) -> str:
    """A value as a message quotes it."""
    return shorten(repr(value), longest)


def estimate_tokens(text: str) -> int:
    """How many tokens a model would count, by the bytes of the text."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN)


def strings(value: Any) -> Iterator[str]:
    """The text in a JSON value, at any depth, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)
