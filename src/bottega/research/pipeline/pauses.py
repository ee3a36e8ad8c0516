"""A run that waits for a person: they go on, change the plan, or leave.

    asked to leave before?
    ├─ yes: the reply denies it       A   go on
    │       the reply confirms it     B   leave; what made us ask is answered next
    │       it says something else    C   leave; that is answered next
    └─ no:  it asks to leave          D   ask whether that is so
            it is about another thing D'  the same, in a model's judgement
            anything else             E   go on, or change the plan and show it again

Leaving ends work that was paid for, so it is never guessed: doubt always goes on. All of it is
decided by the run's own code from replies on record, and so decided again alike after a crash.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import JsonValue

from bottega.conversation.pauses import wait_for_reply
from bottega.core.runs import RunContext
from bottega.errors import BudgetExceeded, ModelError, Unavailable
from bottega.research.agents.definition import StageConfig
from bottega.research.pipeline.breakout import MessageKind, classify_breakout, read_message
from bottega.research.pipeline.context import (
    KNOWN_AS,
    PLANNING,
    Progress,
    RunResources,
    StageContext,
)
from bottega.research.pipeline.pause_messages import (
    PauseMessage,
    confirmation_message,
    modification_message,
    pause_message,
)
from bottega.research.pipeline.replies import (
    BreakoutResponse,
    classify_breakout_response,
    is_breakout_intent,
    is_proceed,
    open_question,
    wants_to_modify,
)
from bottega.research.pipeline.schemas import QueryPlan
from bottega.research.pipeline.state import SUB_QUERIES_TOLD, ResearchEvent

#: Characters of a person's message that an event keeps; the whole of it is in the reply's own.
LONGEST_TOLD = 500
Revise = Callable[[StageContext, str], Awaitable[QueryPlan]]


@dataclass(frozen=True, slots=True)
class PersonLeft:
    """The person has left the run."""

    #: What they want answered instead, if anything.
    open_question: str | None


class PlanDiscussion:
    """What is talked about at a pause: the plan as it stands, and how a reply changes it."""

    def __init__(
        self, resources: RunResources, revise: Revise, stage: StageConfig, progress: Progress
    ) -> None:
        self._resources = resources
        self._revise = revise
        self._stage = stage
        #: With what was changed.
        self.progress = progress

    def message(self) -> PauseMessage:
        depth, settings = self.progress.depth
        return pause_message(
            self._stage,
            self.progress.known,
            depth=depth,
            settings=settings,
            budget_usd=self._resources.budget_usd,
            offline=self._resources.services.core.gateway.mode.offline,
        )

    async def has_left(self, reply: str) -> bool:
        """Whether the reply, in a model's judgement, has nothing to do with the run.

        Without a model that is sure, the person is taken to have stayed.
        """
        plan = self.progress.known.current_plan
        sub_queries = [sub_query.query for sub_query in plan.sub_queries[:SUB_QUERIES_TOLD]]
        calls = self._resources.context(self.progress, self._stage).calls
        embedder = self._resources.services.core.embedder
        try:
            message = await read_message(embedder, plan.original_query, sub_queries, reply)
            judged = await calls.ask(classify_breakout, message, max_tokens=200)
        except (ModelError, BudgetExceeded, Unavailable):
            return False
        return judged.settled is MessageKind.BREAKOUT

    async def modify(self, reply: str) -> bool:
        """Change the plan as the reply wants it; `False` if it is too late for that."""
        if self._stage.name not in PLANNING:
            return False
        context = self._resources.context(self.progress, self._stage)
        plan = await self._revise(context, reply)
        self.progress = self.progress.with_plan(plan, reply)
        output = getattr(self.progress.known, KNOWN_AS[self._stage.name])
        await self._resources.run.emit(
            ResearchEvent.PLAN_MODIFIED,
            {
                "stage": self._stage.id,
                "name": self._stage.name,
                "reply": reply[:LONGEST_TOLD],
                "output": output.model_dump(mode="json"),
            },
        )
        return True


async def hold_pause(
    run: RunContext, stage: StageConfig, plan: PlanDiscussion
) -> PersonLeft | None:
    """Wait for the person until they go on (`None`) or leave."""
    shown = plan.message()
    while True:
        reply = await _ask(run, stage, shown)
        if is_breakout_intent(reply):
            return await _confirm(run, stage, reply, "keyword")
        if is_proceed(reply):
            return await _go_on(run, stage, reply)
        if wants_to_modify(reply):
            shown = modification_message()
        elif not reply.strip():
            shown = plan.message()
        elif await plan.has_left(reply):
            return await _confirm(run, stage, reply, "semantic")
        else:
            try:
                if not await plan.modify(reply):
                    return await _go_on(run, stage, reply)
                shown = plan.message()
            except ModelError as error:
                shown = _unchanged(plan.message(), error)


async def _confirm(
    run: RunContext, stage: StageConfig, message: str, detected_by: Literal["keyword", "semantic"]
) -> PersonLeft | None:
    told = {**_of(stage), "user_message": message[:LONGEST_TOLD], "detected_by": detected_by}
    await run.emit(ResearchEvent.BREAKOUT_PENDING, told)
    reply = await _ask(run, stage, confirmation_message(message))
    response = classify_breakout_response(reply)
    if response is BreakoutResponse.DENY:
        return await _go_on(run, stage, reply)
    is_explicit = response is BreakoutResponse.CONFIRM
    leaving = PersonLeft(open_question(message, reply) if is_explicit else reply)
    told = {
        **_of(stage),
        "user_message": (leaving.open_question or message)[:LONGEST_TOLD],
        "confirmed": "explicit" if is_explicit else "implicit",
    }
    await run.emit(ResearchEvent.BREAKOUT, told)
    return leaving


async def _ask(run: RunContext, stage: StageConfig, message: PauseMessage) -> str:
    told = {**_of(stage), "kind": message.kind, "text": message.text, "body": message.body}
    await run.emit(ResearchEvent.PAUSE_MESSAGE, told)
    return await wait_for_reply(run, f"reply after {stage.name}", message.as_prompt(), _words)


def _words(reply: JsonValue) -> str:
    """The doors of the core take any JSON as a reply."""
    return reply if isinstance(reply, str) else str(reply if reply is not None else "")


async def _go_on(run: RunContext, stage: StageConfig, reply: str) -> PersonLeft | None:
    await run.emit(ResearchEvent.RESUMED, {**_of(stage), "reply": reply[:LONGEST_TOLD]})
    return None


def _unchanged(message: PauseMessage, error: ModelError) -> PauseMessage:
    note = f"I could not change the plan just now: {error.message}\nIt is still as it was.\n\n"
    return replace(message, body=note + message.body)


def _of(stage: StageConfig) -> dict[str, object]:
    return {"stage": stage.id, "name": stage.name}
