"""What a markdown file says, statement by statement, each with its line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bottega.assistant.workspace.topics import words_of
from bottega.core.text.words import shorten

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
