"""The eleven tools that an agent from outside has in a research session."""

import asyncio
from typing import Any

from bottega.core.permissions import ToolClass
from bottega.core.rooms import Caller, Tool
from bottega.errors import Unavailable
from bottega.research.agents.loading import agent_folders
from bottega.research.agents.validation import validate_agent
from bottega.research.session_tools.arguments import (
    AgentInput,
    ConfigInput,
    CredentialInput,
    GateAction,
    MermaidInput,
    PlanInput,
    RenderInput,
    SkillInput,
    SourceInput,
    StageGateInput,
    StateAction,
    StateInput,
)
from bottega.research.session_tools.configs import validate_configs
from bottega.research.session_tools.credentials import ask_credential
from bottega.research.session_tools.desk import SessionDesk
from bottega.research.session_tools.mermaid.report import MermaidReport
from bottega.research.session_tools.rendering import RenderedDocument
from bottega.research.session_tools.requests import RequestKind, RequestView
from bottega.research.session_tools.stage_gates import GateView, Way
from bottega.research.skills import skill_folders, validate_skill
from bottega.research.sources.views import TestReport


def session_tools(desk: SessionDesk) -> list[Tool[Any]]:
    tools = SessionTools(desk)
    return [
        Tool(
            "agent_stage_gate",
            "Go through an agent's stages in their order; a person replies at its pauses.",
            StageGateInput,
            tools.stage_gate,
        ),
        Tool(
            "agent_render_research_output",
            "Verify claims against a library and write them up; what does not hold is left out.",
            RenderInput,
            tools.render,
        ),
        Tool(
            "agent_state",
            "Keep values from turn to turn: get, set, delete, list.",
            StateInput,
            tools.state,
        ),
        Tool(
            "agent_validate",
            "Check an agent's files; problems come with file, line and column.",
            AgentInput,
            tools.validate_agent,
            read_only=True,
        ),
        Tool("source_test", "Try a source: connect, list its tools.", SourceInput, tools.test),
        Tool(
            "source_oauth",
            "The address where a person signs in to a source.",
            SourceInput,
            tools.oauth,
        ),
        Tool(
            "config_validate",
            "Check config.json, sources, statuses and labels; problems come with their place.",
            ConfigInput,
            tools.validate_config,
            read_only=True,
        ),
        Tool(
            "credential_prompt",
            "Ask a person for a source's credential. You learn whether it is there, never what.",
            CredentialInput,
            tools.credential,
        ),
        Tool(
            "mermaid_validate",
            "Check a Mermaid diagram; problems come with their line.",
            MermaidInput,
            tools.validate_mermaid,
            read_only=True,
        ),
        Tool(
            "skill_validate",
            "Check a skill, stored or as text; problems come with their line.",
            SkillInput,
            tools.validate_skill,
            read_only=True,
        ),
        Tool(
            "submit_plan",
            "Give a plan to a person. Call again with the same plan for the answer.",
            PlanInput,
            tools.submit_plan,
        ),
    ]


class SessionTools:
    def __init__(self, desk: SessionDesk) -> None:
        self._desk = desk

    async def stage_gate(self, asked: StageGateInput, caller: Caller) -> GateView:
        await self._check(asked.session_id, caller, "agent_stage_gate", ToolClass.READ)
        way = Way(asked.session_id, asked.agent, caller.user_id, asked.version)
        gates = self._desk.gates
        match asked.action:
            case GateAction.START:
                return await gates.start(way, stage=asked.stage, depth=asked.depth)
            case GateAction.COMPLETE:
                return await gates.complete(
                    way, asked.output or {}, stage=asked.stage, message=asked.message
                )
            case GateAction.RESUME:
                return await gates.resume(way)
            case GateAction.REPAIR:
                return await gates.repair(way, asked.failures)
            case GateAction.RESET:
                return await gates.reset(way)
            case GateAction.STATUS:
                return await gates.status(way)

    async def render(self, asked: RenderInput, caller: Caller) -> RenderedDocument:
        await self._check(asked.session_id, caller, "agent_render_research_output", ToolClass.READ)
        return await self._desk.rendering.render(
            asked.session_id, asked.library, asked, user_id=caller.user_id, agent=asked.agent
        )

    async def state(self, asked: StateInput, caller: Caller) -> dict[str, Any]:
        await self._check(asked.session_id, caller, "agent_state", ToolClass.READ)
        notes, user_id = self._desk.notes, caller.user_id
        place = (asked.session_id, asked.agent)
        key = asked.key or ""
        match asked.action:
            case StateAction.LIST:
                return {"keys": await notes.keys(*place, user_id=user_id)}
            case StateAction.DELETE:
                return {"deleted": await notes.delete(*place, key, user_id=user_id)}
            case StateAction.SET:
                kept = await notes.set(*place, key, asked.value, user_id=user_id)
            case StateAction.GET:
                kept = await notes.get(*place, key, user_id=user_id)
        return kept.model_dump(mode="json")

    async def validate_agent(self, asked: AgentInput, _: Caller) -> dict[str, Any]:
        def look() -> list[dict[str, Any]]:
            folders = agent_folders(self._desk.core)
            problems = validate_agent(folders.folder(asked.agent), folders.sources)
            return [
                {
                    "file": each.file,
                    "line": each.line,
                    "column": each.column,
                    "message": each.message,
                }
                for each in problems
            ]

        problems = await asyncio.to_thread(look)
        return {"agent": asked.agent, "valid": not problems, "problems": problems}

    async def test(self, asked: SourceInput, caller: Caller) -> TestReport:
        await self._check(asked.session_id, caller, "source_test", ToolClass.NETWORK)
        return await self._desk.sources.test(asked.source, user_id=caller.user_id)

    async def oauth(self, asked: SourceInput, caller: Caller) -> dict[str, Any]:
        # It gives an address; nothing happens unless a person goes there and agrees.
        classes = (ToolClass.NETWORK, ToolClass.CREDENTIALS)
        await self._check(asked.session_id, caller, "source_oauth", *classes, asks=True)
        view = await self._desk.sources.get(asked.source, user_id=caller.user_id)
        if view.signed_in:
            return {"source": asked.source, "signed_in": True}
        if self._desk.oauth_callback is None:
            raise Unavailable("A person has to sign in to this source on the sources page.")
        url = await self._desk.sources.start_oauth(
            asked.source, user_id=caller.user_id, callback_url=self._desk.oauth_callback
        )
        return {"source": asked.source, "signed_in": False, "authorization_url": url}

    async def validate_config(self, asked: ConfigInput, _: Caller) -> Any:
        return await validate_configs(self._desk.core, asked.target)

    async def credential(self, asked: CredentialInput, caller: Caller) -> RequestView:
        classes = (ToolClass.CREDENTIALS,)
        await self._check(asked.session_id, caller, "credential_prompt", *classes, asks=True)
        request_id = asked.request_id
        if request_id is None:
            request = await ask_credential(
                self._desk, asked.session_id, asked.source, asked.name, asked.reason, caller.user_id
            )
            request_id = request.id
        return await self._desk.requests.wait(
            request_id, asked.wait_seconds, user_id=caller.user_id
        )

    async def validate_mermaid(self, asked: MermaidInput, _: Caller) -> MermaidReport:
        # Eight grammars are loaded when there is a diagram.
        from bottega.research.session_tools.mermaid.validation import validate_mermaid

        return await asyncio.to_thread(validate_mermaid, asked.diagram)

    async def validate_skill(self, asked: SkillInput, _: Caller) -> dict[str, Any]:
        if asked.text is None:
            folders = skill_folders(self._desk.core)
            problems = (await asyncio.to_thread(folders.get, asked.skill)).problems
        else:
            problems = await asyncio.to_thread(validate_skill, asked.text, asked.skill)
        found = [
            {"line": each.line, "column": each.column, "message": each.message} for each in problems
        ]
        return {"skill": asked.skill, "valid": not found, "problems": found}

    async def submit_plan(self, asked: PlanInput, caller: Caller) -> RequestView:
        await self._check(asked.session_id, caller, "submit_plan", ToolClass.READ)
        plan = {"title": asked.title, "plan": asked.plan}
        requests = self._desk.requests
        request = await requests.newest(asked.session_id, RequestKind.PLAN, plan)
        if request is None:
            request = await requests.open(
                asked.session_id, RequestKind.PLAN, plan, user_id=caller.user_id
            )
        return await requests.wait(request.id, asked.wait_seconds, user_id=caller.user_id)

    async def _check(
        self, session_id: str, caller: Caller, tool: str, *classes: ToolClass, asks: bool = False
    ) -> None:
        await self._desk.check(session_id, caller.user_id, tool, *classes, asks=asks)
