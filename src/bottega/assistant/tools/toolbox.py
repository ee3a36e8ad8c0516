"""Which tools an agent has in a turn.

Those that its file names, or all that are built in if it names none, except bash. What the order
has switched off (memory, skills, the workspace) and what its mode would refuse anyway is not there
at all. `spawn_subagent` and `transfer_to_…` are the loop's own (`loop/subagents.py`).
"""

from collections.abc import Iterator

from bottega.assistant.hooks.parts import FindNames
from bottega.assistant.loop.parts import AgentTool
from bottega.assistant.loop.turn import Turn
from bottega.assistant.memory_files.files import MemoryFiles
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.assistant.plugins.skills import shelf_for
from bottega.assistant.prompt.gathering import uses_memory
from bottega.assistant.sessions import AssistantSessions
from bottega.assistant.tools import bash, files, memory
from bottega.assistant.tools.files import FileTools
from bottega.assistant.tools.memory import MemoryTools
from bottega.assistant.tools.permission import Permission
from bottega.assistant.tools.sessions import SessionTools
from bottega.assistant.tools.skills import read_skill
from bottega.assistant.tools.sources import sourced_tools
from bottega.assistant.tools.tasks import update_tasks
from bottega.assistant.workspace.workspace import workspace_for
from bottega.research.service import Sources


class Toolbox:
    def __init__(
        self,
        sessions: AssistantSessions,
        memory_files: MemoryFiles,
        find_names: FindNames,
        sources: Sources | None = None,
        *,
        shell: bool = False,
    ) -> None:
        """`shell` opens the house to `bash`."""
        self._sessions = sessions
        self._memory_files = memory_files
        self._find_names = find_names
        self._sources = sources
        self._shell = shell

    async def tools_for(self, turn: Turn, agent: AgentDefinition) -> list[AgentTool]:
        permission = Permission(turn, shell=self._shell)
        named = set(agent.meta.tools)
        tools = [
            tool
            for tool in self._built_in(turn, agent, permission)
            if tool.name in named or (not named and tool.name != bash.NAME)
        ]
        if self._sources is not None:
            tools += await sourced_tools(turn, agent, self._sources, permission)
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
            yield read_skill(shelf_for(turn.plugin, agent))
        if uses_memory(turn.order, agent):
            memory_tools = MemoryTools(turn, self._memory_files, self._find_names, permission)
            yield memory_tools.reading()
            if permission.is_offered(memory.CHANGES):
                yield memory_tools.writing()
        yield from SessionTools(turn, self._sessions).tools()
        yield update_tasks(turn)
        if permission.is_offered(bash.CLASSES):
            yield bash.bash(workspace, permission)
