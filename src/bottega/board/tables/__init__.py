"""What the board keeps, a file for each side of it."""

from bottega.board.tables.activity import AgentActivity, Clarification, HookEvent
from bottega.board.tables.changes import (
    AppliedSpec,
    Change,
    ChangeRevision,
    ChangeTransition,
    Project,
)
from bottega.board.tables.failures import ErrorTriage, Report, TestFailure, TestRun
from bottega.board.tables.knowledge import GlobalKnowledge, KnowledgeUse, ProjectMemory, TaskMemory

__all__ = [
    "AgentActivity",
    "AppliedSpec",
    "Change",
    "ChangeRevision",
    "ChangeTransition",
    "Clarification",
    "ErrorTriage",
    "GlobalKnowledge",
    "HookEvent",
    "KnowledgeUse",
    "Project",
    "ProjectMemory",
    "Report",
    "TaskMemory",
    "TestFailure",
    "TestRun",
]
