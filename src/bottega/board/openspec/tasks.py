"""The checklist in `tasks.md`: read as the CLI reads it, ticked without touching anything else.

A task is a list item (`-`, `*`, `+`, `1.`, `1)`) with a box that holds at most one sign; only `x`
means done, so `[~]` is work that is left. Unlike the CLI we leave out boxes in code blocks: they
are examples, and an example that can never be done would keep a change from its review. A fence
that nobody closed is no code block, or it would hide real tasks.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bottega.board.openspec.markdown import BOM, closed_fence_mask
from bottega.board.openspec.texts import Issue, Level
from bottega.errors import NotFound

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_BOX = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])\s*\[([^\]]*)\](.*)")
_NUMBER = re.compile(r"(\d+(?:\.\d+)*[a-z]?)[.)]?(?=\s|$)", re.IGNORECASE)
_HEADING = re.compile(r" {0,3}#{1,6}\s+(\S.*)")


@dataclass(frozen=True, slots=True)
class Task:
    #: The number written before the text (`2.1`) if no earlier task has it, else made from the
    #: text: it stays the same when tasks around it come, go or move.
    id: str
    text: str
    done: bool
    #: The heading it stands under; empty before the first.
    group: str
    #: 0 for a task, 1 for a task below a task, and so on.
    depth: int
    #: Counts from 1.
    line: int
    #: Where in the text the inside of its box begins and ends.
    box: tuple[int, int]


@dataclass(frozen=True, slots=True)
class TaskCount:
    done: int = 0
    total: int = 0

    @property
    def complete(self) -> bool:
        """A list without tasks is not finished work."""
        return 0 < self.total == self.done


def parse_tasks(text: str) -> list[Task]:
    lines = [(match.start(), match.group(1)) for match in _LINE.finditer(text)]
    code, _ = closed_fence_mask([line for _, line in lines])
    tasks: list[Task] = []
    seen: Counter[str] = Counter()
    group = ""
    indents: list[int] = []
    for index, (start, line) in enumerate(lines):
        if code[index]:
            continue
        if heading := _HEADING.fullmatch(line):
            group, indents = heading.group(1).strip(), []
        elif (found := _BOX.match(line.removeprefix(BOM))) and _is_task(found):
            start += line.startswith(BOM)
            depth = _depth(indents, found.group(1))
            words = found.group(3).strip()
            name = _name(words, seen)
            box = start + found.start(2), start + found.end(2)
            done = found.group(2).strip() in ("x", "X")
            tasks.append(Task(name, words, done, group, depth, index + 1, box))
    return tasks


def parse_boxes(text: str) -> list[tuple[int, str]]:
    """The line and words of every box as the CLI counts them: those in code blocks too."""
    lines = text.removeprefix(BOM).split("\n")
    found = ((number, _BOX.match(line)) for number, line in enumerate(lines, 1))
    return [(number, box.group(3).strip()) for number, box in found if box and _is_task(box)]


def count(tasks: list[Task] | tuple[Task, ...]) -> TaskCount:
    return TaskCount(sum(task.done for task in tasks), len(tasks))


def tick(text: str, task_id: str, done: bool = True) -> str:
    """The text with that one box ticked or cleared, and every other character as it was."""
    tasks = {task.id: task for task in parse_tasks(text)}
    task = tasks.get(task_id)
    if task is None:
        known = ", ".join(list(tasks)[:20]) or "none"
        raise NotFound(f"tasks.md has no task {task_id!r}. It has: {known}.")
    if task.done == done:
        return text
    begin, end = task.box
    return text[:begin] + ("x" if done else " ") + text[end:]


def open_fence(text: str) -> int | None:
    """The line of a code fence that is never closed."""
    _, opened = closed_fence_mask([match.group(1) for match in _LINE.finditer(text)])
    return None if opened is None else opened + 1


def _is_task(found: re.Match[str]) -> bool:
    inside, rest = found.group(2), found.group(3)
    if inside and not inside.strip():
        return True
    # `- [A](https://…)` is a link in a list.
    return len(inside.strip()) <= 1 and not rest.startswith(("(", "["))


def _depth(indents: list[int], indent: str) -> int:
    width = len(indent.expandtabs(4))
    while len(indents) > 1 and indents[-1] > width:
        indents.pop()
    # Two columns are what a list inside a `-` list needs at least.
    if not indents or width >= indents[-1] + 2:
        indents.append(width)
    return len(indents) - 1


def _name(words: str, seen: Counter[str]) -> str:
    number = _NUMBER.match(words)
    name = number.group(1) if number else ""
    if not name or seen[name]:
        name = f"t-{hashlib.sha256(words.encode(errors='surrogatepass')).hexdigest()[:8]}"
    seen[name] += 1
    return name if seen[name] == 1 else f"{name}-{seen[name]}"


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
