"""One turn of a session, from what the person said to what is kept of it.

Its body runs again from the start after a crash or a restart: what reads or changes anything is in
a step, and the rest comes to the same.

What a turn finds in its session, and what it leaves there.

Both are steps of a run, and a step may be done again when a crash came before its record: messages
have ids that follow from the run's, so that they are said once.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.loop.hooks import LoopDependencies
from bottega.assistant.loop.steps import EventWriter, PaidSteps
from bottega.assistant.loop.turn import LoopContext, LoopOutcome, TaskItem, Turn, in_trace_of
from bottega.assistant.plugins.definition import CommandMode, fill_output_path
from bottega.assistant.sessions.schemas import AssistantOrder, LoopResult, LoopStatus
from bottega.assistant.sessions.tables import AssistantSession
from bottega.conversation.pauses import RunPerson
from bottega.core import clock
from bottega.core.db.database import storable
from bottega.core.llm.costs import Budget
from bottega.core.runs import RunContext
from bottega.core.services import Core
from bottega.core.sessions.conversations import Message
from bottega.core.sessions.session import SessionStatus, lock
from bottega.core.traces import SpanKind
from bottega.core.trust.permissions import PermissionMode
from bottega.errors import BottegaError, NotFound

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage


class OpeningState(BaseModel):
    """A session as a turn finds it."""

    #: How many messages were there before.
    position: int
    tasks: list[dict[str, Any]]
    class_id: str | None


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """What a turn leaves behind, beside its messages."""

    agent: str
    class_id: str | None
    tasks: list[dict[str, Any]]
    #: `None` leaves the one that was there.
    artefact: str | None
    #: Whether the person is expected to go on.
    awaits_input: bool


class TranscriptStore:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def begin(self, session_id: str, run_id: str, said: str) -> OpeningState:
        """Note what the person says: it stands there whatever becomes of the turn."""
        from bottega.conversation import messages as history

        async with self._core.database.write() as writing:
            row = await _locked(writing, session_id)
            position = await _put(writing, session_id, run_id, [history.said(said)])
            return OpeningState(position=position, tasks=row.tasks, class_id=row.class_id)

    async def read(self, session_id: str, length: int) -> "list[ModelMessage]":
        """The first messages of the conversation, exactly as they were."""
        from bottega.conversation import messages as history

        kept = await self._core.conversations.list(session_id, user_id=None, limit=length)
        return history.load(message.content for message in kept)

    async def keep(
        self, session_id: str, run_id: str, said: "Sequence[ModelMessage]", kept: TurnRecord
    ) -> None:
        async with self._core.database.write() as writing:
            row = await _locked(writing, session_id)
            # The first is what the person said, now in the words that the model got.
            await _put(writing, session_id, run_id, said)
            row.agent, row.class_id, row.tasks = kept.agent, kept.class_id, kept.tasks
            row.updated_at = clock.now()
            if kept.artefact is not None:
                row.artefact = storable(kept.artefact)
        status = SessionStatus.ACTIVE if kept.awaits_input else SessionStatus.IDLE
        await self._core.sessions.set_status(session_id, status, user_id=None)


async def _put(
    writing: AsyncSession, session_id: str, run_id: str, said: "Sequence[ModelMessage]"
) -> int:
    """Add a turn's messages, or change those that are there; where the first of them stands."""
    from bottega.conversation import messages as history

    ids = [f"{run_id}-{number}" for number in range(len(said))]
    rows = await writing.scalars(select(Message).where(Message.id.in_(ids)))
    known = {row.id: row for row in rows}
    count = select(func.count()).where(Message.session_id == session_id)
    length = await writing.scalar(count) or 0
    first = known[ids[0]].position if ids and ids[0] in known else length
    added: list[dict[str, Any]] = []
    for identifier, message in zip(ids, said, strict=True):
        values = {
            "role": history.role(message),
            "content": history.dump(message),
            "text": storable(history.text(message)),
        }
        if (row := known.get(identifier)) is not None:
            for name, value in values.items():
                setattr(row, name, value)
        else:
            place = {"id": identifier, "session_id": session_id, "position": length + len(added)}
            added.append(place | values)
    if added:
        # In one go: rows that are added one by one are asked for their numbers one by one.
        await writing.execute(insert(Message), added)
    return first


async def _locked(writing: AsyncSession, session_id: str) -> AssistantSession:
    await lock(writing, session_id, None)
    row = await writing.get(AssistantSession, session_id)
    if row is None:
        raise NotFound(f"There is no assistant session {session_id!r}.")
    return row


class TurnRunner:
    def __init__(self, core: Core, dependencies: LoopDependencies) -> None:
        self._core = core
        self._dependencies = dependencies
        self._transcript = TranscriptStore(core)

    async def run(self, run: RunContext, order: AssistantOrder) -> LoopResult:
        assert run.session_id is not None, "a turn belongs to a session"
        events = EventWriter(run)
        attributes = {"plugin": order.plugin, "command": order.command or "", "agent": order.agent}
        try:
            with (
                in_trace_of(run.id) as trace_id,
                self._core.traces.span(
                    "assistant turn",
                    SpanKind.RUN,
                    run_id=run.id,
                    session_id=run.session_id,
                    user_id=run.user_id,
                    attributes=attributes,
                ) as span,
            ):
                result = await self._take_turn(run, order, events, trace_id)
                span.set_attribute("status", result.status.value)
        except BottegaError:
            await events.drain()
            raise
        else:
            await events.drain()
            return result
        finally:
            await events.stop()

    async def _take_turn(
        self, run: RunContext, order: AssistantOrder, events: EventWriter, trace_id: str
    ) -> LoopResult:
        from bottega.assistant.loop.agent_loop import AgentLoop

        assert run.session_id is not None
        begun = await run.step("begin", self._transcript.begin, run.session_id, run.id, order.input)
        turn, steps = await self._make_turn(run, order, events, begun)
        opening = {"input": order.input, "plugin": order.plugin, "command": order.command}
        events.write("turn_started", {**opening, "agent": order.agent, "trace_id": trace_id})
        history = await self._transcript.read(run.session_id, begun.position)
        loop = AgentLoop(self._dependencies, turn, steps, history)
        try:
            outcome = await loop.run()
        except BottegaError:
            # A provider that is away ends the run; what was said stays in the conversation.
            await self._keep(run, turn, loop.messages[len(history) :])
            raise
        # Kept first: a disk that takes no file loses nobody's draft.
        await self._keep(run, turn, loop.messages[len(history) :])
        if outcome.status is LoopStatus.SUCCESS:
            await self._write(turn, outcome)
        return _result(turn, outcome, trace_id)

    async def _make_turn(
        self, run: RunContext, order: AssistantOrder, events: EventWriter, begun: OpeningState
    ) -> tuple[Turn, PaidSteps]:
        assert run.session_id is not None
        plugin = await self._dependencies.plugin(order.plugin)
        agent = plugin.agent(order.agent)
        limit = order.max_budget_usd
        budget = Budget(agent.meta.max_budget_usd if limit is None else limit)
        steps = PaidSteps(run, budget, events)
        context = LoopContext(task_progress=[TaskItem(**task) for task in begun.tasks])
        turn = Turn(
            core=self._core,
            order=order,
            run_id=run.id,
            session_id=run.session_id,
            user_id=run.user_id,
            plugin=plugin,
            agent=agent,
            command=plugin.command(order.command) if order.command else None,
            steps=steps,
            person=RunPerson(run, events.drain),
            budget=budget,
            context=context,
            input=order.input,
            class_id=begun.class_id,
        )
        return turn, steps

    async def _write(self, turn: Turn, outcome: LoopOutcome) -> None:
        """Put the output where the command says, and tell of it."""
        template = turn.command.meta.writes if turn.command else None
        path = None
        if template is not None and turn.order.permission == PermissionMode.EXPLORE:
            turn.note("loop", f"Nothing was written to {template}: the mode is explore.")
        elif template is not None:
            path = await turn.steps.step(
                "write artefact", self._write_file, turn, template, outcome
            )
            turn.written.append(path)
        await turn.steps.emit("artefact", {"text": outcome.text, "path": path})

    async def _write_file(self, turn: Turn, template: str, outcome: LoopOutcome) -> str:
        path = fill_output_path(template, turn.order.input, turn.class_id)
        await self._dependencies.workspace(turn).write(path, outcome.text)
        return path

    async def _keep(self, run: RunContext, turn: Turn, messages: "Sequence[ModelMessage]") -> None:
        is_interactive = turn.command and turn.command.meta.mode is CommandMode.INTERACTIVE
        kept = TurnRecord(
            agent=turn.agent.name,
            class_id=turn.class_id,
            tasks=[asdict(task) for task in turn.context.task_progress],
            artefact=turn.output or None,
            awaits_input=bool(is_interactive) or turn.command is None,
        )
        await run.step("keep", self._transcript.keep, turn.session_id, run.id, messages, kept)


def _result(turn: Turn, outcome: LoopOutcome, trace_id: str) -> LoopResult:
    summary = turn.context.summary
    return LoopResult(
        **asdict(outcome),
        agent=turn.agent.name,
        turns=summary.turns,
        cost=turn.budget.spent,
        input_tokens=summary.input_tokens,
        output_tokens=summary.output_tokens,
        trace_id=trace_id,
        written=list(dict.fromkeys(turn.written)),
        offline=turn.offline,
    )
