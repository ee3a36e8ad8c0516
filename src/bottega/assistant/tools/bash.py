"""`bash`: for evals and developers; an agent has it only if three say so.

The house (a setting), the order (mode `execute`) and the agent's own file, by name: an empty
`tools:` is all but this one, so no planner has it.
"""

from typing import Any

from pydantic import Field

from bottega.assistant.tools.permission import Permission
from bottega.assistant.tools.shell import SECONDS, run_shell
from bottega.assistant.tools.tool import Arguments, BuiltTool
from bottega.assistant.workspace.workspace import Workspace
from bottega.core.permissions import ToolClass

NAME = "bash"
CLASSES = frozenset({ToolClass.SHELL, ToolClass.WRITE})


class Bash(Arguments):
    command: str = Field(min_length=1, max_length=20_000)


def bash(workspace: Workspace, permission: Permission) -> BuiltTool[Bash]:
    async def act(asked: Bash) -> dict[str, Any]:
        await permission.obtain(NAME, CLASSES, f"run {asked.command}")
        await workspace.list()  # which makes it, if it is not there yet
        done = await run_shell(asked.command, workspace.folder)
        return {
            "exit_code": done.code,
            "output": done.output.decode(errors="replace"),
            "errors": done.errors,
            "cut": done.flooded,
        }

    return BuiltTool(
        NAME,
        f"Run a command in the workspace, for {SECONDS:.0f} seconds at most, without a network.",
        Bash,
        act,
    )
