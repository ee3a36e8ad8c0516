"""What triage is given to judge by (FR-137), with what our rules and a model need beyond it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict, Field

from bottega.coach.enums import Stage
from bottega.coach.plans.phases import CurrentPhase

#: Words that begin a line which names another module, in the languages people mostly write.
_IMPORTING = r"^[ \t]*(?:from|import|export|require|use|using|mod|include|#include|const|let|var)\b"
#: Files that stand for their folder.
_FOLDER_FILES = frozenset({"__init__", "index", "mod"})


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class RecentAction(_Frozen):
    type: str
    path: str | None = Field(None, exclude_if=lambda path: path is None)
    #: As people say it: `2m10s`.
    ago: str


class FileChange(_Frozen):
    """A file's growth or shrinking over some edits."""

    edits: int
    chars: int


class FileWork(_Frozen):
    """What was done to one file in this phase."""

    path: str
    is_expected: bool
    is_test: bool
    edits: int = 0
    #: The latest, oldest first.
    changes: list[FileChange] = Field(default_factory=list)
    saves: int = 0
    is_unsaved: bool = False
    #: Seconds since it was last edited or saved.
    quiet_for: int = 0


class TriageContext(_Frozen):
    current_phase: CurrentPhase | None
    #: The last 20 things that the person did, newest first.
    recent_actions: list[RecentAction]
    time_since_last_save: str
    time_since_last_nudge: str
    dreyfus_stage: Stage
    user_idle: bool
    #: Seconds since the last sign of life.
    idle_for: int = 0
    current_file: str | None = None
    #: Seconds.
    in_current_file_for: int = 0
    #: A test, or imported by an expected file.
    is_current_file_related: bool = False
    files: list[FileWork] = Field(default_factory=list)

    @property
    def expected_files(self) -> Sequence[str]:
        return self.current_phase.expected_files if self.current_phase else ()

    def work_on(self, path: str | None) -> FileWork | None:
        return next((work for work in self.files if work.path == path), None)

    @property
    def next_expected_file(self) -> str | None:
        """The first expected file that nobody has edited yet, or simply the first."""
        edited = [work.path for work in self.files if work.edits]
        untouched = [
            entry
            for entry in self.expected_files
            if not any(is_expected(path, [entry]) for path in edited)
        ]
        return next(iter((*untouched, *self.expected_files)), None)


def is_expected(path: str, expected: Iterable[str]) -> bool:
    return any(_covers(_plain(entry), _plain(path)) for entry in expected)


def _covers(entry: str, path: str) -> bool:
    """A plan may name a file, a folder, or only the end of a path."""
    return bool(entry) and (
        path == entry or path.startswith(f"{entry}/") or path.endswith(f"/{entry}")
    )


def _plain(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./").strip("/")


def is_imported(path: str, text: str) -> bool:
    """Whether a line of `text` that imports names this file."""
    place = PurePosixPath(_plain(path))
    name = place.parent.name if place.stem in _FOLDER_FILES else place.stem
    if not name:
        return False
    line = rf"{_IMPORTING}.*\b{re.escape(name)}\b"
    return re.search(line, text, re.MULTILINE) is not None


def format_duration(seconds: float) -> str:
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}m{rest:02}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m"


#: Changes in a row that take each other back, or have no effect, before it looks like a loop.
LOOP_CHANGES = 3
#: A summary with fewer edits is a touch, not a struggle.
STRUGGLE_EDITS = 5
#: Characters by which a change must grow or shrink a file to be a swing.
SWING_CHARS = 20
#: So many edits in all that leave the file no more than so many characters longer or shorter.
MANY_EDITS, SMALL_GAIN = 30, 30


@dataclass(frozen=True, slots=True)
class EditLoop:
    """Edits of one file that go in circles: it is changed again and again, to little effect."""

    path: str
    rounds: int
    edits: int
    #: By how many characters the file grew or shrank through it all.
    gain: int
    #: How many of the changes are part of the loop.
    length: int = field(default=0, compare=False)
    #: Whether it grows and shrinks by turns, rather than hardly changing at all.
    swings: bool = field(default=False, compare=False)


def find_edit_loop(path: str, changes: Sequence[FileChange]) -> EditLoop | None:
    """The loop that a file's changes, oldest first, are part of; None if they get somewhere."""
    turns = _turns(changes)
    length = max(turns, _standstill(changes), _fruitless(changes))
    if length < LOOP_CHANGES:
        return None
    edits, gain = sum(each.edits for each in changes), sum(each.chars for each in changes)
    return EditLoop(path, len(changes), edits, gain, length, swings=turns == length)


def _turns(changes: Sequence[FileChange]) -> int:
    """How often growing turned into shrinking or back, where little came of it."""
    swings = [change.chars for change in changes if abs(change.chars) >= SWING_CHARS]
    if not swings or abs(sum(swings)) > 0.25 * sum(map(abs, swings)):
        return 0
    return sum((before > 0) != (after > 0) for before, after in pairwise(swings))


def _standstill(changes: Sequence[FileChange]) -> int:
    """How many of the latest changes have many edits and next to no effect."""
    count = 0
    for change in reversed(changes):
        if change.edits < STRUGGLE_EDITS or abs(change.chars) > change.edits // STRUGGLE_EDITS:
            break
        count += 1
    return count


def _fruitless(changes: Sequence[FileChange]) -> int:
    """All changes, if they come to many edits and next to nothing; else 0."""
    is_much = sum(change.edits for change in changes) >= MANY_EDITS
    return len(changes) if is_much and abs(sum(c.chars for c in changes)) <= SMALL_GAIN else 0
