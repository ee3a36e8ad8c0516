"""What triage is given to judge by (FR-137), with what our rules and a model need beyond it."""

from pydantic import BaseModel, ConfigDict, Field

from bottega.coach.observer.belonging import is_expected
from bottega.coach.stages import Stage


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class CurrentPhase(_Frozen):
    number: int
    title: str
    description: str
    expected_files: list[str]


class RecentAction(_Frozen):
    type: str
    path: str | None = Field(None, exclude_if=lambda path: path is None)
    #: As people say it: `2m10s`.
    ago: str


class Change(_Frozen):
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
    changes: list[Change] = Field(default_factory=list)
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
    def expected_files(self) -> list[str]:
        return self.current_phase.expected_files if self.current_phase else []

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
