"""OpenSpec, a library of its own: a project's changes and specs, read, written and validated.

`project.py` is the door: `OpenSpec(root)`. `cli.py` runs the real program where it is installed.
"""

from bottega.board.openspec.changes import (
    Change,
    ChangeSummary,
    DeltaFile,
    overlaps,
    references,
)
from bottega.board.openspec.cli import OpenSpecCli
from bottega.board.openspec.deltas import Delta, Operation, parse_delta
from bottega.board.openspec.drafts import (
    NewChange,
    NewDelta,
    NewRequirement,
    NewScenario,
    TaskGroup,
)
from bottega.board.openspec.ids import change_id
from bottega.board.openspec.issues import Issue, Level, Validation
from bottega.board.openspec.metadata import FILE_NAME as METADATA_FILE
from bottega.board.openspec.problems import Problem
from bottega.board.openspec.project import OpenSpec
from bottega.board.openspec.requirements import Requirement, Scenario
from bottega.board.openspec.spec_rules import validate_spec
from bottega.board.openspec.specs import Spec
from bottega.board.openspec.tasks import Task, TaskCount, parse_tasks, tick
from bottega.board.openspec.texts import TextFile
from bottega.board.openspec.validation import validate
from bottega.board.openspec.watching import Touched, changed_ids, touched

__all__ = [
    "METADATA_FILE",
    "Change",
    "ChangeSummary",
    "Delta",
    "DeltaFile",
    "Issue",
    "Level",
    "NewChange",
    "NewDelta",
    "NewRequirement",
    "NewScenario",
    "OpenSpec",
    "OpenSpecCli",
    "Operation",
    "Problem",
    "Requirement",
    "Scenario",
    "Spec",
    "Task",
    "TaskCount",
    "TaskGroup",
    "TextFile",
    "Touched",
    "Validation",
    "change_id",
    "changed_ids",
    "overlaps",
    "parse_delta",
    "parse_tasks",
    "references",
    "tick",
    "touched",
    "validate",
    "validate_spec",
]
