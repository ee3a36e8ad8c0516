"""Tools in the hands of a turn, and a whole room of them with a scripted model."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bottega.assistant.guardrails.names import find_names
from bottega.assistant.hooks.registry import HookRegistry
from bottega.assistant.hooks.surroundings import HookDependencies
from bottega.assistant.loop.hooks import Hook, HookAbort, LoopDependencies
from bottega.assistant.loop.runs import AssistantRuns
from bottega.assistant.loop.turn import Turn
from bottega.assistant.memory_files.notebook import MemoryNotebook
from bottega.assistant.memory_files.service import MemoryFiles
from bottega.assistant.plugins.catalogue import PluginFolders
from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.prompts.assembly import SystemPrompt, assemble, gather
from bottega.assistant.sessions.schemas import AssistantOrder, LoopResult
from bottega.assistant.sessions.service import AssistantSessions
from bottega.assistant.tools.toolbox import AgentToolbox
from bottega.assistant.workspace.service import Workspace, workspace_for
from bottega.conversation.gates import GateReply
from bottega.core.definitions.folders import Origin
from bottega.core.llm.testing.scripted import ScriptedModel, Step
from bottega.core.runs import Run
from bottega.core.services import Core
from bottega.core.traces import SpanRow
from bottega.core.users import LOCAL_USER
from bottega.research.service import Sources
from tests.app import open_app
from tests.assistant.builders import put_plugin
from tests.assistant.hook_turns import TurnApp


def toolbox_of(
    app: TurnApp, sources: Sources | None = None, *, shell: bool = False
) -> AgentToolbox:
    return AgentToolbox(AssistantSessions(app.core), app.files, find_names, sources, shell=shell)


async def names_of(app: TurnApp, *, shell: bool = False) -> list[str]:
    """The tools that the turn's agent has."""
    tools = await toolbox_of(app, shell=shell).tools_for(app.turn, app.turn.agent)
    return [tool.name for tool in tools]


async def use(app: TurnApp, name: str, /, *, shell: bool = False, **arguments: Any) -> Any:
    tools = await toolbox_of(app, shell=shell).tools_for(app.turn, app.turn.agent)
    return await next(tool for tool in tools if tool.name == name).run(arguments)


def workspace_of(app: TurnApp) -> Workspace:
    return workspace_for(app.core, LOCAL_USER, app.turn.plugin)


def give(app: TurnApp, **fields: Any) -> None:
    """Another frontmatter for the turn's agent."""
    agent = app.turn.agent
    app.turn.agent = replace(agent, meta=agent.meta.model_copy(update=fields))


class RefuseAll(Hook):
    name = "refuse-all"

    async def post_loop(self, turn: Turn) -> None:
        raise HookAbort(self.name, "Nothing is good enough.")


@dataclass
class ToolApp:
    core: Core
    runs: AssistantRuns
    files: MemoryFiles
    plugins: PluginFolders
    model: ScriptedModel

    async def start(
        self,
        said: str = "a lesson on iteration for 3B",
        session_id: str | None = None,
        **fields: Any,
    ) -> Run:
        order = AssistantOrder(plugin="lessons", agent="planner", input=said, **fields)
        return await self.settled(await self.runs.start(order, session_id=session_id))

    async def settled(self, run: Run) -> Run:
        async with asyncio.timeout(20):
            return await self.runs.wait_until_settled(run.id)

    async def reply(self, run: Run, decision: str, **fields: Any) -> Run:
        await self.runs.reply(run.id, GateReply(decision=decision, **fields))
        return await self.settled(run)

    async def result(self, run: Run) -> LoopResult:
        return await self.runs.result(run.id)

    async def spans(self, trace_id: str | None) -> list[SpanRow]:
        await self.core.traces.flush()
        trace = await self.core.traces.get(trace_id or "")
        return [node.span for node in trace.spans]

    def instructions(self, call: int) -> str:
        """The system prompt of a call."""
        requests = [each for each in self.model.conversations[call] if each.kind == "request"]
        return requests[-1].instructions or ""

    def told_to_model(self, call: int) -> str:
        messages = self.model.conversations[call]
        return "\n".join(str(part) for message in messages for part in message.parts)


@asynccontextmanager
async def open_tools(
    root: Path,
    *steps: Step,
    files: dict[str, str] | None = None,
    hooks: Sequence[str] = (),
    database_url: str | None = None,
    offline: bool = False,
) -> AsyncIterator[ToolApp]:
    """The sample plugin with real tools, memory, hooks, gates and runs. The model says the steps;
    `offline` keeps hooks from asking it too."""
    planner = (
        "---\nmodel: claude-sonnet-4-5\nprovider: anthropic\nskills: [backward-design]\n"
        f"handoffs: [reviewer]\nhooks: [{', '.join(hooks)}]\n---\nDraft the lesson.\n"
    )
    put_plugin(root / "plugins", files={"agents/planner.md": planner, **(files or {})})
    model = ScriptedModel(*steps)
    asked = None if offline else model
    async with open_app(root, database_url=database_url, model=asked) as app:
        core = app.core
        memory = MemoryFiles(core.database, core.traces)
        notebook, sessions = MemoryNotebook(memory), AssistantSessions(core)
        plugins = PluginFolders(((Origin.OWN, root / "plugins"),))

        async def load(name: str) -> Plugin:
            return await asyncio.to_thread(plugins.load, name)

        async def assembled(turn: Turn) -> SystemPrompt:
            return assemble(turn, await gather(turn, lambda each: notebook.for_prompt(turn, each)))

        parts = LoopDependencies(
            plugin=load,
            resolve_hooks=HookRegistry(
                HookDependencies(notebook, find_names), {RefuseAll.name: RefuseAll}
            ).resolve,
            tools=AgentToolbox(sessions, memory, find_names).tools_for,
            assemble=assembled,
            workspace=lambda turn: workspace_for(turn.core, turn.user_id, turn.plugin),
            offline_model=lambda _: model,
        )
        yield ToolApp(core, AssistantRuns(core, parts, sessions), memory, plugins, model)
