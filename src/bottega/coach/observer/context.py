"""What triage is given to judge by (FR-137), with what our rules and a model need beyond it."""

import re
from collections.abc import Iterable, Sequence
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
