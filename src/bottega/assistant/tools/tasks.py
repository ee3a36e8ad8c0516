"""`update_tasks`: the session's list of what is to be done."""

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from bottega.assistant.loop.turn import TaskItem, Turn
from bottega.assistant.tools.tool import Arguments, BuiltTool
from bottega.errors import InvalidInput

MOST_TASKS = 100
Title = Annotated[str, Field(min_length=1, max_length=300)]
TaskId = Annotated[str, Field(max_length=40)]


class TaskStatus(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


class TaskChange(Arguments):
    id: TaskId
    title: Title | None = None
    status: TaskStatus | None = None
    note: str | None = Field(None, max_length=1_000)


class UpdateTasks(Arguments):
    add: list[Title] = Field([], max_length=MOST_TASKS, description="titles of new tasks")
    update: list[TaskChange] = Field([], max_length=MOST_TASKS)
    complete: list[TaskId] = Field([], max_length=MOST_TASKS, description="ids of finished tasks")


def update_tasks(turn: Turn) -> BuiltTool[UpdateTasks]:
    async def act(asked: UpdateTasks) -> str:
        tasks = changed(turn.context.task_progress, asked)
        turn.context.task_progress = tasks
        await turn.steps.emit("tasks", {"tasks": [asdict(task) for task in tasks]})
        return "\n".join(map(_line, tasks)) or "There are no tasks."

    return BuiltTool(
        "update_tasks",
        "Add tasks to the session's list, change them, or complete them. Gives the whole list.",
        UpdateTasks,
        act,
        # It changes the turn, which a replay that leaves the step out would not.
        in_step=False,
    )


def changed(tasks: Sequence[TaskItem], asked: UpdateTasks) -> list[TaskItem]:
    """The list afterwards; `InvalidInput`, and nothing changed, if any of it cannot be done."""
    found = {task.id: replace(task) for task in tasks}
    changes = [
        *asked.update,
        *(TaskChange(id=each, status=TaskStatus.COMPLETED) for each in asked.complete),
    ]
    for change in changes:
        if (task := found.get(change.id)) is None:
            there_are = ", ".join(found) or "none"
            raise InvalidInput(f"There is no task {change.id!r}; there are: {there_are}.")
        task.title = change.title or task.title
        task.status = (change.status or TaskStatus(task.status)).value
        task.note = task.note if change.note is None else change.note
    number = max((int(each[1:]) for each in found if re.fullmatch(r"t\d{1,9}", each)), default=0)
    added = [TaskItem(f"t{number + place}", title) for place, title in enumerate(asked.add, 1)]
    after = [*found.values(), *added]
    if len(after) > MOST_TASKS:
        raise InvalidInput(f"That would be {len(after)} tasks, and {MOST_TASKS} are the most.")
    return after


def _line(task: TaskItem) -> str:
    note = f" ({task.note})" if task.note else ""
    return f"{task.id} [{task.status}] {task.title}{note}"
