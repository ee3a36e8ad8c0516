"""An app where small plugins take turns with a scripted model, real hooks, gates and runs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model

from bottega.assistant.loop.hooks import AgentTool, Hook, LoopDependencies
from bottega.assistant.loop.runs import AssistantRuns
from bottega.assistant.loop.turn import TaskItem, Turn
from bottega.assistant.plugins.catalogue import PluginFolders
from bottega.assistant.plugins.definition import AgentDefinition, Plugin
from bottega.assistant.prompts.assembly import SystemPrompt, assemble, gather
from bottega.assistant.sessions.schemas import AssistantOrder, LoopResult
from bottega.assistant.workspace.service import Workspace, workspace_for
from bottega.conversation import messages
from bottega.conversation.gates import Gate, GateKind, GateReply
from bottega.core.definitions.folders import Origin
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel, Step
from bottega.core.runs import Run, RunEvent, RunStatus
from bottega.core.services import Core
from bottega.core.traces import SpanRow
from bottega.core.users import LOCAL_USER
from bottega.errors import InvalidInput
from tests.app import open_app

PLUGIN = "workshop"
FIELDS = {"model": "claude-sonnet-4-5", "provider": "anthropic"}


@dataclass
class Tool:
    """A small tool, which notes how often it really ran."""

    name: str
    act: Callable[[dict[str, Any]], Any]
    description: str = "A tool of the test."
    in_step: bool = True
    runs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def schema(self) -> Mapping[str, Any]:
        return {"type": "object", "properties": {"word": {"type": "string"}}}

    async def run(self, arguments: dict[str, Any]) -> Any:
        self.runs.append(arguments)
        result = self.act(arguments)
        return await result if asyncio.iscoroutine(result) else result


def refuse(arguments: dict[str, Any]) -> str:
    raise InvalidInput(f"There is no page {arguments.get('word')!r}. Look at the list of pages.")


def look_up() -> Tool:
    return Tool("look_up", lambda arguments: f"{arguments.get('word')} means a lot")


class AskFirst(Hook):
    """A gate before the loop: what the person says goes into the input."""

    name = "ask-first"

    async def pre_loop(self, turn: Turn) -> None:
        options = ["confirm", "modify"]
        gate = Gate(kind=GateKind.FEEDFORWARD, text="Go?", options=options, default="confirm")
        reply = await turn.person.ask(gate)
        if reply.text:
            turn.input = reply.text


@dataclass
class LoopApp:
    core: Core
    root: Path
    plugins: PluginFolders
    hooks: dict[str, Hook]
    tools: list[AgentTool]
    #: What plays an agent where no model is.
    offline: Model
    #: Every turn that a loop was run for, subagents' too, as hooks saw it.
    turns: list[Turn] = field(default_factory=list)
    runs: AssistantRuns = field(init=False)

    def agent(self, name: str = "worker", text: str = "Do the work.", **fields: Any) -> None:
        self._write(f"agents/{name}.md", {**FIELDS, **fields}, text)

    def command(self, name: str, text: str = "A task.", **fields: Any) -> None:
        defaults = {"agent": "worker", "description": "does it"}
        self._write(f"commands/{name}.md", {**defaults, **fields}, text)

    def hook(self, hook: Hook) -> None:
        self.hooks[hook.name] = hook

    def _write(self, path: str, fields: Mapping[str, Any], text: str) -> None:
        file = self.root / "plugins" / PLUGIN / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\n{yaml.safe_dump(dict(fields))}---\n{text}\n")

    def order(self, input: str = "Explain iteration.", **fields: Any) -> AssistantOrder:
        return AssistantOrder(plugin=PLUGIN, input=input, **{"agent": "worker", **fields})

    async def start(
        self,
        input: str = "Explain iteration.",
        *,
        session_id: str | None = None,
        user_id: str = LOCAL_USER,
        **fields: Any,
    ) -> Run:
        order = self.order(input, **fields)
        return await self.runs.start(order, session_id=session_id, user_id=user_id)

    async def settled(self, run: Run) -> Run:
        async with asyncio.timeout(20):
            return await self.runs.wait_until_settled(run.id)

    async def reply(self, run: Run, decision: str, **fields: Any) -> Run:
        await self.runs.reply(run.id, GateReply(decision=decision, **fields))
        return await self.settled(run)

    async def take(self, input: str = "Explain iteration.", **fields: Any) -> LoopResult:
        """A whole turn, from start to result."""
        run = await self.settled(await self.start(input, **fields))
        assert run.status is RunStatus.COMPLETED, run
        return await self.runs.result(run.id)

    async def events(self, run_id: str | None = None) -> Sequence[RunEvent]:
        """Of the newest run, unless another one is named."""
        newest = run_id or (await self.core.runs.list())[0].id
        return await self.runs.events(newest)

    async def told(self, type: str) -> list[dict[str, Any]]:
        return [event.payload for event in await self.events() if event.type == type]

    async def spans(self, trace_id: str | None) -> list[SpanRow]:
        await self.core.traces.flush()
        trace = await self.core.traces.get(trace_id or "")
        return [node.span for node in trace.spans]

    async def conversation(self, session_id: str) -> Sequence[ModelMessage]:
        """As a model would go on with it."""
        kept = await self.runs.sessions.messages(session_id, user_id=LOCAL_USER)
        return messages.load(each.content for each in kept)

    def workspace(self) -> Workspace:
        return workspace_for(self.core, LOCAL_USER, self.plugins.load(PLUGIN))

    def parts(self) -> LoopDependencies:
        return LoopDependencies(
            plugin=self._plugin,
            resolve_hooks=self._resolve,
            tools=self._tools,
            assemble=self._assemble,
            workspace=lambda turn: workspace_for(turn.core, turn.user_id, turn.plugin),
            offline_model=lambda _: self.offline,
        )

    def _resolve(self, own: Sequence[str], extra: Sequence[str]) -> list[Hook]:
        if unknown := {*own, *extra} - self.hooks.keys():
            raise InvalidInput(f"There is no hook {unknown}.")
        return [self.hooks[name] for name in (*own, *extra)]

    async def _plugin(self, name: str) -> Plugin:
        return await asyncio.to_thread(self.plugins.load, name)

    async def _assemble(self, turn: Turn) -> SystemPrompt:
        self.turns.append(turn)
        return assemble(turn, await gather(turn, _nothing))

    async def _tools(self, turn: Turn, agent: AgentDefinition) -> Sequence[AgentTool]:
        async def set_tasks(arguments: dict[str, Any]) -> str:
            titles = arguments.get("titles", [])
            turn.context.task_progress = [TaskItem(title, title) for title in titles]
            return "noted"

        tasks = Tool("set_tasks", set_tasks, in_step=False)
        wanted = set(agent.meta.tools)
        return [tool for tool in (*self.tools, tasks) if not wanted or tool.name in wanted]


async def _nothing(_: str | None) -> str:
    return ""


def calls(*uses: tuple[str, Mapping[str, Any]], text: str = "") -> ModelResponse:
    """A reply that calls several tools at once."""
    said = [TextPart(text)] if text else []
    return ModelResponse(parts=[*said, *(ToolCallPart(name, dict(args)) for name, args in uses)])


@asynccontextmanager
async def open_loop(
    root: Path,
    *steps: Step,
    model: Model | None = None,
    api: LoopbackApi | None = None,
    database_url: str | None = None,
    tools: Sequence[AgentTool] = (),
    hooks: Sequence[Hook] = (),
) -> AsyncIterator[LoopApp]:
    """With the agent `worker`. The model says the steps, unless an API is to be asked."""
    root.mkdir(exist_ok=True)
    scripted = model or ScriptedModel(*steps)
    asked = scripted if api is None and (steps or model) else None
    async with open_app(root, database_url=database_url, api=api, model=asked) as opened:
        named = {hook.name: hook for hook in hooks}
        plugins = PluginFolders(((Origin.OWN, root / "plugins"),), hooks=named)
        app = LoopApp(opened.core, root, plugins, named, list(tools), scripted)
        app.runs = AssistantRuns(app.core, app.parts())
        app.agent()
        yield app


def text_of(messages: Sequence[ModelMessage]) -> str:
    """Everything in a request, for a look at what the model was told."""
    return "\n".join(str(part) for message in messages for part in message.parts)
