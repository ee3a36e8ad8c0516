"""The parts of the room that its doors ask, each built once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bottega.assistant.evals.runs import EvalRuns
from bottega.assistant.gates.person import RunPerson
from bottega.assistant.hooks.lifecycle import run_hooks
from bottega.assistant.hooks.parts import HookParts
from bottega.assistant.hooks.registry import HookRegistry
from bottega.assistant.loop.parts import Parts
from bottega.assistant.loop.turn import Turn
from bottega.assistant.memory_files.access import Access
from bottega.assistant.memory_files.files import MemoryFiles
from bottega.assistant.memory_files.notebook import MemoryNotebook
from bottega.assistant.memory_files.store import MemoryFileStore
from bottega.assistant.orders import AssistantOrder
from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.plugins.loading import plugin_folders
from bottega.assistant.prompt.assembly import assemble
from bottega.assistant.prompt.gathering import gather
from bottega.assistant.prompt.rehearsal import dry_run
from bottega.assistant.prompt.sections import Prompt
from bottega.assistant.runs import AssistantRuns
from bottega.assistant.sessions import AssistantSessions
from bottega.assistant.tools.toolbox import Toolbox
from bottega.assistant.workspace.workspace import Workspace, workspace_for
from bottega.core.runs import RunContext
from bottega.core.services import Core
from bottega.errors import InvalidInput
from bottega.research.service import Sources

if TYPE_CHECKING:
    from pydantic_ai.models import Model


@dataclass(frozen=True, slots=True)
class Desk:
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

    async def rehearse(self, order: AssistantOrder, user_id: str) -> Prompt:
        """The prompt that the order would begin with, without asking a model."""

        async def remember(class_id: str | None) -> str:
            return await self.memory_files.entrypoint(class_id, Access(user_id, "dry run"))

        return await dry_run(self.core, order, user_id, remember)


def open_desk(core: Core) -> Desk:
    memory_files = MemoryFiles(core.database, core.traces)
    sessions = AssistantSessions(core)
    sources = Sources(core)
    parts = loop_parts(core, sessions, memory_files, sources)
    runs = AssistantRuns(core, parts, sessions)
    return Desk(
        core,
        runs,
        memory_files,
        sources,
        EvalRuns(core, runs, memory_files),
        MemoryFileStore(core.database, core.embedder),
    )


def loop_parts(
    core: Core, sessions: AssistantSessions, memory_files: MemoryFiles, sources: Sources
) -> Parts:
    """What the loop takes from the rest of the room."""
    notebook = MemoryNotebook(memory_files)
    hooks = HookRegistry(HookParts(notebook, _find_names))
    toolbox = Toolbox(sessions, memory_files, _find_names, sources, shell=core.choices.shell)

    async def plugin(name: str) -> Plugin:
        return await asyncio.to_thread(plugin_folders(core).load, name)

    async def prompt(turn: Turn) -> Prompt:
        parts = await gather(turn, partial(notebook.for_prompt, turn))
        # An agent without feedforward has nobody else to find out which class is meant.
        turn.class_id = turn.class_id or parts.class_id
        return assemble(turn, parts)

    def person(run: RunContext, _user_id: str) -> RunPerson:
        return RunPerson(run)

    def workspace(turn: Turn) -> Workspace:
        return workspace_for(turn.core, turn.user_id, turn.plugin)

    return Parts(
        plugin=plugin,
        resolve_hooks=hooks.resolve,
        run_hooks=run_hooks,
        tools=toolbox.tools_for,
        assemble=prompt,
        person=person,
        workspace=workspace,
        offline_model=_offline_model,
    )


async def _find_names(turn: Turn, text: str) -> Sequence[str]:
    # Its lists of names take a while to load.
    from bottega.assistant.hooks.names import find_names

    return await find_names(turn, text)


def _offline_model(turn: Turn) -> "Model":
    # Importing it imports Pydantic AI.
    from bottega.assistant.offline.model import OfflineModel

    return OfflineModel(turn)
