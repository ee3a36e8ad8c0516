"""The board over MCP: how agents get work, report on it, ask and remember.

Who speaks is in the arguments (session and lease token): an MCP connection may be shared or lost.
Every call of a session is also its heartbeat.
"""

from typing import Any

from bottega.board.agents.agent_types import AgentType
from bottega.board.agents.clarifications import Clarifications
from bottega.board.agents.sessions import AgentSessions
from bottega.board.changes.changes import Changes
from bottega.board.clarification_forms import ClarificationForms, answered, asks_now
from bottega.board.enums import OPEN_STATUSES, Actor
from bottega.board.knowledge.items import NewKnowledge
from bottega.board.knowledge.service import Knowledge
from bottega.board.queue.handover import Handover, task_lines
from bottega.board.queue.progress import Progress
from bottega.board.queue.queue import Queue
from bottega.board.queue.views import HeartbeatView
from bottega.board.tables import Change
from bottega.board.tool_arguments import (
    Completion,
    Ending,
    Learned,
    OfChange,
    OfSession,
    Proposal,
    Question,
    Recalling,
    Registration,
    Release,
    TaskUpdate,
    WorkFilter,
)
from bottega.core.rooms import Caller, Tool
from bottega.errors import InvalidInput, NotFound
from bottega.memory.recall import Recall
from bottega.memory.schemas import RecallView
from bottega.memory.stores import Scope

Result = dict[str, Any]
MOST_LISTED = 100


def tools(
    sessions: AgentSessions,
    queue: Queue,
    handover: Handover,
    progress: Progress,
    changes: Changes,
    clarifications: Clarifications,
    knowledge: Knowledge,
    recall: Recall,
) -> list[Tool[Any]]:
    return [
        *attending(sessions),
        *working(queue, handover, progress),
        *planning(changes, queue, sessions),
        *remembering(sessions, knowledge, recall),
        asking(sessions, clarifications),
    ]


def attending(sessions: AgentSessions) -> list[Tool[Any]]:
    async def register_session(asked: Registration, caller: Caller) -> Result:
        registered = await sessions.register(caller.user_id, **asked.model_dump())
        return {
            "session_id": registered.id,
            "project_id": registered.project_id,
            "lease": registered.lease and registered.lease.model_dump(mode="json"),
            "next": "`board_next_work`; stay in touch at least every 5 minutes.",
        }

    async def heartbeat(asked: OfSession, caller: Caller) -> HeartbeatView:
        return await sessions.heartbeat(asked.session_id, caller.user_id)

    async def end_session(asked: Ending, caller: Caller) -> Result:
        ended = await sessions.end(asked.session_id, caller.user_id, asked.why)
        return {"session_id": ended.id, "status": ended.status}

    return [
        Tool(
            "board_register_session",
            "Begin to work in a project. Keep the session_id.",
            Registration,
            register_session,
        ),
        Tool(
            "board_heartbeat",
            "Every 5 minutes: keeps your work; brings answers.",
            OfSession,
            heartbeat,
        ),
        Tool("board_end_session", "Leave; unfinished work is given back.", Ending, end_session),
    ]


def working(queue: Queue, handover: Handover, progress: Progress) -> list[Tool[Any]]:
    async def next_work(asked: OfSession, caller: Caller) -> Result:
        claim = await queue.claim(asked.session_id, caller.user_id)
        package = await handover.of_claim(claim)
        if package is None:
            return {"work": None, "reason": claim.reason}
        return {"work": package.model_dump(mode="json", exclude_none=True)}

    async def update_tasks(asked: TaskUpdate, caller: Caller) -> Result:
        change = await progress.report(
            asked.session_id,
            caller.user_id,
            asked.change_id,
            asked.lease_token,
            asked.tasks,
            asked.done,
        )
        waiting = [task.id for task in change.tasks if not task.done]
        return {"change_id": change.id, "status": change.status, "open_tasks": waiting}

    async def complete_work(asked: Completion, caller: Caller) -> Result:
        change = await queue.complete(
            asked.session_id, caller.user_id, asked.change_id, asked.lease_token, asked.finish()
        )
        open_tasks = [task.id for task in task_lines(change.tasks_content) if not task.done]
        return {"change_id": change.id, "status": change.status, "open_tasks": open_tasks}

    async def release_work(asked: Release, caller: Caller) -> Result:
        change = await queue.release(
            asked.session_id, caller.user_id, asked.change_id, asked.lease_token, asked.why
        )
        return {"change_id": change.id, "status": change.status}

    return [
        Tool(
            "board_next_work",
            "Your next change with all you need for it, or why there is none.",
            OfSession,
            next_work,
        ),
        Tool("board_update_tasks", "Tick tasks as you finish them.", TaskUpdate, update_tasks),
        Tool("board_complete_work", "Hand your change in for review.", Completion, complete_work),
        Tool("board_release_work", "Give your change back.", Release, release_work),
    ]


def planning(changes: Changes, queue: Queue, sessions: AgentSessions) -> list[Tool[Any]]:
    async def list_work(asked: WorkFilter, _caller: Caller) -> Result:
        listed = await changes.list(asked.project_id, asked.status or OPEN_STATUSES)
        queued = await queue.waiting(asked.project_id)
        why = {(item.project_id, item.change_id): item.held_back for item in queued.waiting}
        rows = [
            {
                "project_id": row.project_id,
                "change_id": row.id,
                "title": row.title,
                "status": row.status,
                "priority": row.priority,
                "tasks": f"{row.tasks_done}/{row.tasks_total}",
                "session_id": row.assigned_session_id,
                "held_back": why.get((row.project_id, row.id)),
            }
            for row in listed[:MOST_LISTED]
        ]
        # A model pays for every empty field.
        shown = [{name: value for name, value in row.items() if value} for row in rows]
        return {"work": shown, "total": len(listed)}

    async def show_change(asked: OfChange, _caller: Caller) -> Result:
        return _shown(await changes.find(asked.change_id, asked.project_id))

    async def propose_change(asked: Proposal, caller: Caller) -> Result:
        session = await sessions.seen(asked.session_id, caller.user_id)
        proposed = await changes.propose(
            session.project_id,
            asked.draft(),
            by=Actor.AGENT,
            user_id=caller.user_id,
            session_id=session.id,
            priority=asked.priority,
        )
        overlaps = [overlap.change_id for overlap in proposed.overlaps]
        return {"change_id": proposed.id, "status": proposed.status, "overlaps": overlaps}

    return [
        Tool("board_list_work", "Changes and where they stand.", WorkFilter, list_work, True),
        Tool("board_show_change", "A change with its texts.", OfChange, show_change, True),
        Tool("board_propose_change", "For a person to approve.", Proposal, propose_change),
    ]


def remembering(sessions: AgentSessions, knowledge: Knowledge, recall: Recall) -> list[Tool[Any]]:
    async def record_memory(asked: Learned, caller: Caller) -> Result:
        session = await sessions.seen(asked.session_id, caller.user_id)
        held = session.lease.change_id if session.lease else None
        told = asked.model_dump(exclude={"change_id"})
        recorded = await knowledge.record(
            NewKnowledge(**told, project_id=session.project_id, change_id=asked.change_id or held)
        )
        return {"id": recorded.item.id, "tier": recorded.item.tier, "is_new": recorded.is_new}

    async def find(asked: Recalling, caller: Caller) -> Result:
        session = await sessions.seen(asked.session_id, caller.user_id)
        if asked.query is not None:
            found = await recall.recall(
                asked.query,
                scopes={Scope.PROJECT, Scope.GLOBAL},
                project=session.project_dir,
                user_id=caller.user_id,
                budget=asked.budget,
            )
            return RecallView.of(found).model_dump(mode="json", exclude_none=True)
        if session.lease is None:
            raise InvalidInput("You hold no change, so say in `query` what to look for.")
        kind = session.lease.agent_type or AgentType.GENERAL_PURPOSE
        context = await knowledge.context(
            session.project_id, session.lease.change_id, kind, asked.budget
        )
        return {"memory": context.text}

    return [
        Tool("board_record_memory", "Keep what you learned.", Learned, record_memory),
        Tool("board_recall", "What is known that helps.", Recalling, find, read_only=True),
    ]


def asking(sessions: AgentSessions, clarifications: Clarifications) -> Tool[Any]:
    forms = ClarificationForms(clarifications)

    async def request_clarification(asked: Question, caller: Caller) -> Result:
        user, patience = caller.user_id, asked.patience
        if caller.can_be_asked and asks_now(asked):
            # The person is asked where they are, and at once.
            patience = 0.0
        if asked.question is not None:
            question = await clarifications.ask(
                asked.session_id,
                user,
                asked.question,
                options=asked.options,
                blocking=asked.blocking,
            )
        else:
            await sessions.seen(asked.session_id, user)
            question = await clarifications.get(asked.clarification_id or "", user)
            if question.session_id != asked.session_id:
                raise NotFound(f"You asked no question {asked.clarification_id!r}.")
        return answered(await clarifications.wait(question.id, user, patience))

    return Tool(
        "board_request_clarification",
        "Ask the person and wait for the answer.",
        Question,
        request_clarification,
        asking=forms,
    )


def _shown(change: Change) -> Result:
    shown = {
        "project_id": change.project_id,
        "change_id": change.id,
        "title": change.title,
        "status": change.status,
        "priority": change.priority,
        "proposal": change.proposal_content,
        "tasks": [line.model_dump() for line in task_lines(change.tasks_content)],
        "design": change.design_content,
        "specs": change.specs,
        "session_id": change.assigned_session_id,
        "result": change.result,
        "sync_error": change.sync_error,
        "rejection_reason": change.rejection_reason,
    }
    return {name: value for name, value in shown.items() if value is not None}
