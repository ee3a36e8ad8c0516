"""Tools in the hands of a turn, and a whole room of them with a scripted model."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bottega.assistant.gates.gate import GateReply
from bottega.assistant.gates.person import RunPerson
from bottega.assistant.hooks.hook import Hook, HookAbort
from bottega.assistant.hooks.lifecycle import run_hooks
from bottega.assistant.hooks.names import find_names
from bottega.assistant.hooks.parts import HookParts
from bottega.assistant.hooks.registry import HookRegistry
from bottega.assistant.loop.parts import Parts
from bottega.assistant.loop.turn import Turn
from bottega.assistant.memory_files.files import MemoryFiles
from bottega.assistant.memory_files.notebook import MemoryNotebook
from bottega.assistant.orders import AssistantOrder, LoopResult
from bottega.assistant.plugins.definition import Origin, Plugin
from bottega.assistant.plugins.loading import PluginFolders
from bottega.assistant.prompt.assembly import assemble
from bottega.assistant.prompt.gathering import gather
from bottega.assistant.prompt.sections import Prompt
from bottega.assistant.runs import AssistantRuns
from bottega.assistant.sessions import AssistantSessions
from bottega.assistant.tools.toolbox import Toolbox
from bottega.assistant.workspace.workspace import Workspace, workspace_for
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.testing.scripted import ScriptedModel, ScriptedModels, Step
from bottega.core.runs import Run
from bottega.core.services import Core
from bottega.core.traces import SpanRow
from bottega.core.users import LOCAL_USER
from bottega.research.service import Sources
from tests.assistant.hook_house import HookTurn
from tests.assistant.house import open_assistant_house, put_plugin


def toolbox_of(house: HookTurn, sources: Sources | None = None, *, shell: bool = False) -> Toolbox:
    return Toolbox(AssistantSessions(house.core), house.files, find_names, sources, shell=shell)


async def names_of(house: HookTurn, *, shell: bool = False) -> list[str]:
    """The tools that the turn's agent has."""
    tools = await toolbox_of(house, shell=shell).tools_for(house.turn, house.turn.agent)
    return [tool.name for tool in tools]


async def use(house: HookTurn, name: str, /, *, shell: bool = False, **arguments: Any) -> Any:
    tools = await toolbox_of(house, shell=shell).tools_for(house.turn, house.turn.agent)
    return await next(tool for tool in tools if tool.name == name).run(arguments)


def workspace_of(house: HookTurn) -> Workspace:
    return workspace_for(house.core, LOCAL_USER, house.turn.plugin)


def give(house: HookTurn, **fields: Any) -> None:
    """Another frontmatter for the turn's agent."""
    agent = house.turn.agent
    house.turn.agent = replace(agent, meta=agent.meta.model_copy(update=fields))


class RefuseAll(Hook):
    name = "refuse-all"

    async def post_loop(self, turn: Turn) -> None:
        raise HookAbort(self.name, "Nothing is good enough.")


@dataclass
class ToolHouse:
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
async def open_tool_house(
    root: Path,
    *steps: Step,
    files: dict[str, str] | None = None,
    hooks: Sequence[str] = (),
    database_url: str | None = None,
    offline: bool = False,
) -> AsyncIterator[ToolHouse]:
    """The sample plugin with real tools, memory, hooks, gates and runs. The model says the steps;
    `offline` keeps hooks from asking it too."""
    planner = (
        "---\nmodel: claude-sonnet-4-5\nprovider: anthropic\nskills: [backward-design]\n"
        f"handoffs: [reviewer]\nhooks: [{', '.join(hooks)}]\n---\nDraft the lesson.\n"
    )
    put_plugin(root / "plugins", files={"agents/planner.md": planner, **(files or {})})
    async with open_assistant_house(root, database_url=database_url) as house:
        model = ScriptedModel(*steps)
        core = house.core
        if not offline:
            gateway = Gateway(ScriptedModels(model), core.ledger, traces=core.traces)
            core = replace(core, gateway=gateway)
        memory = MemoryFiles(core.database, core.traces)
        notebook, sessions = MemoryNotebook(memory), AssistantSessions(core)
        plugins = PluginFolders(((Origin.OWN, root / "plugins"),))

        async def load(name: str) -> Plugin:
            return await asyncio.to_thread(plugins.load, name)

        async def assembled(turn: Turn) -> Prompt:
            return assemble(turn, await gather(turn, lambda each: notebook.for_prompt(turn, each)))

        parts = Parts(
            plugin=load,
            resolve_hooks=HookRegistry(
                HookParts(notebook, find_names), {RefuseAll.name: RefuseAll}
            ).resolve,
            run_hooks=run_hooks,
            tools=Toolbox(sessions, memory, find_names).tools_for,
            assemble=assembled,
            person=lambda run, _: RunPerson(run),
            workspace=lambda turn: workspace_for(turn.core, turn.user_id, turn.plugin),
            offline_model=lambda _: model,
        )
        yield ToolHouse(core, AssistantRuns(core, parts, sessions), memory, plugins, model)
