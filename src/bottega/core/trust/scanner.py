"""Finds secrets in free text: by the shapes that issuers give their keys, by the name that a value
is assigned to, and by how random a long word is.

A text is first asked for the few letters that each shape cannot do without, which costs
microseconds; only then is an expression tried. What is random without being secret stays: hashes,
ids, checksums of lock files, encoded data, paths.
"""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

HIDDEN = "[hidden]"


@dataclass(frozen=True, slots=True)
class FoundSecret:
    #: What it is, for people: "a GitHub token".
    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Shape:
    kind: str
    #: One of them stands in every text that has such a secret.
    marks: tuple[str, ...]
    pattern: re.Pattern[str]
    #: Whether a match is one; its group `secret`, or all of it, is what goes.
    accepts: Callable[[str], bool]


def _is_mixed(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word)) and len(set(word)) > 4


def _is_no_word(word: str) -> bool:
    return word.lower() not in {"password", "passwd", "pass", "secret", "pwd", "pw"}


#: What `scanner.toml` names under `accepts`.
_ACCEPTS: dict[str, Callable[[str], bool]] = {
    "any": lambda _: True,
    "mixed": _is_mixed,
    "no_word": _is_no_word,
}


def _read_shapes() -> tuple[Shape, ...]:
    declared = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(
        Shape(
            each["kind"],
            tuple(each["marks"]),
            re.compile(each["pattern"], re.DOTALL),
            _ACCEPTS[each.get("accepts", "any")],
        )
        for each in declared["shape"]
    )


SHAPES = _read_shapes()

#: Ends of names whose values are secrets, in small letters.
NAMES = (
    *("password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "credential"),
    *("credentials", "authorization", "_pass", "-pass"),
)
#: A `key` is one with such a word before it.
_OF_KEY = re.compile(r"(?:api|access|secret|private|auth|account|signing|encryption)[_-]?$")
_ASSIGNED = re.compile(
    r"[\"']?\s{0,3}(?:=>|:=|[:=])\s{0,3}[\"'`]?(?P<secret>[^\s\"'`,;<>(){}\[\]]{6,200}+)(?!\()"
)
#: What stands for a value: a variable, a call, a placeholder, a type.
_STAND_IN = re.compile(
    r"[$%{]|^[*•x.]+$|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|example|placeholder|your[-_]|change[-_]?me"
    r"|\[hidden|redacted|^https?://|^/|^\.\.?/|^sha\d+[-:]|^[A-Z][A-Z_]+$",
    re.IGNORECASE,
)
_HASH = re.compile(r"[0-9a-fA-F]+|[0-9a-fA-F-]{36}")
_LONG = re.compile(r"(?<![\w+/=.-])[A-Za-z0-9_+-]{32,90}={0,2}(?![\w+/=-])")
#: Before a long word: it is a checksum, or data.
_CHECKSUM = re.compile(
    r"(?i)(?:sha-?\d+|md5|integrity|checksum|digest|hash|base64|etag|h1)\W{0,4}$"
)
#: Bits a character from which on a long word is random.
RANDOM_BITS = 4.2


def find(text: str) -> list[FoundSecret]:
    """In their order, without overlaps."""
    found = [*_of_shape(text), *_assigned(text), *_random(text)]
    found.sort(key=lambda each: (each.start, -each.end))
    chosen: list[FoundSecret] = []
    for each in found:
        if not chosen or each.start >= chosen[-1].end:
            chosen.append(each)
    return chosen


def hide(text: str) -> str:
    """The text with every secret in it hidden; the very same if there is none."""
    if len(text) < 8 or not (found := find(text)):
        return text
    parts, end = [], 0
    for each in found:
        parts += [text[end : each.start], HIDDEN]
        end = each.end
    return "".join([*parts, text[end:]])


def _of_shape(text: str) -> Iterator[FoundSecret]:
    for shape in SHAPES:
        if any(mark in text for mark in shape.marks):
            for match in shape.pattern.finditer(text):
                group = "secret" if "secret" in shape.pattern.groupindex else 0
                if shape.accepts(match[group]):
                    yield FoundSecret(shape.kind, *match.span(group))


def _assigned(text: str) -> Iterator[FoundSecret]:
    if ":" not in text and "=" not in text:
        return
    lower = text.lower()
    for end in _ends_of_names(lower if len(lower) == len(text) else text):
        match = _ASSIGNED.match(text, end)
        if match and _is_value(match["secret"]):
            yield FoundSecret("a value that its name says is secret", *match.span("secret"))


def _ends_of_names(lower: str) -> Iterator[int]:
    for name in NAMES:
        at = lower.find(name)
        while at >= 0:
            yield at + len(name)
            at = lower.find(name, at + 1)
    at = lower.find("key")
    while at >= 0:
        if _OF_KEY.search(lower, max(0, at - 12), at):
            yield at + 3
        at = lower.find("key", at + 1)


def _is_value(word: str) -> bool:
    if _STAND_IN.search(word):
        return False
    has_digit, has_letter = any(map(str.isdigit, word)), any(map(str.isalpha, word))
    has_sign = any(letter in "!@#$%^&*?+~" for letter in word)
    return has_letter and (has_digit or has_sign) and len(set(word)) > 3


def _random(text: str) -> Iterator[FoundSecret]:
    if len(text) >= 32:
        for match in _LONG.finditer(text):
            if is_random(match[0]) and not _CHECKSUM.search(text[: match.start()][-24:]):
                yield FoundSecret("a long random word", *match.span())


def is_random(word: str) -> bool:
    """Whether nobody would have written it: no hash or id, no name, no words put together."""
    core = word.rstrip("=")
    if _HASH.fullmatch(core) or len(core) in (43, 44, 64, 86, 88):  # checksums in base64
        return False
    counts = [sum(map(kind, core)) for kind in (str.isupper, str.islower, str.isdigit)]
    if min(counts) < 4 or core.count("_") + core.count("-") > len(core) / 8:
        return False
    turns = sum(_class(a) != _class(b) for a, b in pairwise(core))
    return turns > 0.45 * len(core) and _bits(core) >= RANDOM_BITS


def _class(letter: str) -> int:
    return 0 if letter.isdigit() else 1 if letter.isupper() else 2


def _bits(word: str) -> float:
    length = len(word)
    return -sum(n / length * math.log2(n / length) for n in Counter(word).values())
