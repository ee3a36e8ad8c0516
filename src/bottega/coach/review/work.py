"""What a learner changed, and its review without a model: the changes, measured against the plan.

They go from the last commit before then to what is in the editor now. Where git does not know the
past, unsaved edits are compared with the disk, and a file that was saved meanwhile counts as
changed although nobody can say how.

The work passes if every file that the phase expects was changed and nothing breaks. Whether the
change is right, only a reader or the project's own tests can tell, and the review says so.
"""

import asyncio
import os
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.coach.editor.state import EditorState
from bottega.coach.enums import Stage
from bottega.coach.file_roles import is_test
from bottega.coach.plans.phases import CurrentPhase
from bottega.coach.practice.solution import syntax_problem
from bottega.core import git
from bottega.core.files.diffs import unified_diff
from bottega.core.files.languages import PLAINTEXT, is_binary, language_of
from bottega.errors import BottegaError, NotFound

#: Files that are looked at; a phase that changes more is too big for one review.
MOST_FILES = 50

_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Git:
    def __init__(self, root: Path, program: str = "git") -> None:
        self._root = root
        self._program = program

    async def commit_before(self, moment: datetime | None) -> str | None:
        """The last commit before then; None without git or a repository.

        In a repository that is younger it is the newest commit, and without any the empty tree.
        """
        if await self._ask("rev-parse", "--git-dir") is None:
            return None
        if moment is not None:
            found = await self._ask("rev-list", "-1", f"--before={moment.isoformat()}", "HEAD")
            if found:
                return found.decode().strip()
        newest = await self._ask("rev-parse", "--verify", "--quiet", "HEAD")
        found = newest or await self._ask("hash-object", "-t", "tree", os.devnull)
        return found.decode().strip() if found else None

    async def changed_since(self, commit: str) -> list[str]:
        """Paths that differ from then, seen from the project's root; new files too."""
        differing = await self._ask(
            *("diff", "--name-only", "-z", "--relative", "--no-renames", "--no-color"),
            *("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", commit),
        )
        untracked = await self._ask("ls-files", "--others", "--exclude-standard", "-z")
        names = b"".join(answer or b"" for answer in (differing, untracked)).split(b"\0")
        return [name.decode(errors="replace") for name in names if name]

    async def content(self, commit: str, path: str) -> bytes | None:
        """The file as it was then; None if there was none."""
        return await self._ask("cat-file", "blob", f"{commit}:./{path}")

    async def _ask(self, *arguments: str) -> bytes | None:
        return await git.ask(self._root, *arguments, program=self._program)


@dataclass(frozen=True, slots=True)
class ChangedFile:
    path: str
    #: Unified; empty where the past is not known.
    diff: str
    #: As it is now, unsaved edits included; None if it is gone.
    content: str | None

    def added(self) -> Iterator[tuple[int, str]]:
        """The new lines with their numbers."""
        number = 0
        for line in self.diff.split("\n")[2:]:
            if hunk := _HUNK.match(line):
                number = int(hunk[1])
            elif line.startswith("+"):
                yield number, line[1:]
                number += 1
            elif line.startswith(" "):
                number += 1

    @property
    def size(self) -> str:
        marks = [line[:1] for line in self.diff.split("\n")[2:]]
        return f"+{marks.count('+')} −{marks.count('-')}" if self.diff else "saved"


async def changes_since(
    editor: EditorState,
    moment: datetime | None,
    saved: Collection[str] = (),
    expected: Collection[str] = (),
) -> list[ChangedFile]:
    """`saved` are the paths that were saved since then; those that are expected come first."""
    git = Git(editor.files.root)
    commit = await git.commit_before(moment)
    paths = dict.fromkeys([*editor.files.buffers.dirty(), *saved])
    if commit is not None:
        paths |= dict.fromkeys(await git.changed_since(commit))
    found: list[ChangedFile] = []
    for path in sorted(filter(_is_reviewable, paths), key=lambda path: path not in expected):
        if len(found) == MOST_FILES:
            break
        try:
            change = await _change(editor, git, commit, path)
        except BottegaError:
            # Too large, or behind a link that leads outside: not for a review.
            continue
        if change is not None:
            found.append(change)
    return found


def _is_reviewable(path: str) -> bool:
    """Text, and not where passwords are kept."""
    return not is_binary(path) and language_of(path) != "dotenv"


async def _change(
    editor: EditorState, git: Git, commit: str | None, path: str
) -> ChangedFile | None:
    on_disk = await _on_disk(editor, path)
    buffer = editor.files.get_buffer(path)
    now = buffer.content if buffer is not None and buffer.dirty else on_disk
    if commit is None:
        before = on_disk
    else:
        data = await git.content(commit, path)
        before = None if data is None else data.decode(errors="replace")
    if before is None and now is None:
        return None
    diff = await asyncio.to_thread(unified_diff, path, before, now or "")
    is_untouched = not diff and commit is not None
    return None if is_untouched else ChangedFile(path, diff, now)


async def _on_disk(editor: EditorState, path: str) -> str | None:
    try:
        file = await editor.files.read(path)
    except NotFound:
        return None
    return None if file.binary else file.content


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


class PhaseReviewed(BaseModel):
    """A review of a phase's work."""

    review: str = Field(description="What the learner should hear, as markdown")
    suggestions: list[str] = Field(description="Next steps, the most important first")
    passed: bool = Field(description="Whether the phase's work is done")


def review_work(work: PhaseWork) -> PhaseReviewed:
    passed = work.phase is not None and not work.untouched and not work.breaks
    parts = [_changed(work.changes), _measured(work), _tone(work.stage, passed), HOW]
    return PhaseReviewed(
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
