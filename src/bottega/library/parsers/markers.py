"""The number a paragraph or a heading begins with, as people number: `12.`, `(a)`, `4.9.1`, `§ 4`.

In running text a number at the beginning may be just a number ("3.5 million litres …"), so there
more is asked of it than in a heading.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class MarkerStyle(StrEnum):
    #: `4.9.1`, `315.12(a)`, `315.A23`: says all by itself.
    DOTTED = "dotted"
    #: `12.`: a running number, or an item of some list.
    SIMPLE = "simple"
    #: `A23.`, as standards number their application material.
    LETTERED = "lettered"
    #: `Article 7`, `§ 4`: cited by its number alone.
    NAMED = "named"
    #: `Appendix 2`, `Chapter 3`: cited with its word.
    LABELLED = "labelled"
    #: `(a)`, `(iv)`, `(1)`: belongs to the number before it.
    NESTED = "nested"


@dataclass(frozen=True, slots=True)
class Marker:
    style: MarkerStyle
    #: Normalised: `12(a)`, `Appendix 2`; of a nested one without its brackets.
    value: str
    #: What follows it.
    rest: str


_INNER = r"(?:[a-z]|[ivxl]{2,5}|([a-z])\1|[A-Z]|[IVXL]{2,5}|\d{1,3})"
_PLAIN_INNER = r"(?:[a-z]{1,5}|[A-Z]{1,4}|\d{1,3})"
_TAIL = rf"(?:\s?\({_PLAIN_INNER}\)){{0,6}}"
_NUMBER = r"\d{1,4}[A-Z]?(?:\.A?\d{1,3}[A-Z]?){0,8}"

_NESTED = re.compile(rf"(?:\({_INNER}\)|(?:[a-z]|[ivx]{{2,4}})\))(?=\s|$)")
_SIMPLE = re.compile(
    rf"(\d{{1,3}}[A-Z]?)(?:({_TAIL})\\?[.)]|((?:\({_PLAIN_INNER}\)){{1,6}}))(?=\s|$)"
)
_DOTTED = re.compile(
    rf"((?:\d{{1,4}}|[A-Z])(?:\.A?\d{{1,3}}[A-Z]?){{1,8}})({_TAIL})(\\?[.:)])?(?=\s|$)"
)
_LETTERED = re.compile(rf"([A-Z]\d{{1,3}})({_TAIL})(\\?[.:)])?(?=\s|$)")
_NAMED = re.compile(
    r"(?:§§?\s?|(?:Article|Art\.|Section|Sec\.|Clause|Rule|Regulation|Paragraph|Para\.?)\s+)"
    rf"({_NUMBER}[a-z]?)({_TAIL})(\s?[.:–—-])?(?=\s|$)",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(Appendix|Annex|Schedule|Chapter|Part)\s+([A-Z]|\d{1,3}|[IVXL]{1,6})(\s?[.:–—-])?(?=\s|$)",
    re.IGNORECASE,
)
_ROMAN_HEADING = re.compile(r"([IVXL]{1,6})\.(?=\s|$)")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TENS = ("", "x", "xx", "xxx", "xl", "l")
_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_OPENERS = frozenset("\"'“‘«`([*_")
#: No marker begins with anything else; asked first, because most lines begin with a word.
_FIRST = re.compile(
    r"[\d(§]|[A-Z][.\d]|[a-zA-Z][)]|[ivxIVXL]{1,6}[.)]|Ar|Se|Cl|Ru|Re|Pa|Ap|An|Sc|Ch|"
    r"AR|SE|CL|RU|RE|PA|AP|AN|SC|CH|ar|se|cl|ru|re|pa|ap|an|sc|ch"
)


def find_marker(text: str, *, heading: bool = False) -> Marker | None:
    if not _FIRST.match(text):
        return None
    return (
        _find_nested(text)
        or _numbered(_DOTTED.match(text), text, MarkerStyle.DOTTED, heading)
        or _find_simple(text, heading)
        or _numbered(_LETTERED.match(text), text, MarkerStyle.LETTERED, heading)
        or _find_named(text, heading)
        or _find_labelled(text, heading)
    )


def _find_nested(text: str) -> Marker | None:
    found = _NESTED.match(text)
    if not found:
        return None
    return Marker(MarkerStyle.NESTED, found.group().strip("()"), text[found.end() :].lstrip())


def _find_simple(text: str, heading: bool) -> Marker | None:
    found = _SIMPLE.match(text)
    if found:
        number, before_dot, bare = found.groups()
        value, rest = number + _tight(before_dot or bare or ""), text[found.end() :].lstrip()
        inner = _NESTED.match(rest)  # `12. (a) The first …`
        while inner:
            value += f"({inner.group().strip('()')})"
            rest = rest[inner.end() :].lstrip()
            inner = _NESTED.match(rest)
        return Marker(MarkerStyle.SIMPLE, value, rest)
    roman = _ROMAN_HEADING.match(text) if heading else None
    return (
        Marker(MarkerStyle.NAMED, roman.group(1), text[roman.end() :].lstrip()) if roman else None
    )


def _find_named(text: str, heading: bool) -> Marker | None:
    found = _NAMED.match(text)
    if found and not text.startswith("§") and not heading and not _stands_apart(found, text):
        return None
    return _numbered(found, text, MarkerStyle.NAMED, heading)


def _find_labelled(text: str, heading: bool) -> Marker | None:
    found = _LABELLED.match(text)
    if not found or not (heading or _stands_apart(found, text)):
        return None
    label, number = found.group(1).capitalize(), found.group(2).upper()
    return Marker(MarkerStyle.LABELLED, f"{label} {number}", text[found.end() :].lstrip())


def _numbered(
    found: re.Match[str] | None, text: str, style: MarkerStyle, heading: bool
) -> Marker | None:
    if not found:
        return None
    number, tail, closed = found.group(1), found.group(2), found.group(3)
    rest = text[found.end() :].lstrip()
    if heading or closed or tail or _begins_sentence(rest):
        return Marker(style, number + _tight(tail), rest)
    return None


def _stands_apart(found: re.Match[str], text: str) -> bool:
    """ "Article 7. …" and "Article 7" alone are numbers, "Article 7 applies" is a sentence."""
    return bool(found.group(3)) or found.end() == len(text)


def _begins_sentence(rest: str) -> bool:
    return not rest or rest[0] in _OPENERS or (rest[0].isalpha() and not rest[0].islower())


def _tight(tail: str) -> str:
    return "".join(tail.split())


def printed_number(number: int, kind: str) -> str:
    """What a browser or Word prints before a list item of that kind (`1`, `a`, `A`, `i`, `I`)."""
    if kind in ("a", "A") and 0 < number <= len(_LETTERS):
        letter = _LETTERS[number - 1]
        return f"({letter.upper() if kind == 'A' else letter})"
    if kind in ("i", "I") and 0 < number < 10 * len(_TENS):
        roman = _TENS[number // 10] + _ONES[number % 10]
        return f"({roman.upper() if kind == 'I' else roman})"
    return f"{number}."
