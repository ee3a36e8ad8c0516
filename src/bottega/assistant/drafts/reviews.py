"""A document held against a playbook's checks, and code against its rules."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bottega.assistant.drafts.phrases import has_any
from bottega.assistant.drafts.playbook import PlaybookCheck, Rule
from bottega.assistant.drafts.sections import DraftDocument, split_sections
from bottega.assistant.drafts.timing import minutes_by_section
from bottega.core.text.words import shorten

_EVIDENCE = re.compile(r"\[evidence: [^\]\n]+:L\d+")
_IN_HAND = re.compile(r"\*\*(In hand|Borrowed):\*\* (\d+) minutes")
WEIGHTS = ("must", "should", "could")
LONGEST_EXCERPT = 100
#: More than a person reads; the rest is counted.
MOST_NOTES = 50

_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)")
_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)*[\w.-]+\.[A-Za-z]\w{0,7}(?![\w/-])")


@dataclass(frozen=True, slots=True)
class CheckedItem:
    check: PlaybookCheck
    passed: bool
    #: Where it was found, or what was found instead.
    note: str = ""


def check_document(
    text: str, checks: Sequence[PlaybookCheck], *, profile: str = "", whole: int | None = None
) -> list[CheckedItem]:
    """`profile` is what is known of the class; checks that it gives no reason for are left out."""
    output = split_sections(text)
    return [
        _check(check, output, whole)
        for check in checks
        if not check.needed_for or has_any(profile, check.needed_for)
    ]


def total_minutes(output: DraftDocument) -> int:
    """Of the sections that say how long they take, with what a revision has freed or borrowed."""
    headings = [section.text.partition("\n")[0] for section in output.sections]
    total = sum(minutes_by_section(headings).values())
    for kind, minutes in _IN_HAND.findall(output.text):
        total += int(minutes) if kind == "In hand" else -int(minutes)
    return total


def _check(check: PlaybookCheck, output: DraftDocument, whole: int | None) -> CheckedItem:
    if check.timings:
        total = total_minutes(output)
        is_right = total == whole if whole is not None else total > 0
        return CheckedItem(check, is_right, f"{total} minutes in all" if total else "no timings")
    if check.evidence:
        pointers = len(_EVIDENCE.findall(output.text))
        return CheckedItem(check, pointers > 0, f"{pointers} evidence pointers")
    for section in output.sections:
        in_title = has_any(section.title, check.sections) and bool(section.body)
        if in_title and (not check.words or has_any(section.body, check.words)):
            return CheckedItem(check, True, section.title)
        if not check.sections and has_any(section.text, check.words):
            return CheckedItem(check, True, section.title)
    return CheckedItem(check, False, "not found")


@dataclass(frozen=True, slots=True)
class CodeLine:
    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class CodeNote:
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


def look_through(lines: Sequence[CodeLine], rules: Sequence[Rule]) -> list[CodeNote]:
    """The gravest first, then in the order of the files."""
    found = [CodeNote(line, rule) for line in lines for rule in rules if _applies(rule, line)]
    return sorted(found, key=lambda note: WEIGHTS.index(note.rule.weight))


def excerpt(line: CodeLine) -> str:
    return shorten(line.text.strip().replace("`", "'"), LONGEST_EXCERPT)


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
