"""The queue as every door shows it, and what a session says about it and its work.

Models pay for every word of a tool's schema: no descriptions where the name says it, and lengths
are checked without being listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Field, PrivateAttr, StringConstraints

from bottega.board.changes.agent_types import AgentType
from bottega.board.changes.states import ChangeStatus
from bottega.board.openspec.tasks import parse_tasks
from bottega.board.projects.schemas import RowView

if TYPE_CHECKING:
    from bottega.board.changes.tables import Change


class Liveness(StrEnum):
    """By the age of the last heartbeat: up to 5 minutes, up to 10, beyond."""

    ACTIVE = "active"
    SLOW = "slow"
    STALE = "stale"


class WaitingItem(RowView):
    project_id: str
    change_id: str
    title: str
    priority: int
    approved_at: datetime | None
    #: Why it is not handed out now; null if it may be.
    held_back: str | None


class LeasedItem(RowView):
    project_id: str
    change_id: str
    title: str
    priority: int
    status: ChangeStatus
    lease_token: int
    assigned_at: datetime | None
    session_id: str | None
    session_type: str | None
    liveness: Liveness | None
    tasks_done: int
    tasks_total: int


class QueueView(RowView):
    #: In the order in which they will be handed out.
    waiting: list[WaitingItem]
    leased: list[LeasedItem]


class Lease(RowView):
    """What a session holds."""

    change_id: str
    title: str
    lease_token: int
    status: ChangeStatus
    agent_type: str | None
    #: When it is lost, unless the session is heard of before.
    expires_at: datetime


class TaskLine(BaseModel):
    id: str
    text: str
    done: bool
    #: The heading it stands under.
    group: str


class WorkPackage(BaseModel):
    project_id: str
    project_path: str
    change_id: str
    title: str
    status: ChangeStatus
    priority: int
    #: Send it with everything you say about the change.
    lease_token: int
    lease_rule: str
    proposal: str
    tasks: list[TaskLine]
    design: str | None
    #: Delta specs: capability → text.
    specs: dict[str, str]
    agent_type: AgentType
    system_prompt: str
    tools: Sequence[str]
    #: What is remembered of all three tiers.
    memory: str
    next_steps: Sequence[str]


@dataclass(frozen=True, slots=True)
class WorkResult:
    """What a session says of its finished work."""

    summary: str
    files_changed: Sequence[str] = ()
    tests: str = ""

    def text(self) -> str:
        parts = [self.summary.strip()]
        if self.files_changed:
            parts.append("\n".join(["Files changed:", *(f"- {f}" for f in self.files_changed)]))
        if self.tests.strip():
            parts.append(f"Tests: {self.tests.strip()}")
        return "\n\n".join(parts)


def task_lines(tasks: str) -> list[TaskLine]:
    return [
        TaskLine(id=task.id, text=task.text, done=task.done, group=task.group)
        for task in parse_tasks(tasks)
    ]


class NextWork(BaseModel):
    #: Null if there is none now.
    work: WorkPackage | None
    #: Why there is none.
    reason: str


class Moved(BaseModel):
    change_id: str
    status: ChangeStatus
    #: Tasks that are not ticked.
    open_tasks: int

    _open_task_ids: list[str] = PrivateAttr(default_factory=list)

    @classmethod
    def of(cls, change: "Change") -> Self:
        waiting = [task.id for task in parse_tasks(change.tasks_content) if not task.done]
        status = ChangeStatus(change.status)
        moved = cls(change_id=change.id, status=status, open_tasks=len(waiting))
        moved._open_task_ids = waiting
        return moved

    def with_open_tasks(self) -> dict[str, Any]:
        """For an agent, which goes on with them."""
        open_tasks = self._open_task_ids
        return {"change_id": self.change_id, "status": self.status, "open_tasks": open_tasks}


MOST_FILES = 1_000


def up_to(longest: int) -> AfterValidator:
    def check(text: str) -> str:
        if not text:
            raise ValueError(f"it is empty; write 1 to {longest} characters")
        if len(text) > longest:
            raise ValueError(f"it has {len(text)} characters; the limit is {longest}")
        if "\0" in text:
            raise ValueError("it contains a NUL character, which no database stores")
        return text

    return AfterValidator(check)


def at_most(number: int) -> AfterValidator:
    def check(items: list[str]) -> list[str]:
        if len(items) > number:
            raise ValueError(f"it has {len(items)} items; the limit is {number}")
        return items

    return AfterValidator(check)


_STRIPPED = StringConstraints(strip_whitespace=True)
Word = Annotated[str, _STRIPPED, up_to(40)]
Id = Annotated[str, _STRIPPED, up_to(200)]
Line = Annotated[str, _STRIPPED, up_to(4_096)]
Why = Annotated[str, _STRIPPED, up_to(5_000)]
Words = Annotated[str, _STRIPPED, up_to(20_000)]


class OfSession(BaseModel):
    session_id: Id


class Holding(OfSession):
    lease_token: int


class Completing(Holding):
    result: Words = Field(description="What you did.")
    files_changed: Annotated[list[Line], at_most(MOST_FILES)] = []
    tests: Words | None = Field(None, description="How it was tested.")

    def finish(self) -> WorkResult:
        return WorkResult(self.result, self.files_changed, self.tests or "")


class Releasing(Holding):
    why: Why


class Completion(Completing):
    change_id: Id


class Release(Releasing):
    change_id: Id


class TaskUpdate(Holding):
    change_id: Id
    tasks: list[Id] = Field(description="Their ids.")
    done: bool = True


class Asking(OfSession):
    change_id: Id | None = Field(None, description="This one, whoever's turn it is.")


class WorkFilter(BaseModel):
    project_id: Id | None = None
    status: ChangeStatus | None = None


class OfChange(BaseModel):
    change_id: Id
    project_id: Id | None = None


class QueueRequest(BaseModel):
    project_id: Id | None = None
    limit: int = Field(200, ge=1, le=1_000)
