"""What is wrong with a task list: work that nobody counts, numbers that mean two things."""

import re
from collections.abc import Iterator

from bottega.board.openspec.issues import Issue, Level
from bottega.board.openspec.markdown import BOM
from bottega.board.openspec.tasks import parse_boxes

_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+\S")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_GROUP = re.compile(r" {0,3}##(?!#)(?:\s|$)")
_NUMBERED_GROUP = re.compile(r" {0,3}##\s+(\d+)\.(?:\s|$)")
_TASK_NUMBER = re.compile(r"(\d+(?:\.\d+)+[A-Za-z]*)(?=\s|$)")

#: From this indent on a line is code.
_CODE_COLUMN = 4


def task_issues(path: str, text: str) -> Iterator[Issue]:
    lines = [line.removesuffix("\r") for line in text.removeprefix(BOM).split("\n")]
    boxes = parse_boxes(text)
    if not boxes and (line := _first_list_item(lines)):
        message = "No line is a checkbox, so this change counts as having no work. Write `- [ ] …`."
        yield Issue(Level.WARNING, path, line, message)
    yield from _numbering(path, lines, dict(boxes))


def _first_list_item(lines: list[str]) -> int | None:
    fence, in_comment = "", False
    begin = _after_front_matter(lines)
    for number, line in enumerate(lines[begin:], begin + 1):
        if in_comment:
            in_comment = "-->" not in line
        elif found := _FENCE.match(line):
            if not fence:
                fence = found.group(1)
            elif found.group(1).startswith(fence) and not found.group(2).strip():
                fence = ""
        elif fence:
            continue
        elif line.lstrip().startswith("<!--"):
            in_comment = "-->" not in line.lstrip()[4:]
        elif _LIST_ITEM.match(line) and _indent(line) < _CODE_COLUMN:
            return number
    return None


def _after_front_matter(lines: list[str]) -> int:
    if lines and lines[0].rstrip() == "---":
        for index, line in enumerate(lines[1:], 2):
            if line.rstrip() == "---":
                return index
    return 0


def _indent(line: str) -> int:
    return len(line.expandtabs(_CODE_COLUMN)) - len(line.expandtabs(_CODE_COLUMN).lstrip())


def _numbering(path: str, lines: list[str], boxes: dict[int, str]) -> Iterator[Issue]:
    """Only in files that number their groups, and only inside such groups."""
    first: dict[str, int] = {}
    group: str | None = None
    for number, line in enumerate(lines, 1):
        if _GROUP.match(line):
            found = _NUMBERED_GROUP.match(line)
            group = found.group(1) if found else None
        named = _TASK_NUMBER.match(boxes.get(number, ""))
        if group is None or named is None:
            continue
        task = named.group(1)
        if task.partition(".")[0].lstrip("0") != group.lstrip("0"):
            message = f"Task {task} stands in group {group}. Move it, or give it another number."
            yield Issue(Level.WARNING, path, number, message)
        if task in first:
            message = f"Task {task} is there already, on line {first[task]}."
            yield Issue(Level.WARNING, path, number, message)
        first.setdefault(task, number)
