"""Notes on code that somebody gave: a file, a diff, or a block in the request."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bottega.assistant.offline.playbook import Rule

WEIGHTS = ("must", "should", "could")
LONGEST_EXCERPT = 100
#: More than a person reads; the rest is counted.
MOST_NOTES = 50

_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)")
_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)*[\w.-]+\.[A-Za-z]\w{0,7}(?![\w/-])")


@dataclass(frozen=True, slots=True)
class CodeLine:
    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    line: CodeLine
    rule: Rule


def paths_in(text: str) -> list[str]:
    """File names that a request names, in order."""
    outside = _FENCE.sub("", text)
    found = [match[0] for match in _PATH.finditer(outside)]
    return list(dict.fromkeys(found))


def lines_in(text: str) -> list[CodeLine]:
    """The code in a text: what a diff adds, or what stands between fences."""
    blocks = [(match["info"].strip(), match["code"]) for match in _FENCE.finditer(text)]
    blocks = blocks or [("", text)]
    found: list[CodeLine] = []
    for info, code in blocks:
        if is_diff(code):
            found += _added(code)
        elif _FENCE.search(text):
            found += file_lines(_block_name(info), code)
    return found


def file_lines(path: str, text: str) -> list[CodeLine]:
    return [CodeLine(path, number, line) for number, line in enumerate(text.split("\n"), 1)]


def is_diff(text: str) -> bool:
    return bool(re.search(r"^\+\+\+ ", text, re.MULTILINE) and _HUNK.search(_from_hunk(text)))


def look_through(lines: Sequence[CodeLine], rules: Sequence[Rule]) -> list[Note]:
    """The gravest first, then in the order of the files."""
    found = [Note(line, rule) for line in lines for rule in rules if _applies(rule, line)]
    return sorted(found, key=lambda note: WEIGHTS.index(note.rule.weight))


def excerpt(line: CodeLine) -> str:
    text = line.text.strip().replace("`", "'")
    return text if len(text) <= LONGEST_EXCERPT else text[: LONGEST_EXCERPT - 1] + "…"


def _applies(rule: Rule, line: CodeLine) -> bool:
    if rule.files and not line.path.endswith(tuple(rule.files)):
        return False
    if rule.longer_than is not None and len(line.text) > rule.longer_than:
        return True
    is_there = any(each in line.text for each in rule.has)
    return is_there and not any(each in line.text for each in rule.lacks)


def _added(diff: str) -> Iterator[CodeLine]:
    path, number = "", 0
    for line in diff.split("\n"):
        if line.startswith("+++ "):
            path = line[4:].split("\t")[0].strip().removeprefix("b/")
        elif hunk := _HUNK.match(line):
            number = int(hunk[1])
        elif number and line.startswith("+"):
            yield CodeLine(path, number, line[1:])
            number += 1
        elif number and not line.startswith(("-", "\\")):
            number += 1


def _from_hunk(text: str) -> str:
    at = text.find("\n@@ ")
    return text[at + 1 :] if at >= 0 else text


def _block_name(info: str) -> str:
    """` ```python app.py ` names a file; ` ```python ` at least what it is written in."""
    named = paths_in(info)
    if named:
        return named[0]
    suffix = {"python": "py", "typescript": "ts", "javascript": "js"}.get(info, info)
    return f"code.{suffix}" if suffix else "code"
