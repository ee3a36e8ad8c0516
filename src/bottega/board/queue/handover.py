"""Handing over: everything an agent needs to begin a change, in one package.

Its texts, the kind of agent that suits it with prompt and tools, and what is remembered that may
help. The memories keep to a budget of tokens; the texts are the work and come whole.
"""

import structlog

from bottega.board.changes.agent_types import AgentType, select_agent_type, system_prompt, tools_for
from bottega.board.changes.states import ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.knowledge.schemas import DEFAULT_BUDGET
from bottega.board.knowledge.service import Knowledge
from bottega.board.projects import repository as projects
from bottega.board.queue.schemas import WorkPackage, task_lines
from bottega.board.queue.service import WorkClaim
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


class Handover:
    def __init__(self, core: Core, knowledge: Knowledge) -> None:
        self._database = core.database
        self._knowledge = knowledge

    async def package(
        self, change: Change, *, again: bool = False, budget_tokens: int = DEFAULT_BUDGET
    ) -> WorkPackage:
        """`again`: its holder has it already, so its memories are not counted as used twice."""
        async with self._database.read() as session:
            project = await projects.get(session, change.project_id)
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

    async def of_claim(self, claim: WorkClaim) -> WorkPackage | None:
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


def _select(change: Change) -> AgentType:
    return select_agent_type(change.title, change.proposal_content, change.tasks_content)
