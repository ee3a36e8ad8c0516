"""What can be told of a change by rule: what breaks, and what was left lying about."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bottega.coach.reviewing.changes import ChangedFile
from bottega.coach.reviewing.solution import syntax_problem
from bottega.core.files.languages import language_of

#: Of one file; the rest is more of the same.
MOST_LEFTOVERS = 5

_SCRIPTS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"})
_CONFLICT = re.compile(r"^(<{7} |>{7} |={7}$)")
_TODO = re.compile(r"(#|//|/\*|<!--|--).*\b(TODO|FIXME|XXX)\b")
_DEBUGGING = {
    "python": re.compile(r"^\s*(print\(|breakpoint\(\)|import i?pdb\b|i?pdb\.set_trace\()"),
    **dict.fromkeys(_SCRIPTS, re.compile(r"^\s*(console\.(log|debug)\(|debugger\b)")),
}
_COMMENTED_OUT = {
    "python": re.compile(
        r"^\s*#\s*(def \w+\(.*:|class \w+.*:|import \w+|from \w[\w.]* import |return \S|"
        r"(if|for|while|with|elif) .+:$|[\w.\[\]]+ = \S|[\w.]+\(.*\)$)"
    ),
    **dict.fromkeys(
        _SCRIPTS,
        re.compile(r"^\s*//\s*(function |const |let |import .*from|return .*;|.*[;{}]$)"),
    ),
}


@dataclass(frozen=True, slots=True)
class Finding:
    path: str
    line: int | None
    text: str
    #: Whether the work cannot be done while this is there.
    breaks: bool = False

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.text}"


def findings_in(changes: Iterable[ChangedFile]) -> list[Finding]:
    """What breaks first, then in the order of the files."""
    found = [finding for change in changes for finding in _look_at(change)]
    return sorted(found, key=lambda finding: not finding.breaks)


def _look_at(change: ChangedFile) -> Iterator[Finding]:
    language = language_of(change.path)
    if language == "python" and change.content is not None:
        problem = syntax_problem(change.content)
        if problem is not None:
            why = f"Python cannot read this: {problem.text}."
            yield Finding(change.path, problem.line, why, breaks=True)
    leftovers = 0
    for number, line in change.added():
        if _CONFLICT.match(line):
            yield Finding(change.path, number, "a merge conflict is still in there.", breaks=True)
        elif leftovers < MOST_LEFTOVERS and (text := _leftover(line, language)):
            leftovers += 1
            yield Finding(change.path, number, text)


def _leftover(line: str, language: str) -> str | None:
    if _TODO.search(line):
        return "a TODO is left. Do it now, or write it down where it will be found."
    if (debugging := _DEBUGGING.get(language)) and debugging.match(line):
        return "is this left from debugging?"
    if (commented := _COMMENTED_OUT.get(language)) and commented.match(line):
        return "commented-out code. Version control remembers it; it can go."
    return None
