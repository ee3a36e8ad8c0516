"""The eleven tools that an agent from outside has in a session, and how people answer what it asks.

Only people answer requests, and only over HTTP: no tool leads there.
"""

import asyncio
from dataclasses import asdict
from typing import Any

from bottega.core.operations import Get, McpTool, Post, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller
from bottega.core.trust.permissions import ToolClass
from bottega.errors import Unavailable
from bottega.research.agents.folders import agent_folders
from bottega.research.agents.skills import skill_folders, validate_skill
from bottega.research.external_agents.config_check import ConfigReport, validate_configs
from bottega.research.external_agents.gate_store import GateKey, GateView
from bottega.research.external_agents.mermaid import MermaidReport, validate_mermaid
from bottega.research.external_agents.rendering import RenderedDocument
from bottega.research.external_agents.requests import RequestKind, RequestView
from bottega.research.external_agents.schemas import (
    AgentInput,
    ConfigInput,
    CredentialInput,
    DeclineRequest,
    GateAction,
    GiveCredentialRequest,
    JudgePlanRequest,
    MermaidInput,
    PlanInput,
    RenderInput,
    ReplyRequest,
    RequestList,
    RequestListRequest,
    SkillInput,
    SourceInput,
    StageGateInput,
    StateAction,
    StateInput,
)
from bottega.research.external_agents.service import ExternalAgents, ask_credential
from bottega.research.sources.views import TestReport


@operation(
    McpTool(
        "agent_stage_gate",
        "Go through an agent's stages in their order; a person replies at its pauses.",
    )
)
async def pass_stage_gate(
    external: ExternalAgents, asked: StageGateInput, caller: Caller
) -> GateView:
    await external.check(asked.session_id, caller.user_id, "agent_stage_gate", ToolClass.READ)
    key = GateKey(asked.session_id, asked.agent, caller.user_id, asked.version)
    gates = external.gates
    match asked.action:
        case GateAction.START:
            return await gates.start(key, stage=asked.stage, depth=asked.depth)
        case GateAction.COMPLETE:
            return await gates.complete(
                key, asked.output or {}, stage=asked.stage, message=asked.message
            )
        case GateAction.RESUME:
            return await gates.resume(key)
        case GateAction.REPAIR:
            return await gates.repair(key, asked.failures)
        case GateAction.RESET:
            return await gates.reset(key)
        case GateAction.STATUS:
            return await gates.status(key)


@operation(
    McpTool(
        "agent_render_research_output",
        "Verify claims against a library and write them up; what does not hold is left out.",
    )
)
async def render_document(
    external: ExternalAgents, asked: RenderInput, caller: Caller
) -> RenderedDocument:
    tool = "agent_render_research_output"
    await external.check(asked.session_id, caller.user_id, tool, ToolClass.READ)
    return await external.rendering.render(
        asked.session_id, asked.library, asked, user_id=caller.user_id, agent=asked.agent
    )


@operation(McpTool("agent_state", "Keep values from turn to turn: get, set, delete, list."))
async def keep_state(external: ExternalAgents, asked: StateInput, caller: Caller) -> dict[str, Any]:
    await external.check(asked.session_id, caller.user_id, "agent_state", ToolClass.READ)
    notes, user_id, key = external.notes, caller.user_id, asked.key or ""
    owner = (asked.session_id, asked.agent)
    match asked.action:
        case StateAction.LIST:
            return {"keys": await notes.keys(*owner, user_id=user_id)}
        case StateAction.DELETE:
            return {"deleted": await notes.delete(*owner, key, user_id=user_id)}
        case StateAction.SET:
            kept = await notes.set(*owner, key, asked.value, user_id=user_id)
        case StateAction.GET:
            kept = await notes.get(*owner, key, user_id=user_id)
    return kept.model_dump(mode="json")


@operation(
    McpTool(
        "agent_validate",
        "Check an agent's files; problems come with file, line and column.",
        read_only=True,
    )
)
async def check_agent(external: ExternalAgents, asked: AgentInput) -> dict[str, Any]:
    def check() -> list[dict[str, Any]]:
        found = agent_folders(external.core).look_up(asked.agent)
        return [asdict(each) for each in found.problems]

    problems = await asyncio.to_thread(check)
    return {"agent": asked.agent, "valid": not problems, "problems": problems}


@operation(McpTool("source_test", "Try a source: connect, list its tools."))
async def try_source(external: ExternalAgents, asked: SourceInput, caller: Caller) -> TestReport:
    await external.check(asked.session_id, caller.user_id, "source_test", ToolClass.NETWORK)
    return await external.sources.test(asked.source, user_id=caller.user_id)


@operation(McpTool("source_oauth", "The address where a person signs in to a source."))
async def find_sign_in(
    external: ExternalAgents, asked: SourceInput, caller: Caller
) -> dict[str, Any]:
    # It gives an address; nothing happens unless a person goes there and agrees.
    classes = (ToolClass.NETWORK, ToolClass.CREDENTIALS)
    await external.check(asked.session_id, caller.user_id, "source_oauth", *classes, asks=True)
    view = await external.sources.get(asked.source, user_id=caller.user_id)
    if view.signed_in:
        return {"source": asked.source, "signed_in": True}
    if external.oauth_callback is None:
        raise Unavailable("A person has to sign in to this source on the sources page.")
    url = await external.sources.start_oauth(
        asked.source, user_id=caller.user_id, callback_url=external.oauth_callback
    )
    return {"source": asked.source, "signed_in": False, "authorization_url": url}


@operation(
    McpTool(
        "config_validate",
        "Check config.json, sources, statuses and labels; problems come with their place.",
        read_only=True,
    )
)
async def check_config(external: ExternalAgents, asked: ConfigInput) -> ConfigReport:
    return await asyncio.to_thread(validate_configs, external.core, asked.target)


@operation(
    McpTool(
        "credential_prompt",
        "Ask a person for a source's credential. You learn whether it is there, never what.",
    )
)
async def ask_for_credential(
    external: ExternalAgents, asked: CredentialInput, caller: Caller
) -> RequestView:
    classes = (ToolClass.CREDENTIALS,)
    user_id = caller.user_id
    await external.check(asked.session_id, user_id, "credential_prompt", *classes, asks=True)
    request_id = asked.request_id
    if request_id is None:
        request = await ask_credential(
            external, asked.session_id, asked.source, asked.name, asked.reason, user_id
        )
        request_id = request.id
    return await external.requests.wait(request_id, asked.wait_seconds, user_id=user_id)


@operation(
    McpTool(
        "mermaid_validate",
        "Check a Mermaid diagram; problems come with their line.",
        read_only=True,
    )
)
async def check_mermaid(_external: ExternalAgents, asked: MermaidInput) -> MermaidReport:
    return await asyncio.to_thread(validate_mermaid, asked.diagram)


@operation(
    McpTool(
        "skill_validate",
        "Check a skill, stored or as text; problems come with their line.",
        read_only=True,
    )
)
async def check_skill(external: ExternalAgents, asked: SkillInput) -> dict[str, Any]:
    if asked.text is None:
        folders = skill_folders(external.core)
        problems = (await asyncio.to_thread(folders.get, asked.skill)).problems
    else:
        problems = await asyncio.to_thread(validate_skill, asked.text, asked.skill)
    found = [
        {"line": each.line, "column": each.column, "message": each.message} for each in problems
    ]
    return {"skill": asked.skill, "valid": not found, "problems": found}


@operation(
    McpTool("submit_plan", "Give a plan to a person. Call again with the same plan for the answer.")
)
async def submit_plan(external: ExternalAgents, asked: PlanInput, caller: Caller) -> RequestView:
    await external.check(asked.session_id, caller.user_id, "submit_plan", ToolClass.READ)
    plan = {"title": asked.title, "plan": asked.plan}
    requests = external.requests
    request = await requests.newest(asked.session_id, RequestKind.PLAN, plan)
    if request is None:
        request = await requests.open(
            asked.session_id, RequestKind.PLAN, plan, user_id=caller.user_id
        )
    return await requests.wait(request.id, asked.wait_seconds, user_id=caller.user_id)


@operation(Get("/research/requests"))
async def list_requests(
    external: ExternalAgents, wanted: RequestListRequest, caller: Caller
) -> RequestList:
    """The longest waiting first."""
    found = await external.requests.list(user_id=caller.user_id, **dict(wanted))
    return RequestList(requests=list(found))


@operation(Post("/research/requests/{request_id}/reply"), needs=Right.DECIDE)
async def reply_to_request(
    external: ExternalAgents, given: ReplyRequest, caller: Caller
) -> RequestView:
    """Words at a pause of an agent from outside."""
    return await external.requests.reply(given.request_id, given.text, user_id=caller.user_id)


@operation(Post("/research/requests/{request_id}/plan"), needs=Right.DECIDE)
async def judge_plan(
    external: ExternalAgents, given: JudgePlanRequest, caller: Caller
) -> RequestView:
    return await external.requests.judge_plan(
        given.request_id, approved=given.approved, comment=given.comment, user_id=caller.user_id
    )


@operation(Post("/research/requests/{request_id}/credential"), needs=Right.DECIDE)
async def give_credential(
    external: ExternalAgents, given: GiveCredentialRequest, caller: Caller
) -> RequestView:
    """Kept encrypted; the agent hears only that it is there."""
    return await external.requests.give_credential(
        given.request_id, given.value, user_id=caller.user_id
    )


@operation(Post("/research/requests/{request_id}/decline"), needs=Right.DECIDE)
async def decline_request(
    external: ExternalAgents, asked: DeclineRequest, caller: Caller
) -> RequestView:
    return await external.requests.decline(asked.request_id, user_id=caller.user_id)
