"""The review of a phase's work without a model: what changed, measured against the plan.

It passes if every file that the phase expects was changed and nothing breaks. Whether the change
is right, only a reader or the project's own tests can tell, and the review says so.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bottega.coach.enums import Stage
from bottega.coach.file_roles import is_test
from bottega.coach.plans.phases import CurrentPhase
from bottega.coach.practice.solution import syntax_problem
from bottega.coach.review.changes import ChangedFile
from bottega.core.files.languages import PLAINTEXT, language_of

#: New lines; a reviewer's attention ends about there.
LARGE = 400
#: Files named in a sentence.
NAMED = 6

_PROSE = frozenset({PLAINTEXT, "markdown", "restructuredtext", "json", "yaml", "toml", "ini"})
HOW = "(Told by rule from what changed, without a model: run the project's tests for the rest.)"

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
class WorkFinding:
    path: str
    line: int | None
    text: str
    #: Whether the work cannot be done while this is there.
    breaks: bool = False

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.text}"


def findings_in(changes: Iterable[ChangedFile]) -> list[WorkFinding]:
    """What breaks first, then in the order of the files."""
    found = [finding for change in changes for finding in _look_at(change)]
    return sorted(found, key=lambda finding: not finding.breaks)


def _look_at(change: ChangedFile) -> Iterator[WorkFinding]:
    language = language_of(change.path)
    if language == "python" and change.content is not None:
        problem = syntax_problem(change.content)
        if problem is not None:
            why = f"Python cannot read this: {problem.text}."
            yield WorkFinding(change.path, problem.line, why, breaks=True)
    leftovers = 0
    for number, line in change.added():
        if _CONFLICT.match(line):
            yield WorkFinding(
                change.path, number, "a merge conflict is still in there.", breaks=True
            )
        elif leftovers < MOST_LEFTOVERS and (text := _leftover(line, language)):
            leftovers += 1
            yield WorkFinding(change.path, number, text)


def _leftover(line: str, language: str) -> str | None:
    if _TODO.search(line):
        return "a TODO is left. Do it now, or write it down where it will be found."
    if (debugging := _DEBUGGING.get(language)) and debugging.match(line):
        return "is this left from debugging?"
    if (commented := _COMMENTED_OUT.get(language)) and commented.match(line):
        return "commented-out code. Version control remembers it; it can go."
    return None


@dataclass(frozen=True, slots=True)
class PhaseWork:
    #: None: the learner is in no phase.
    phase: CurrentPhase | None
    changes: tuple[ChangedFile, ...]
    findings: tuple[WorkFinding, ...]
    stage: Stage

    @property
    def breaks(self) -> bool:
        return any(finding.breaks for finding in self.findings)

    @property
    def untouched(self) -> list[str]:
        """The files that the phase expects to change and that did not."""
        changed = [change.path for change in self.changes]
        expected = self.phase.expected_files if self.phase else ()
        return [path for path in expected if not _covers(path, changed)]


@dataclass(frozen=True, slots=True)
class WorkVerdict:
    review: str
    suggestions: list[str]
    passed: bool


def review_work(work: PhaseWork) -> WorkVerdict:
    passed = work.phase is not None and not work.untouched and not work.breaks
    parts = [_changed(work.changes), _measured(work), _tone(work.stage, passed), HOW]
    return WorkVerdict(
        review="\n\n".join(part for part in parts if part),
        suggestions=_suggestions(work),
        passed=passed,
    )


def _covers(expected: str, changed: Sequence[str]) -> bool:
    """A folder is covered by any file below it."""
    place = posixpath.normpath(expected.replace("\\", "/"))
    return any(path == place or path.startswith(f"{place}/") for path in changed)


def _changed(changes: Sequence[ChangedFile]) -> str:
    names = [f"`{change.path}` ({change.size})" for change in changes[:NAMED]]
    if len(changes) > NAMED:
        names.append(f"{len(changes) - NAMED} more")
    noun = "file" if len(changes) == 1 else "files"
    return f"You changed {len(changes)} {noun}: {', '.join(names)}."


def _measured(work: PhaseWork) -> str:
    if work.phase is None:
        return "You are in no phase, so there is nothing to measure it against."
    phase = f"Phase {work.phase.number}, “{work.phase.title}”"
    if work.breaks:
        return f"{phase} is not done: something in the change is broken. It is named below."
    if work.untouched:
        names = ", ".join(f"`{path}`" for path in work.untouched)
        return f"{phase} also expects a change in {names}, and there is none yet."
    if not work.phase.expected_files:
        return f"{phase} names no files; nothing in your change is broken."
    return f"{phase}: every file that it expects has changed, and nothing in it is broken."


def _tone(stage: Stage, passed: bool) -> str:
    if stage.rank >= Stage.PROFICIENT.rank:
        return ""
    if stage.rank == Stage.COMPETENT.rank:
        return "Which edge case would you test next?" if passed else ""
    if passed:
        return "Well done. Say in one sentence what you learned before you go on."
    return "One step at a time: take the first point below, then ask for a review again."


def _suggestions(work: PhaseWork) -> list[str]:
    told = [str(finding) for finding in work.findings]
    told += [f"{path}: the phase expects a change here." for path in work.untouched]
    code = [change for change in work.changes if language_of(change.path) not in _PROSE]
    if code and not any(is_test(change.path) for change in work.changes):
        told.append(
            f"{code[0].path}: no test changed with it. Which test would have failed before?"
        )
    added = sum(1 for change in work.changes for _ in change.added())
    if added > LARGE:
        told.append(f"{added} new lines at once are hard to review: what could go first?")
    return told
