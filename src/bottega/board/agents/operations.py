"""What can be asked by and of agents: sessions, questions, memory, proposals, activity.

Who speaks is in the arguments (session and lease token): an MCP connection may be shared or lost.
Every call of a session is also its heartbeat. A question that an agent waits for is also a form,
for clients that put it to the person at once.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bottega.board.agents.schemas import (
    LONGEST_WAIT,
    AgentQuestion,
    AgentRequest,
    AgentSummary,
    AnswerRequest,
    BoardAgentView,
    BoardSessionList,
    BoardSessionView,
    ClarificationList,
    ClarificationRequest,
    ClarificationsRequest,
    ClarificationView,
    Ending,
    HeartbeatView,
    Learned,
    Metrics,
    MetricsRequest,
    NewQuestion,
    Proposal,
    Recalling,
    Registration,
    SessionsRequest,
    Timeline,
    TimelineRequest,
)
from bottega.board.changes.agent_types import AgentType
from bottega.board.changes.states import Actor
from bottega.board.knowledge.operations import check_tier
from bottega.board.knowledge.schemas import NewKnowledge
from bottega.board.queue.schemas import OfSession
from bottega.core.operations import Get, McpTool, Post, operation
from bottega.core.roles import Right
from bottega.core.rooms import Asking, Caller, Question
from bottega.errors import InvalidInput, NotFound
from bottega.memory.schemas import RecallView
from bottega.memory.stores import Scope

if TYPE_CHECKING:
    from bottega.board.agents.clarifications import Clarifications
    from bottega.board.agents.tables import Clarification
    from bottega.board.service import Board

Result = dict[str, Any]


class ClarificationForms(Asking):
    names = ("clarification_id",)

    def __init__(self, clarifications: "Clarifications") -> None:
        self._clarifications = clarifications

    def question(self, asked: AgentQuestion, result: Result) -> Question | None:
        if result["answer"] is not None or asked.question is None or not asks_now(asked):
            return None
        about = {"clarification_id": result["clarification_id"]}
        return Question(asked.question, form_of(asked.options), about)

    async def answer(
        self, about: Mapping[str, str], form: Mapping[str, Any], caller: Caller
    ) -> Result:
        words = form.get("answer") or form.get("choice")
        if not isinstance(words, str):
            raise InvalidInput("The form has neither a choice nor an answer. Give one of them.")
        clarification, user = about["clarification_id"], caller.user_id
        await self._clarifications.answer(clarification, words, user)
        # Waited for, so that it counts as told and does not come with a heartbeat again.
        return answered(await self._clarifications.wait(clarification, user, 0))

    async def current(self, about: Mapping[str, str], caller: Caller) -> Result:
        clarification = about["clarification_id"]
        return answered(await self._clarifications.wait(clarification, caller.user_id, 0))

    async def closed(self, about: Mapping[str, str], caller: Caller) -> None:
        clarification, user = about["clarification_id"], caller.user_id
        while (
            await self._clarifications.wait(clarification, user, LONGEST_WAIT)
        ).answered_at is None:
            pass


def asks_now(asked: AgentQuestion) -> bool:
    """Whether the agent asks and waits: not when it goes on, or waits for an earlier question."""
    return asked.question is not None and asked.patience > 0


def answered(asked: "Clarification") -> Result:
    result: Result = {"clarification_id": asked.id, "answer": asked.answer}
    if asked.answered_at is None:
        result["next"] = "Not answered yet: call again with this clarification_id."
    return result


def form_of(options: list[str]) -> dict[str, Any]:
    answer = {"type": "string", "title": "Answer"}
    if not options:
        return {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}
    choice = {"type": "string", "title": "Choice", "enum": options}
    answer["title"] = "Or in your own words"
    return {"type": "object", "properties": {"choice": choice, "answer": answer}}


SESSION = "/board/sessions/{session_id}"
QUESTION = "/board/clarifications/{clarification_id}"


def _registered(session: BoardSessionView) -> dict[str, Any]:
    return {
        "session_id": session.id,
        "project_id": session.project_id,
        "lease": session.lease and session.lease.model_dump(mode="json"),
        "next": "`board_next_work`; stay in touch at least every 5 minutes.",
    }


@operation(
    McpTool(
        "board_register_session",
        "Begin to work in a project. Keep the session_id.",
        shape=_registered,
    ),
    Post("/board/sessions", status=201),
)
async def register_session(board: "Board", asked: Registration, caller: Caller) -> BoardSessionView:
    """A client that registers again under its own id gets the same session."""
    return await board.sessions.register(caller.user_id, **asked.model_dump())


@operation(Get("/board/sessions"))
async def list_sessions(board: "Board", asked: SessionsRequest, caller: Caller) -> BoardSessionList:
    """Newest first, each with its liveness and what it works on."""
    found = await board.sessions.list(
        caller.user_id, project_id=asked.project_id, live_only=asked.live_only
    )
    return BoardSessionList(sessions=found)


@operation(Get(SESSION))
async def show_session(board: "Board", asked: OfSession, caller: Caller) -> BoardSessionView:
    return await board.sessions.get(asked.session_id, caller.user_id)


@operation(
    McpTool("board_heartbeat", "Every 5 minutes: keeps your work; brings answers."),
    Post(f"{SESSION}/heartbeat"),
)
async def heartbeat(board: "Board", asked: OfSession, caller: Caller) -> HeartbeatView:
    return await board.sessions.heartbeat(asked.session_id, caller.user_id)


@operation(McpTool("board_end_session", "Leave; unfinished work is given back."))
async def end_session(board: "Board", asked: Ending, caller: Caller) -> dict[str, Any]:
    ended = await board.sessions.end(asked.session_id, caller.user_id, asked.why)
    return {"session_id": ended.id, "status": ended.status}


@operation(McpTool("board_propose_change", "For a person to approve."))
async def propose_as_agent(board: "Board", asked: Proposal, caller: Caller) -> dict[str, Any]:
    session = await board.sessions.seen(asked.session_id, caller.user_id)
    proposed = await board.changes.propose(
        session.project_id,
        asked.draft(),
        by=Actor.AGENT,
        user_id=caller.user_id,
        session_id=session.id,
        priority=asked.priority,
    )
    overlaps = [overlap.change_id for overlap in proposed.overlaps]
    return {"change_id": proposed.id, "status": proposed.status, "overlaps": overlaps}


@operation(McpTool("board_record_memory", "Keep what you learned."))
async def record_memory(board: "Board", asked: Learned, caller: Caller) -> dict[str, Any]:
    check_tier(caller, asked.tier)
    session = await board.sessions.seen(asked.session_id, caller.user_id)
    held = session.lease.change_id if session.lease else None
    learned = asked.model_dump(exclude={"change_id"})
    recorded = await board.knowledge.record(
        NewKnowledge(**learned, project_id=session.project_id, change_id=asked.change_id or held)
    )
    told = {"id": recorded.item.id, "tier": recorded.item.tier, "is_new": recorded.is_new}
    return told | recorded.model_dump(include={"admission", "reason"}, exclude_none=True)


@operation(McpTool("board_recall", "What is known that helps.", read_only=True))
async def recall(board: "Board", asked: Recalling, caller: Caller) -> dict[str, Any]:
    session = await board.sessions.seen(asked.session_id, caller.user_id)
    if asked.query is not None:
        found = await board.recall.recall(
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
    context = await board.knowledge.context(
        session.project_id, session.lease.change_id, kind, asked.budget
    )
    return {"memory": context.text}


@operation(
    McpTool(
        "board_request_clarification",
        "Ask the person and wait for the answer.",
        asking=lambda board: ClarificationForms(board.clarifications),
    )
)
async def request_clarification(
    board: "Board", asked: AgentQuestion, caller: Caller
) -> dict[str, Any]:
    user, patience = caller.user_id, asked.patience
    if caller.can_be_asked and asks_now(asked):
        # The person is asked where they are, and at once.
        patience = 0.0
    if asked.question is not None:
        question = await board.clarifications.ask(
            asked.session_id,
            user,
            asked.question,
            options=asked.options,
            blocking=asked.blocking,
        )
    else:
        await board.sessions.seen(asked.session_id, user)
        question = await board.clarifications.get(asked.clarification_id or "", user)
        if question.session_id != asked.session_id:
            raise NotFound(f"You asked no question {asked.clarification_id!r}.")
    return answered(await board.clarifications.wait(question.id, user, patience))


@operation(Get("/board/clarifications"))
async def list_clarifications(
    board: "Board", asked: ClarificationsRequest, caller: Caller
) -> ClarificationList:
    rows = await board.clarifications.list(
        caller.user_id, open_only=asked.open_only, project_id=asked.project_id
    )
    shown = [ClarificationView.model_validate(row) for row in rows]
    return ClarificationList(clarifications=shown)


@operation(Post("/board/clarifications", status=201))
async def ask(board: "Board", asked: NewQuestion, caller: Caller) -> ClarificationView:
    row = await board.clarifications.ask(
        asked.session_id,
        caller.user_id,
        asked.question,
        options=asked.options,
        blocking=asked.blocking,
    )
    return ClarificationView.model_validate(row)


@operation(Get(QUESTION))
async def show_clarification(
    board: "Board", asked: ClarificationRequest, caller: Caller
) -> ClarificationView:
    """With `wait_seconds` as soon as it is answered, or as it is after that time."""
    row = await board.clarifications.wait(
        asked.clarification_id, caller.user_id, asked.wait_seconds
    )
    return ClarificationView.model_validate(row)


@operation(Post(f"{QUESTION}/answer"), needs=Right.DECIDE)
async def answer(board: "Board", asked: AnswerRequest, caller: Caller) -> ClarificationView:
    """One of the options, or own words."""
    row = await board.clarifications.answer(asked.clarification_id, asked.answer, caller.user_id)
    return ClarificationView.model_validate(row)


@operation(Get("/board/agents"))
async def list_agents(board: "Board", caller: Caller) -> list[BoardAgentView]:
    """Those at work, the liveliest first."""
    return await board.activity.agents(caller.user_id)


@operation(Get("/board/agents/metrics"))
async def show_metrics(board: "Board", asked: MetricsRequest, caller: Caller) -> Metrics:
    """Of all sessions, or of one with its tools."""
    return await board.activity.metrics(asked.session_id, caller.user_id)


@operation(Get("/board/agents/{session_id}"))
async def show_agent(board: "Board", asked: AgentRequest, caller: Caller) -> AgentSummary:
    """At work or over."""
    return await board.activity.summary(asked.session_id, caller.user_id)


@operation(Get("/board/agents/{session_id}/activity"))
async def show_timeline(board: "Board", asked: TimelineRequest, caller: Caller) -> Timeline:
    """What it did, the newest first."""
    return await board.activity.timeline(
        asked.session_id, caller.user_id, before=asked.before, limit=asked.limit
    )
