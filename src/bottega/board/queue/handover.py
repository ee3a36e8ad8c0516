"""Handing over: everything an agent needs to begin a change, in one package.

Its texts, the kind of agent that suits it with prompt and tools, and what is remembered that may
help. The memories keep to a budget of tokens; the texts are the work and come whole.
"""

from collections.abc import Sequence

import structlog
from pydantic import BaseModel

from bottega.board.agents.agent_types import AgentType, select_agent_type, system_prompt, tools_for
from bottega.board.enums import ChangeStatus
from bottega.board.knowledge.service import DEFAULT_BUDGET, Knowledge
from bottega.board.openspec import parse_tasks
from bottega.board.queue.queue import Claim
from bottega.board.repository.queue import get_project
from bottega.board.tables import Change
from bottega.core.services import Core
from bottega.errors import BottegaError

LEASE_RULE = (
    "The change is yours while you are heard of: every tool call, hook or `board_heartbeat` "
    "counts. After 10 minutes of silence it goes back into the queue, and your token with it."
)
NEXT_STEPS = (
    "Do the open tasks in order and tick each with `board_update_tasks`.",
    "Ask with `board_request_clarification` when a decision is not yours.",
    "Finish with `board_complete_work`, or give it back with `board_release_work` and say why.",
)

log = structlog.get_logger()


class TaskLine(BaseModel):
    id: str
    text: str
    done: bool
    #: The heading it stands under.
    group: str


class WorkPackage(BaseModel):
    project_id: str
    project_path: str
    change_id: str
    title: str
    status: ChangeStatus
    priority: int
    #: Send it with everything you say about the change.
    lease_token: int
    lease_rule: str
    proposal: str
    tasks: list[TaskLine]
    design: str | None
    #: Delta specs: capability → text.
    specs: dict[str, str]
    agent_type: AgentType
    system_prompt: str
    tools: Sequence[str]
    #: What is remembered of all three tiers.
    memory: str
    next_steps: Sequence[str]


class Handover:
    def __init__(self, core: Core, knowledge: Knowledge) -> None:
        self._database = core.database
        self._knowledge = knowledge

    async def package(
        self, change: Change, *, again: bool = False, budget_tokens: int = DEFAULT_BUDGET
    ) -> WorkPackage:
        """`again`: its holder has it already, so its memories are not counted as used twice."""
        async with self._database.read() as session:
            project = await get_project(session, change.project_id)
        agent_type = AgentType(change.agent_type or _select(change))
        return WorkPackage(
            project_id=project.id,
            project_path=project.path,
            change_id=change.id,
            title=change.title,
            status=ChangeStatus(change.status),
            priority=change.priority,
            lease_token=change.lease_token,
            lease_rule=LEASE_RULE,
            proposal=change.proposal_content,
            tasks=task_lines(change.tasks_content),
            design=change.design_content,
            specs=change.specs,
            agent_type=agent_type,
            system_prompt=system_prompt(agent_type, change.title),
            tools=tools_for(agent_type),
            memory=await self._remember(change, agent_type, budget_tokens, again),
            next_steps=NEXT_STEPS,
        )

    async def of_claim(self, claim: Claim) -> WorkPackage | None:
        if claim.change is None:
            return None
        return await self.package(claim.change, again=claim.again)

    async def _remember(
        self, change: Change, agent_type: AgentType, budget_tokens: int, again: bool
    ) -> str:
        try:
            context = await self._knowledge.context(
                change.project_id, change.id, agent_type, budget_tokens
            )
            if not again:
                await self._knowledge.used(change, context.items)
        except BottegaError as error:
            # Work can begin without memories; it is leased already.
            log.warning("board.memory_not_handed_over", change=change.id, error=error.message)
            return ""
        return context.text


def task_lines(tasks: str) -> list[TaskLine]:
    return [
        TaskLine(id=task.id, text=task.text, done=task.done, group=task.group)
        for task in parse_tasks(tasks)
    ]


def _select(change: Change) -> AgentType:
    return select_agent_type(change.title, change.proposal_content, change.tasks_content)
