"""Which tools an agent has in a turn.

Those that its file names, or all that are built in if it names none, except bash. What the order
has switched off (memory, skills, the workspace) and what its mode would refuse anyway is not there
at all. `spawn_subagent` and `transfer_to_…` are the loop's own (`loop/subagents.py`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from bottega.assistant.loop.hooks import AgentTool
from bottega.assistant.loop.turn import TaskItem, Turn, record, uses_memory
from bottega.assistant.memory_files.captures import FindNames
from bottega.assistant.memory_files.service import MemoryFiles
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.assistant.plugins.skills import AgentSkills, skills_for
from bottega.assistant.sessions.service import AssistantSessions
from bottega.assistant.tools import files, memory
from bottega.assistant.tools.files import FileTools
from bottega.assistant.tools.memory import MemoryTools
from bottega.assistant.tools.sessions import SessionTools
from bottega.assistant.tools.shell import SECONDS, run_shell
from bottega.assistant.tools.sources import sourced_tools
from bottega.assistant.workspace.service import Workspace, workspace_for
from bottega.conversation.pauses import Permission, permission_mode
from bottega.conversation.tools import Arguments, BuiltTool, built
from bottega.core.trust.permissions import ToolClass
from bottega.errors import InvalidInput
from bottega.research.service import Sources

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


def task_tool(turn: Turn) -> BuiltTool[UpdateTasks]:
    async def update_tasks(asked: UpdateTasks) -> str:
        """Add tasks to the session's list, change them, or complete them. Gives the whole list."""
        tasks = changed(turn.context.task_progress, asked)
        turn.context.task_progress = tasks
        await turn.steps.emit("tasks", {"tasks": [asdict(task) for task in tasks]})
        return "\n".join(map(_line, tasks)) or "There are no tasks."

    # No step: it changes the turn, which a replay that leaves the step out would not.
    return built(update_tasks, in_step=False)


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


BASH = "bash"
BASH_CLASSES = frozenset({ToolClass.SHELL, ToolClass.WRITE})


class ReadSkill(Arguments):
    skill: str = Field(
        max_length=256,
        description="a skill by its name (backward-design), or one of its files "
        "(backward-design/examples.md)",
    )


def skill_tool(shelf: AgentSkills) -> BuiltTool[ReadSkill]:
    async def read_skill(asked: ReadSkill) -> str:
        """Read a skill before you do what it is about, and its further files when you need them."""
        from opentelemetry.trace import get_current_span

        found = await shelf.read(asked.skill)
        # On the span of the call: which tier agents go to is research data.
        get_current_span().set_attributes(
            {
                "bottega.skill": found.reference,
                "bottega.skill.tier": found.tier,
                "bottega.skill.included": list(found.included),
                "bottega.skill.left_out": list(found.left_out),
            }
        )
        return found.text

    return built(read_skill)


class Bash(Arguments):
    command: str = Field(min_length=1, max_length=20_000)


def bash(workspace: Workspace, permission: Permission) -> BuiltTool[Bash]:
    async def act(asked: Bash) -> dict[str, Any]:
        await permission.obtain(BASH, BASH_CLASSES, f"run {asked.command}")
        await workspace.list()  # which makes it, if it is not there yet
        done = await run_shell(asked.command, workspace.folder)
        return {
            "exit_code": done.code,
            "output": done.output.decode(errors="replace"),
            "errors": done.errors,
            "cut": done.flooded,
        }

    return BuiltTool(
        BASH,
        f"Run a command in the workspace, for {SECONDS:.0f} seconds at most, without a network.",
        Bash,
        act,
    )


@dataclass(frozen=True, slots=True)
class AgentToolbox:
    sessions: AssistantSessions
    memory_files: MemoryFiles
    find_names: FindNames
    sources: Sources | None = None
    #: Whether the house is open to `bash`.
    shell: bool = False

    async def tools_for(self, turn: Turn, agent: AgentDefinition) -> list[AgentTool]:
        permission = Permission(
            agent=turn.agent.name,
            mode=permission_mode(turn.order.permission),
            person=turn.person,
            decisions=turn.decisions,
            record=partial(record, turn),
            shell=self.shell,
        )
        named = set(agent.meta.tools)
        tools = [
            tool
            for tool in self._built_in(turn, agent, permission)
            if tool.name in named or (not named and tool.name != BASH)
        ]
        if self.sources is not None:
            tools += await sourced_tools(turn, agent, self.sources, permission)
        return tools

    def _built_in(
        self, turn: Turn, agent: AgentDefinition, permission: Permission
    ) -> Iterator[AgentTool]:
        without = turn.order.without
        workspace = workspace_for(turn.core, turn.user_id, turn.plugin)
        if "workspace" not in without:
            file_tools = FileTools(turn, workspace, permission)
            yield from file_tools.reading()
            if permission.is_offered(files.CHANGES):
                yield from file_tools.writing()
        if "skills" not in without and agent.meta.skills:
            yield skill_tool(skills_for(turn.plugin, agent))
        if uses_memory(turn.order, agent):
            memory_tools = MemoryTools(turn, self.memory_files, self.find_names, permission)
            yield memory_tools.reading()
            if permission.is_offered(memory.CHANGES):
                yield memory_tools.writing()
        yield from SessionTools(turn, self.sessions).tools()
        yield task_tool(turn)
        if permission.is_offered(BASH_CLASSES):
            yield bash(workspace, permission)
