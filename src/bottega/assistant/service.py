"""The assistant as its doors use it: sessions, turns, memory files, evals, each built once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bottega.assistant.evals.service import EvalRuns
from bottega.assistant.hooks.registry import HookRegistry
from bottega.assistant.hooks.surroundings import HookDependencies
from bottega.assistant.loop.hooks import LoopDependencies
from bottega.assistant.loop.runs import AssistantRuns
from bottega.assistant.loop.turn import Turn
from bottega.assistant.memory_files.notebook import MemoryNotebook
from bottega.assistant.memory_files.paths import MemoryAccess
from bottega.assistant.memory_files.ranking import MemoryFileStore
from bottega.assistant.memory_files.service import MemoryFiles
from bottega.assistant.plugins.catalogue import plugin_folders
from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.prompts.assembly import SystemPrompt, assemble, dry_run, gather
from bottega.assistant.sessions.schemas import KIND, AssistantOrder
from bottega.assistant.sessions.service import AssistantSessions
from bottega.assistant.tools.toolbox import AgentToolbox
from bottega.assistant.workspace.service import Workspace, workspace_for
from bottega.core.runs import Run
from bottega.core.services import Core
from bottega.errors import InvalidInput, NotFound
from bottega.research.service import Sources

if TYPE_CHECKING:
    from pydantic_ai.models import Model


@dataclass(frozen=True, slots=True)
class Assistant:
    core: Core
    runs: AssistantRuns
    memory_files: MemoryFiles
    sources: Sources
    evals: EvalRuns
    #: Memory files among all that can be recalled.
    memory_store: MemoryFileStore

    async def start(self) -> None:
        await self.memory_store.start()

    async def stop(self) -> None:
        await self.sources.stop()
        await self.memory_store.stop()

    async def plugins(self) -> Sequence[Plugin]:
        """Every plugin, with its problems."""
        return await asyncio.to_thread(plugin_folders(self.core).list)

    async def plugin(self, name: str) -> Plugin:
        """`NotFound` says which plugins there are."""
        return await asyncio.to_thread(plugin_folders(self.core).load, name)

    async def workspace(self, plugin: str, user_id: str) -> Workspace:
        """The person's workspace for a plugin."""
        return workspace_for(self.core, user_id, await self.plugin(plugin))

    async def newest_turn(self, session_id: str, user_id: str) -> Run | None:
        """`None` if nothing was asked in the session yet."""
        await self.runs.sessions.get(session_id, user_id=user_id)
        found = await self.core.runs.list(kind=KIND, session_id=session_id, limit=1)
        return found[0] if found else None

    async def current_turn(self, session_id: str, user_id: str) -> Run:
        run = await self.newest_turn(session_id, user_id)
        if run is None:
            raise NotFound(f"Nothing was asked in the session {session_id!r} yet.")
        return run

    async def turn_of(self, session_id: str, run_id: str, user_id: str) -> Run:
        """A turn of that session; `NotFound` for any other."""
        run = await self.runs.get(run_id, user_id=user_id)
        if run.session_id != session_id:
            raise NotFound(f"The session {session_id!r} has no turn {run_id!r}.")
        return run

    async def order(
        self,
        input: str,
        user_id: str,
        *,
        command: str | None = None,
        session_id: str | None = None,
        **options: Any,
    ) -> AssistantOrder:
        """What is asked: a command by its name, or the session's agent to go on."""
        if command is not None:
            found = await asyncio.to_thread(plugin_folders(self.core).find, command)
            return AssistantOrder(
                plugin=found.plugin.name,
                command=found.command.name,
                agent=found.agent.name,
                input=input,
                **options,
            )
        if session_id is None:
            raise InvalidInput("Name a command (`plugin:command`) or a session to go on with.")
        row = (await self.runs.sessions.get(session_id, user_id=user_id)).row
        return AssistantOrder(plugin=row.plugin, agent=row.agent, input=input, **options)

    async def rehearse(self, order: AssistantOrder, user_id: str) -> SystemPrompt:
        """The prompt that the order would begin with, without asking a model."""

        async def remember(class_id: str | None) -> str:
            return await self.memory_files.entrypoint(class_id, MemoryAccess(user_id, "dry run"))

        return await dry_run(self.core, order, user_id, remember)


def open_service(core: Core) -> Assistant:
    memory_files = MemoryFiles(core.database, core.traces)
    sessions = AssistantSessions(core)
    sources = Sources(core)
    dependencies = _loop_dependencies(core, sessions, memory_files, sources)
    runs = AssistantRuns(core, dependencies, sessions)
    return Assistant(
        core,
        runs,
        memory_files,
        sources,
        EvalRuns(core, runs, memory_files),
        MemoryFileStore(core.database, core.embedder),
    )


def _loop_dependencies(
    core: Core, sessions: AssistantSessions, memory_files: MemoryFiles, sources: Sources
) -> LoopDependencies:
    """What the loop needs from the other domains of the room."""
    notebook = MemoryNotebook(memory_files)
    hooks = HookRegistry(HookDependencies(notebook, _find_names))
    toolbox = AgentToolbox(sessions, memory_files, _find_names, sources, shell=core.choices.shell)

    async def plugin(name: str) -> Plugin:
        return await asyncio.to_thread(plugin_folders(core).load, name)

    async def prompt(turn: Turn) -> SystemPrompt:
        context = await gather(turn, partial(notebook.for_prompt, turn))
        # An agent without feedforward has nobody else to find out which class is meant.
        turn.class_id = turn.class_id or context.class_id
        return assemble(turn, context)

    def workspace(turn: Turn) -> Workspace:
        return workspace_for(turn.core, turn.user_id, turn.plugin)

    return LoopDependencies(
        plugin=plugin,
        resolve_hooks=hooks.resolve,
        tools=toolbox.tools_for,
        assemble=prompt,
        workspace=workspace,
        offline_model=_offline_model,
    )


async def _find_names(turn: Turn, text: str) -> Sequence[str]:
    # Its lists of names take a while to load.
    from bottega.assistant.guardrails.names import find_names

    return await find_names(turn, text)


def _offline_model(turn: Turn) -> "Model":
    # Importing it imports Pydantic AI.
    from bottega.assistant.drafts.model import OfflineModel

    return OfflineModel(turn)
