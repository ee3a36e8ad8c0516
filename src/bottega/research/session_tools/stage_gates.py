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
from bottega.research.agents.loading import agent_folders
from bottega.research.session_tools.gate import Gate, GateEvent, GateStatus, Happened, fold
from bottega.research.session_tools.requests import (
    PersonRequests,
    RequestKind,
    RequestStatus,
    add_request,
)
from bottega.research.session_tools.sizes import check_size
from bottega.research.sessions import repository
from bottega.research.tables import PersonRequest, StageGateRow

MOST_EVENTS = 500
#: Characters of JSON, of one stage's output and of all that is kept.
LARGEST_OUTPUT, LARGEST_GATE = 200_000, 4_000_000
#: Events that are shown; all are kept.
SHOWN_EVENTS = 50


@dataclass(frozen=True, slots=True)
class Way:
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


#: From the events so far to those that are added, within the transaction that adds them.
Decision = Callable[[AsyncSession, Sequence[GateEvent]], Awaitable[list[GateEvent]]]


class StageGates:
    def __init__(self, core: Core, requests: PersonRequests) -> None:
        self._core = core
        self._requests = requests

    async def status(self, way: Way) -> GateView:
        agent = await self._load(way)
        async with self._core.database.read() as session:
            await repository.get(session, way.session_id, way.user_id)
            row = await session.get(StageGateRow, (way.session_id, way.agent))
        return _view(agent, row.events if row else [], row.version if row else 0)

    async def start(
        self, way: Way, *, stage: int | None = None, depth: Depth | None = None
    ) -> GateView:
        agent = await self._load(way)

        async def decide(_: AsyncSession, events: Sequence[GateEvent]) -> list[GateEvent]:
            return [fold(agent, events).start(stage, depth)]

        return await self._change(way, agent, decide)

    async def complete(
        self, way: Way, output: Mapping[str, Any], *, stage: int | None = None, message: str = ""
    ) -> GateView:
        """`message` is what the person reads if the agent has to pause here."""
        check_size("The stage's output", output, LARGEST_OUTPUT)
        agent = await self._load(way)

        async def decide(session: AsyncSession, events: Sequence[GateEvent]) -> list[GateEvent]:
            gate = fold(agent, events)
            event = gate.complete(stage, output)
            done: int = event["stage"]
            if event["type"] == Happened.BLOCKED or not gate.pauses_after(done, output):
                return [event]
            asked = {"agent": agent.slug, "stage": done, "name": event["name"], "message": message}
            request = add_request(session, way.session_id, RequestKind.PAUSE, asked)
            return [event, gate.pause(done, request.id)]

        shown = await self._change(way, agent, decide)
        if shown.pause_request is not None:
            await self._requests.announce(shown.pause_request)
        last = shown.events[-1]
        if last["type"] == Happened.BLOCKED:
            raise InvalidInput(
                f"Stage {last['stage']} ({last['name']}) is blocked: its output lacks "
                f"{', '.join(last['missing'])}. Complete it again with them.",
                missing=last["missing"],
            )
        return shown

    async def resume(self, way: Way) -> GateView:
        """Once a person has replied; the last event has the words."""
        agent = await self._load(way)

        async def decide(session: AsyncSession, events: Sequence[GateEvent]) -> list[GateEvent]:
            gate = fold(agent, events)
            return [gate.resume(await _reply(session, gate))]

        return await self._change(way, agent, decide)

    async def repair(self, way: Way, failures: Sequence[str]) -> GateView:
        agent = await self._load(way)

        async def decide(_: AsyncSession, events: Sequence[GateEvent]) -> list[GateEvent]:
            return [fold(agent, events).repair(failures)]

        return await self._change(way, agent, decide)

    async def reset(self, way: Way) -> GateView:
        """Begin anew; what happened before stays in the list of events."""
        agent = await self._load(way)

        async def decide(session: AsyncSession, events: Sequence[GateEvent]) -> list[GateEvent]:
            paused = [event for event in events if event["type"] == Happened.PAUSED]
            request = await session.get(PersonRequest, paused[-1]["request_id"]) if paused else None
            if request is not None and request.status == RequestStatus.PENDING:
                request.status = RequestStatus.WITHDRAWN
            return [Gate(agent).reset()]

        return await self._change(way, agent, decide)

    async def _load(self, way: Way) -> Agent:
        return await asyncio.to_thread(lambda: agent_folders(self._core).load(way.agent))

    async def _change(self, way: Way, agent: Agent, decide: Decision) -> GateView:
        try:
            async with self._core.database.write() as session:
                await repository.get(session, way.session_id, way.user_id)
                row = await _row(session, way)
                new = await decide(session, row.events)
                row.events = [*row.events, *({"at": clock.iso(), **event} for event in new)]
                _check_size(row.events)
        except (StaleDataError, IntegrityError) as error:
            raise _changed_meanwhile(way) from error
        return _view(agent, row.events, row.version)


async def _row(session: AsyncSession, way: Way) -> StageGateRow:
    row = await session.get(StageGateRow, (way.session_id, way.agent))
    if way.version not in (None, row.version if row else 0):
        raise _changed_meanwhile(way)
    if row is None:
        row = StageGateRow(session_id=way.session_id, agent=way.agent, events=[])
        session.add(row)
    return row


async def _reply(session: AsyncSession, gate: Gate) -> str:
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


def _changed_meanwhile(way: Way) -> Conflict:
    return Conflict(
        f"The stages of {way.agent!r} were changed meanwhile. Ask for the status and try again."
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
