"""The queue: which work is next, for whom, how it is handed over and how it ends.

The most urgent first; among equals what gets in nobody's way, then what was approved first. A
change gets in the way of one under way if both touch a requirement or one names the other.

What is handed over is everything an agent needs to begin: the texts, the kind of agent that suits
the change with prompt and tools, and what is remembered that may help. The memories keep to a
budget of tokens; the texts are the work and come whole.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes import repository as changes
from bottega.board.changes.agent_types import AgentType, select_agent_type, system_prompt, tools_for
from bottega.board.changes.lifecycle import change_event
from bottega.board.changes.schemas import ChangeView
from bottega.board.changes.service import Changes
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.knowledge.schemas import DEFAULT_BUDGET
from bottega.board.knowledge.service import Knowledge
from bottega.board.projects import repository as projects
from bottega.board.projects.tables import Project
from bottega.board.queue import leases, repository
from bottega.board.queue.leases import liveness, lock_agent, wake, work_events
from bottega.board.queue.repository import Footprint
from bottega.board.queue.schemas import (
    LeasedItem,
    QueueView,
    WaitingItem,
    WorkPackage,
    WorkResult,
    task_lines,
)
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.sessions.session import Session, find
from bottega.errors import BottegaError, Conflict

#: Names listed before the rest is only counted.
NAMED = 3


def waiting_item(change: Change, busy: Sequence[Footprint]) -> WaitingItem:
    own = Footprint.of(change)
    in_the_way = [other.id for other in busy if own.overlaps(other)]
    return WaitingItem(
        project_id=change.project_id,
        change_id=change.id,
        title=change.title,
        priority=change.priority,
        approved_at=change.approved_at,
        held_back=reason_to_wait(change, in_the_way),
    )


def leased_item(change: Change, holder: Session | None) -> LeasedItem:
    return LeasedItem(
        project_id=change.project_id,
        change_id=change.id,
        title=change.title,
        priority=change.priority,
        status=ChangeStatus(change.status),
        lease_token=change.lease_token,
        assigned_at=change.assigned_at,
        session_id=change.assigned_session_id,
        session_type=holder.type if holder else None,
        liveness=liveness(holder, clock.now()) if holder else None,
        tasks_done=change.tasks_done,
        tasks_total=change.tasks_total,
    )


def no_work(
    project: Project, in_the_way: Mapping[str, Sequence[str]], in_disorder: Sequence[str]
) -> str:
    """`in_the_way`: for each approved change, those under way that it must wait for."""
    if project.missing_since is not None:
        return f"The folder of {project.name} is gone, so none of its work is handed out."
    if not in_the_way and not in_disorder:
        return f"Nothing is approved in {project.name}. A person approves proposals on the board."
    reasons: list[str] = []
    if in_the_way:
        busy = sorted({other for others in in_the_way.values() for other in others})
        reasons.append(f"{len(in_the_way)} waiting behind overlaps with {listed(busy)}.")
    if in_disorder:
        reasons.append(
            f"{len(in_disorder)} not handed out because of their files: {listed(in_disorder)}."
        )
    return " ".join(reasons)


def reason_to_wait(change: Change, in_the_way: Sequence[str]) -> str | None:
    if change.missing_since is not None:
        return "Its folder is gone from the disk."
    if change.sync_error is not None:
        return change.sync_error
    if in_the_way:
        return f"Overlaps with {listed(in_the_way)}, which is under way."
    return None


def listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"


@dataclass(frozen=True, slots=True)
class WorkClaim:
    #: `None`: there is no work now, and `reason` says why.
    change: Change | None
    reason: str = ""
    #: It was this session's already.
    again: bool = False


class Queue:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def claim(
        self,
        session_id: str,
        user_id: str | None,
        project_id: str | None = None,
        change_id: str | None = None,
    ) -> WorkClaim:
        """The next work of the session's project, or the change that is asked for; what the session
        holds, if it holds some."""
        async with self._core.database.write() as session:
            row = await _at_work(session, session_id, user_id, project_id)
            project = await projects.get(session, row.data["project_id"])
            # Whether two overlap is seen only by one who chooses alone.
            await repository.take_lock(session, f"chooses work in {project.id}")
            busy = await repository.under_way(session, project.id)
            if any(work.holder == session_id for work in busy):
                held = await repository.held_by(session, session_id)
                # `None` if its files were archived in this very moment.
                if held is not None:
                    return WorkClaim(held, again=True)
            choice = await _choose(session, project, busy, change_id)
            if isinstance(choice, str):
                return WorkClaim(None, choice)
            lent = await leases.lend(session, choice, session_id)
        self._publish(work_events("work.claimed", lent, row, agent_type=choice.agent_type))
        return WorkClaim(choice)

    async def complete(
        self, session_id: str, user_id: str | None, change_id: str, token: int, result: WorkResult
    ) -> Change:
        """Move the change to review, unless its last task did, and keep its result."""
        async with self._core.database.write() as session:
            row, change = await _with_change(session, session_id, user_id, change_id)
            ended = None
            if not leases.completed_by(change, session_id, token):
                await leases.require(session, change, session_id, token)
                ended = await leases.finish(session, change)
            change.result = result.text()
        if ended is not None:
            self._publish(work_events("work.completed", ended, row, result=change.result))
        return change

    async def release(
        self, session_id: str, user_id: str | None, change_id: str, token: int, why: str
    ) -> Change:
        """Back into the queue, at its old place."""
        async with self._core.database.write() as session:
            row, change = await _with_change(session, session_id, user_id, change_id)
            await leases.require(session, change, session_id, token)
            returned = await leases.give_back(session, change, Actor.AGENT, why)
        self._publish(work_events("work.released", returned, row, why=why))
        return change

    async def work_on(
        self, session_id: str, user_id: str | None, change_id: str, token: int
    ) -> Change:
        """Make sure that the session holds the change, and note that it works on it."""
        async with self._core.database.write() as session:
            row, change = await _with_change(session, session_id, user_id, change_id)
            await leases.require(session, change, session_id, token)
            begun = await leases.begin(session, change)
        if begun is not None:
            self._publish(work_events("work.progress", begun, row))
        return change

    async def first_tool(self, session_id: str) -> None:
        """The session used a tool, so that its assigned change is in progress."""
        async with self._core.database.read() as session:
            held = await repository.held_by(session, session_id)
        if held is None or held.status != ChangeStatus.ASSIGNED:
            return
        async with self._core.database.write() as session:
            row = await find(session, session_id, None)
            held = await repository.lock_held_by(session, session_id)
            begun = None if held is None else await leases.begin(session, held)
        if begun is not None:
            self._publish(work_events("work.progress", begun, row))

    async def waiting(self, project_id: str | None = None, limit: int = 200) -> QueueView:
        """What waits, why, and who works on what."""
        async with self._core.database.read() as session:
            if project_id is not None:
                await projects.get(session, project_id)
            leased = await repository.leased(session, project_id)
            approved = await repository.approved(session, project_id, limit)
        busy: defaultdict[str, list[Footprint]] = defaultdict(list)
        for change, _ in leased:
            busy[change.project_id].append(Footprint.of(change))
        return QueueView(
            waiting=[waiting_item(change, busy[change.project_id]) for change in approved],
            leased=[leased_item(change, holder) for change, holder in leased],
        )

    def _publish(self, events: Iterable[Event]) -> None:
        for event in events:
            self._core.bus.publish(event)


async def _at_work(
    session: AsyncSession, session_id: str, user_id: str | None, project_id: str | None = None
) -> Session:
    row = await lock_agent(session, session_id, user_id)
    if project_id not in (None, row.data["project_id"]):
        raise Conflict(
            f"Session {session_id!r} works in project {row.data['project_id']!r}, not in "
            f"{project_id!r}. Register another session for that one."
        )
    wake(row)
    return row


async def _with_change(
    session: AsyncSession, session_id: str, user_id: str | None, change_id: str
) -> tuple[Session, Change]:
    row = await _at_work(session, session_id, user_id)
    return row, await changes.hold(session, row.data["project_id"], change_id)


async def _choose(
    session: AsyncSession, project: Project, busy: Sequence[Footprint], wanted: str | None
) -> Change | str:
    """The next change, or the one that is wanted, held; or why there is none."""
    in_the_way: dict[str, list[str]] = {}
    if project.missing_since is None:
        async for candidate in repository.candidates(session, project.id):
            if wanted not in (None, candidate.id):
                continue
            if overlaps := [other.id for other in busy if candidate.overlaps(other)]:
                in_the_way[candidate.id] = overlaps
            elif change := await repository.lock_if_ready(session, project.id, candidate.id):
                return change
    in_disorder = await repository.in_disorder(session, project.id)
    if wanted is not None and wanted not in (*in_the_way, *in_disorder):
        return f"{wanted} does not wait in the queue of {project.name}."
    return no_work(project, in_the_way, in_disorder)


class Progress:
    def __init__(self, core: Core, queue: Queue, changes: Changes) -> None:
        self._core = core
        self._queue = queue
        self._changes = changes

    async def report(
        self,
        session_id: str,
        user_id: str | None,
        change_id: str,
        token: int,
        tasks: list[str],
        done: bool = True,
    ) -> ChangeView:
        """Tick tasks in the file. The change is in progress from then on, and in review after the
        last task."""
        held = await self._queue.work_on(session_id, user_id, change_id, token)
        change = await self._changes.tick(
            held.project_id, change_id, tasks, done, by=Actor.AGENT, session_id=session_id
        )
        topic = "work.completed" if change.status is ChangeStatus.REVIEW else "work.progress"
        session = await self._core.sessions.get(session_id, user_id=user_id)
        facts = change.model_dump(include={"status", "tasks_done", "tasks_total"})
        self._core.bus.publish(
            change_event(
                topic,
                change,
                session.project_dir,
                by_session=session_id,
                lease_token=token,
                **facts,
            )
        )
        return change


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
        texts = change.title, change.proposal_content, change.tasks_content
        agent_type = AgentType(change.agent_type or select_agent_type(*texts))
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
