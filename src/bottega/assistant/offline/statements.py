"""The statements that a template's lists are filled with, each with the place it was taken from."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bottega.assistant.hooks.statements import statements
from bottega.assistant.offline.phrases import has_any, like
from bottega.assistant.offline.playbook import ListOf, Origin
from bottega.assistant.offline.situation import Situation
from bottega.assistant.workspace.pages import lines_of
from bottega.assistant.workspace.topics import words_of
from bottega.core.embeddings import Embedder

#: How much shared words count beside likeness of meaning, and what is preferred beside both.
WORDS_WEIGHT = 0.5
PREFERENCE = 0.3
SHORTEST_QUOTE, LONGEST_QUOTE = 12, 160
#: Characters of a statement that says something.
SHORTEST = 20

_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$")
#: What cannot stand in a pointer's quotation, or is only markup.
_MARKUP = re.compile(r"[*_`\"“”\[\]|<>{}]+")
_EDGES = re.compile(r"^\s*\([^)]*\)\W*|^[\W_]+|[\s:;,–—-]+$")


@dataclass(frozen=True, slots=True)
class Found:
    text: str
    path: str
    #: What looked like the list's example.
    code: str = ""
    evidence: str = ""

    def values(self) -> Mapping[str, str]:
        return {
            "text": self.text,
            "code": self.code,
            "evidence": self.evidence,
            "source": self.path,
        }


async def find(
    wanted: ListOf, situation: Situation, query: str, embedder: Embedder
) -> Sequence[Found]:
    """The nearest to the query first."""
    found = [
        each
        for path, text in situation.of(wanted.source).items()
        for each in _found(path, text, wanted)
    ]
    if not found:
        return []
    nearness = await rank(query, [each.text for each in found], embedder)
    wish = _preferred(wanted, situation.text_of(Origin.CLASS))
    scores = [
        near + (PREFERENCE if wish and wish in f"{each.code} {each.text}" else 0.0)
        for near, each in zip(nearness, found, strict=True)
    ]
    order = sorted(range(len(found)), key=lambda number: (-scores[number], number))
    return [found[number] for number in order[: wanted.most]]


async def rank(query: str, texts: Sequence[str], embedder: Embedder) -> list[float]:
    """How near each text is: by meaning, and by the words that it shares with the query."""
    vectors = await embedder.embed([query, *texts])
    meaning = vectors[1:] @ vectors[0]
    asked = words_of(query)
    shared = [len(asked & words_of(text)) / max(1, len(asked)) for text in texts]
    # Rounded: the last digits of a dot product differ between machines, the order may not.
    return [
        round(float(near) + WORDS_WEIGHT * words, 4)
        for near, words in zip(meaning, shared, strict=True)
    ]


def pointer(path: str, text: str, line: int) -> str:
    """`[evidence: path:L12-L12 "quoted text"]`, its words as they stand in the line; or nothing."""
    lines = lines_of(text)
    if not 1 <= line <= len(lines):
        return ""
    pieces = [_EDGES.sub("", piece) for piece in _MARKUP.split(lines[line - 1])]
    quote = max((_shortened(piece) for piece in pieces), key=len)
    if len(quote) < SHORTEST_QUOTE:
        return ""
    return f'[evidence: {path}:L{line}-L{line} "{quote}"]'


def _found(path: str, text: str, wanted: ListOf) -> Iterator[Found]:
    headings = _headings_above(text)
    shape = like(wanted.like) if wanted.like else None
    is_topic = wanted.source is Origin.TOPICS
    for each in statements(text):
        under = headings[each.line]
        code = shape.search(each.text) if shape else None
        if len(each.text) < SHORTEST or (shape and not code):
            continue
        if has_any(f"{under} {each.text}", wanted.avoid):
            continue
        if wanted.words and not has_any(each.text, wanted.words):
            continue
        if wanted.under and not has_any(under, wanted.under):
            continue
        evidence = pointer(path, text, each.line) if is_topic else ""
        if not is_topic or evidence:
            said = _without_code(each.text, code[0]) if code else each.text
            yield Found(said, path, code[0] if code else "", evidence)


def _headings_above(text: str) -> dict[int, str]:
    """For every line, from 1."""
    above: dict[int, str] = {}
    outline: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if found := _HEADING.match(line):
            level = len(line) - len(line.lstrip("#"))
            outline = [*((each, name) for each, name in outline if each < level), (level, found[1])]
        above[number] = " ".join(name for _, name in outline)
    return above


def _without_code(text: str, code: str) -> str:
    """What follows it, such as "(to be checked): …", and what stood before it."""
    rest = " ".join(text.replace(code, "", 1).split())
    return rest.lstrip(" :;,.–—-") or text


def _preferred(wanted: ListOf, profile: str) -> str | None:
    """What the profile names first."""
    places = {
        wish: profile.casefold().find(said.casefold()) for said, wish in wanted.prefer.items()
    }
    named = [wish for wish, at in places.items() if at >= 0]
    return min(named, key=lambda wish: places[wish], default=None)


def _shortened(piece: str) -> str:
    if len(piece) <= LONGEST_QUOTE:
        return piece
    return piece[:LONGEST_QUOTE].rsplit(" ", 1)[0]
