"""The review of a phase's work without a model: what changed, measured against the plan.

It passes if every file that the phase expects was changed and nothing breaks. Whether the change
is right, only a reader or the project's own tests can tell, and the review says so.
"""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bottega.coach.explaining.selection import CurrentPhase
from bottega.coach.reviewing.changes import ChangedFile
from bottega.coach.reviewing.findings import Finding
from bottega.coach.stages import Stage
from bottega.core.files.languages import PLAINTEXT, language_of

#: New lines; a reviewer's attention ends about there.
LARGE = 400
#: Files named in a sentence.
NAMED = 6

_PROSE = frozenset({PLAINTEXT, "markdown", "restructuredtext", "json", "yaml", "toml", "ini"})
HOW = "(Told by rule from what changed, without a model: run the project's tests for the rest.)"


@dataclass(frozen=True, slots=True)
class Work:
    #: None: the learner is in no phase.
    phase: CurrentPhase | None
    changes: tuple[ChangedFile, ...]
    findings: tuple[Finding, ...]
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


def review_work(work: Work) -> WorkVerdict:
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


def _measured(work: Work) -> str:
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


def _suggestions(work: Work) -> list[str]:
    told = [str(finding) for finding in work.findings]
    told += [f"{path}: the phase expects a change here." for path in work.untouched]
    code = [change for change in work.changes if language_of(change.path) not in _PROSE]
    if code and not any(_is_test(change.path) for change in work.changes):
        told.append(
            f"{code[0].path}: no test changed with it. Which test would have failed before?"
        )
    added = sum(1 for change in work.changes for _ in change.added())
    if added > LARGE:
        told.append(f"{added} new lines at once are hard to review: what could go first?")
    return told


def _is_test(path: str) -> bool:
    place = PurePosixPath(path.lower())
    words = {"test", "tests", "spec", "__tests__"}
    name = place.name
    return bool(words & set(place.parts)) or any(
        mark in name for mark in ("test_", "_test.", ".test.", ".spec.", "_spec.")
    )
