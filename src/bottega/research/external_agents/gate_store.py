"""`agent_stage_gate`: an agent's stages in a session, kept and held to their rules."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm.exc import StaleDataError

from bottega.core import clock
from bottega.core.services import Core
from bottega.errors import Conflict, InvalidInput, TooMany
from bottega.research.agents.definition import Agent, Depth
from bottega.research.agents.folders import agent_folders
from bottega.research.external_agents.notes import check_size
from bottega.research.external_agents.requests import (
    PersonRequests,
    RequestKind,
    RequestStatus,
    add_request,
)
from bottega.research.external_agents.stage_gate import (
    GateEvent,
    GateEventType,
    GateStatus,
    StageGate,
    fold,
)
from bottega.research.external_agents.tables import PersonRequest, StageGateRow
from bottega.research.sessions import repository

MOST_EVENTS = 500
#: Characters of JSON, of one stage's output and of all that is kept.
LARGEST_OUTPUT, LARGEST_GATE = 200_000, 4_000_000
#: Events that are shown; all are kept.
SHOWN_EVENTS = 50
#: From where the agent is to the events that are added, within the transaction that adds them.
Decision = Callable[[AsyncSession, StageGate], Awaitable[list[GateEvent]]]


@dataclass(frozen=True, slots=True)
class GateKey:
    """Whose stages are meant, and which version of them the agent has seen."""

    session_id: str
    agent: str
    user_id: str
    version: int | None = None


class StageView(BaseModel):
    id: int
    name: str
    is_complete: bool
    pauses: bool
    required_keys: list[str]


class GateView(BaseModel):
    agent: str
    status: GateStatus
    version: int
    next_stage: int | None
    running: int | None
    repairs: int
    repair_limit: int
    #: What a person has to answer before the agent may go on.
    pause_request: str | None
    stages: list[StageView]
    events: list[dict[str, Any]]


class StageGates:
    """How far agents from outside are in their stages, by session and agent.

    Every change raises `Conflict` if it is not the agent's turn, or if the stages were changed
    since the version that it has seen.
    """

    def __init__(self, core: Core, requests: PersonRequests) -> None:
        self._core = core
        self._requests = requests

    async def status(self, key: GateKey) -> GateView:
        agent = await self._load(key)
        async with self._core.database.read() as session:
            await repository.get(session, key.session_id, key.user_id)
            row = await session.get(StageGateRow, (key.session_id, key.agent))
        return _view(agent, row.events if row else [], row.version if row else 0)

    async def start(
        self, key: GateKey, *, stage: int | None = None, depth: Depth | None = None
    ) -> GateView:
        async def decide(_: AsyncSession, gate: StageGate) -> list[GateEvent]:
            return [gate.start(stage, depth)]

        return await self._change(key, decide)

    async def complete(
        self,
        key: GateKey,
        output: Mapping[str, Any],
        *,
        stage: int | None = None,
        message: str = "",
    ) -> GateView:
        """`message` is what the person reads if the agent has to pause here."""
        check_size("The stage's output", output, LARGEST_OUTPUT)

        async def decide(session: AsyncSession, gate: StageGate) -> list[GateEvent]:
            event = gate.complete(stage, output)
            done: int = event["stage"]
            if event["type"] == GateEventType.BLOCKED or not gate.pauses_after(done, output):
                return [event]
            asked = {"agent": key.agent, "stage": done, "name": event["name"], "message": message}
            request = add_request(session, key.session_id, RequestKind.PAUSE, asked)
            return [event, gate.pause(done, request.id)]

        shown = await self._change(key, decide)
        if shown.pause_request is not None:
            await self._requests.announce(shown.pause_request)
        last = shown.events[-1]
        if last["type"] == GateEventType.BLOCKED:
            raise InvalidInput(
                f"Stage {last['stage']} ({last['name']}) is blocked: its output lacks "
                f"{', '.join(last['missing'])}. Complete it again with them.",
                missing=last["missing"],
            )
        return shown

    async def resume(self, key: GateKey) -> GateView:
        """Once a person has replied; the last event has the words."""

        async def decide(session: AsyncSession, gate: StageGate) -> list[GateEvent]:
            return [gate.resume(await _reply(session, gate))]

        return await self._change(key, decide)

    async def repair(self, key: GateKey, failures: Sequence[str]) -> GateView:
        async def decide(_: AsyncSession, gate: StageGate) -> list[GateEvent]:
            return [gate.repair(failures)]

        return await self._change(key, decide)

    async def reset(self, key: GateKey) -> GateView:
        """Begin anew; what happened before stays in the list of events."""

        async def decide(_: AsyncSession, gate: StageGate) -> list[GateEvent]:
            return [gate.reset()]

        return await self._change(key, decide, anew=True)

    async def _load(self, key: GateKey) -> Agent:
        return await asyncio.to_thread(lambda: agent_folders(self._core).load(key.agent))

    async def _change(self, key: GateKey, decide: Decision, *, anew: bool = False) -> GateView:
        """With `anew`, whatever happened before: a request that waits is withdrawn."""
        agent = await self._load(key)
        try:
            async with self._core.database.write() as session:
                await repository.get(session, key.session_id, key.user_id)
                row = await _row(session, key)
                if anew:
                    await _withdraw(session, row.events)
                new = await decide(session, StageGate(agent) if anew else fold(agent, row.events))
                row.events = [*row.events, *({"at": clock.iso(), **event} for event in new)]
                _check_size(row.events)
        except (StaleDataError, IntegrityError) as error:
            raise _changed_meanwhile(key) from error
        return _view(agent, row.events, row.version)


async def _withdraw(session: AsyncSession, events: Sequence[GateEvent]) -> None:
    paused = [event for event in events if event["type"] == GateEventType.PAUSED]
    request = await session.get(PersonRequest, paused[-1]["request_id"]) if paused else None
    if request is not None and request.status == RequestStatus.PENDING:
        request.status = RequestStatus.WITHDRAWN


async def _row(session: AsyncSession, key: GateKey) -> StageGateRow:
    row = await session.get(StageGateRow, (key.session_id, key.agent))
    if key.version not in (None, row.version if row else 0):
        raise _changed_meanwhile(key)
    if row is None:
        row = StageGateRow(session_id=key.session_id, agent=key.agent, events=[])
        session.add(row)
    return row


async def _reply(session: AsyncSession, gate: StageGate) -> str:
    """What a person said at the pause; only a person can."""
    if gate.pause_request is None:
        return ""
    request = await session.get(PersonRequest, gate.pause_request)
    if request is not None and request.status == RequestStatus.ANSWERED:
        return str((request.answer or {})["reply"])
    if request is not None and request.status == RequestStatus.PENDING:
        said = "has not replied yet: only a person can. Wait for it"
    else:
        said = "does not want this to go on. Reset to begin anew"
    raise Conflict(f"The person {said}.", request_id=gate.pause_request)


def _check_size(events: Sequence[GateEvent]) -> None:
    if len(events) > MOST_EVENTS or len(json.dumps(events)) > LARGEST_GATE:
        raise TooMany("Too much has happened in these stages. Go on in a new session.")


def _changed_meanwhile(key: GateKey) -> Conflict:
    return Conflict(
        f"The stages of {key.agent!r} were changed meanwhile. Ask for the status and try again."
    )


def _view(agent: Agent, events: Sequence[GateEvent], version: int) -> GateView:
    gate = fold(agent, events)
    config = agent.config
    return GateView(
        agent=agent.slug,
        status=gate.status,
        version=version,
        next_stage=gate.next_stage if gate.next_stage < len(config.stages) else None,
        running=gate.running,
        repairs=gate.repairs,
        repair_limit=gate.repair_limit,
        pause_request=gate.pause_request,
        stages=[
            StageView(
                id=stage.id,
                name=stage.name,
                is_complete=stage.id in gate.outputs,
                pauses=stage.id in config.pause_after,
                required_keys=stage.required_keys,
            )
            for stage in config.stages
        ],
        events=list(events[-SHOWN_EVENTS:]),
    )
