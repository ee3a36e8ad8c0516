"""What agents ask of people: a credential, a word on a plan, a reply at a pause.

An agent can open a request and see how it was answered. Only people answer, at the doors; no tool
leads there. A credential goes from the person straight into the house's secrets: neither the
request nor an event nor the agent ever holds it.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict
from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.sessions.session import Session, find
from bottega.errors import Conflict, InvalidInput, NotFound, TooMany
from bottega.research.external_agents.tables import PersonRequest
from bottega.research.sources.service import Sources

ASKED, ANSWERED = "research.asked", "research.answered"
#: Seconds that one call waits at most: clients give up after a minute.
LONGEST_WAIT = 50.0
LONGEST_REPLY = 20_000
LONGEST_CREDENTIAL = 10_000
#: Of one session; an agent that asks without end is not heard for ever.
MOST_OPEN = 20


class RequestKind(StrEnum):
    CREDENTIAL = "credential"
    PLAN = "plan"
    PAUSE = "pause"


class RequestStatus(StrEnum):
    PENDING = "pending"
    ANSWERED = "answered"
    DECLINED = "declined"
    #: Nobody waits for an answer any more.
    WITHDRAWN = "withdrawn"


class RequestSubject(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CredentialAsked(RequestSubject):
    source: str
    source_name: str
    #: The credential's, within its source.
    name: str
    origin: str
    #: The address or program that gets it.
    goes_to: str
    reason: str


class PlanAsked(RequestSubject):
    title: str
    #: Markdown.
    plan: str


class PauseAsked(RequestSubject):
    agent: str
    stage: int
    name: str
    #: What the agent says, markdown.
    message: str


class RequestView(BaseModel):
    model_config = ConfigDict(from_attributes=True, frozen=True)

    id: str
    session_id: str
    kind: RequestKind
    status: RequestStatus
    asked: CredentialAsked | PlanAsked | PauseAsked
    answer: dict[str, Any] | None
    created_at: datetime
    answered_at: datetime | None


class PersonRequests:
    def __init__(self, core: Core, sources: Sources) -> None:
        self._core = core
        self._sources = sources

    async def open(
        self, session_id: str, kind: RequestKind, asked: dict[str, Any], *, user_id: str | None
    ) -> RequestView:
        """What is asked already, and not answered, is not asked twice."""
        async with self._core.database.write() as session:
            row = await find(session, session_id, user_id)
            waiting = (await session.scalars(_listed(None, session_id, open_only=True))).all()
            same = [each for each in waiting if (each.kind, each.asked) == (kind, asked)]
            if same:
                return RequestView.model_validate(same[0])
            if len(waiting) >= MOST_OPEN:
                raise TooMany(
                    f"{len(waiting)} requests of this session wait for a person. Wait for answers."
                )
            request = add_request(session, session_id, kind, asked)
        self._tell(ASKED, row, request)
        return RequestView.model_validate(request)

    async def get(self, request_id: str, *, user_id: str | None) -> RequestView:
        async with self._core.database.read() as session:
            return RequestView.model_validate((await _find(session, request_id, user_id))[0])

    async def newest(
        self, session_id: str, kind: RequestKind, asked: dict[str, Any]
    ) -> RequestView | None:
        """The last request of this kind that asked just this."""
        query = select(PersonRequest).where(
            PersonRequest.session_id == session_id, PersonRequest.kind == kind
        )
        async with self._core.database.read() as session:
            found = await session.scalars(query.order_by(PersonRequest.id.desc()))
            return next(
                (RequestView.model_validate(each) for each in found if each.asked == asked), None
            )

    async def list(
        self, *, user_id: str | None, session_id: str | None = None, open_only: bool = True
    ) -> Sequence[RequestView]:
        """The longest waiting first."""
        async with self._core.database.read() as session:
            found = await session.scalars(_listed(user_id, session_id, open_only))
            return [RequestView.model_validate(each) for each in found]

    async def wait(self, request_id: str, seconds: float, *, user_id: str | None) -> RequestView:
        """The request as soon as it is answered, or as it is when the time is over."""
        deadline = asyncio.get_running_loop().time() + min(seconds, LONGEST_WAIT)
        # Listen before looking, or an answer in between would be missed.
        async with self._core.bus.subscribe(ANSWERED) as heard:
            request = await self.get(request_id, user_id=user_id)
            while request.status is RequestStatus.PENDING:
                try:
                    async with asyncio.timeout_at(deadline):
                        event = await anext(heard)
                except (TimeoutError, StopAsyncIteration):
                    break
                # Of no session: it tells that some were missed.
                if event.session_id in (None, request.session_id):
                    request = await self.get(request_id, user_id=user_id)
        return request

    async def give_credential(self, request_id: str, value: str, *, user_id: str) -> RequestView:
        """Store what the person entered; the agent hears only that it is there."""
        request = await self._open_one(request_id, RequestKind.CREDENTIAL, user_id)
        plain = value.strip()
        if not plain or len(plain) > LONGEST_CREDENTIAL:
            raise InvalidInput(
                f"A credential has 1 to {LONGEST_CREDENTIAL:,} characters; nothing was stored."
            )
        assert isinstance(request.asked, CredentialAsked)
        source, name = request.asked.source, request.asked.name
        await self._sources.set_credential(source, name, plain, user_id=user_id)
        return await self._close(request_id, RequestStatus.ANSWERED, {"stored": True}, user_id)

    async def judge_plan(
        self, request_id: str, *, approved: bool, comment: str = "", user_id: str
    ) -> RequestView:
        await self._open_one(request_id, RequestKind.PLAN, user_id)
        if not approved and not comment.strip():
            raise InvalidInput("Say what should be changed in the plan.")
        answer = {"approved": approved, "comment": comment.strip()[:LONGEST_REPLY]}
        return await self._close(request_id, RequestStatus.ANSWERED, answer, user_id)

    async def reply(self, request_id: str, text: str, *, user_id: str) -> RequestView:
        """The person's words at a pause."""
        await self._open_one(request_id, RequestKind.PAUSE, user_id)
        words = text.strip()
        if not words or len(words) > LONGEST_REPLY:
            raise InvalidInput(f"A reply has 1 to {LONGEST_REPLY:,} characters.")
        return await self._close(request_id, RequestStatus.ANSWERED, {"reply": words}, user_id)

    async def decline(self, request_id: str, *, user_id: str) -> RequestView:
        return await self._close(request_id, RequestStatus.DECLINED, None, user_id)

    async def announce(self, request_id: str) -> None:
        """Tell of a request that was added within another change."""
        async with self._core.database.read() as session:
            request, row = await _find(session, request_id, None)
        self._tell(ASKED, row, request)

    async def _open_one(self, request_id: str, kind: RequestKind, user_id: str) -> RequestView:
        request = await self.get(request_id, user_id=user_id)
        if request.kind is not kind:
            raise InvalidInput(
                f"The request {request_id!r} is of the kind {request.kind.value!r}, not "
                f"{kind.value!r}."
            )
        _refuse_closed(request.status)
        return request

    async def _close(
        self, request_id: str, status: RequestStatus, answer: dict[str, Any] | None, user_id: str
    ) -> RequestView:
        async with self._core.database.write() as session:
            request, row = await _find(session, request_id, user_id, lock=True)
            _refuse_closed(RequestStatus(request.status))
            request.status, request.answer = status, answer
            request.answered_at = clock.now()
        self._tell(ANSWERED, row, request)
        return RequestView.model_validate(request)

    def _tell(self, topic: str, row: Session, request: PersonRequest) -> None:
        payload = {"request_id": request.id, "kind": request.kind, "status": request.status}
        self._core.bus.publish(
            Event(
                topic,
                payload,
                project=row.project_dir,
                user_id=row.user_id,
                session_id=row.id,
            )
        )


def add_request(
    session: AsyncSession, session_id: str, kind: RequestKind, asked: dict[str, Any]
) -> PersonRequest:
    request = PersonRequest(
        id=new_id(),
        session_id=session_id,
        kind=kind,
        status=RequestStatus.PENDING,
        asked=asked,
        created_at=clock.now(),
    )
    session.add(request)
    return request


def _listed(user_id: str | None, session_id: str | None, open_only: bool) -> Select[PersonRequest]:
    query = select(PersonRequest).join(Session, Session.id == PersonRequest.session_id)
    if user_id is not None:
        query = query.where(Session.user_id == user_id)
    if session_id is not None:
        query = query.where(PersonRequest.session_id == session_id)
    if open_only:
        query = query.where(PersonRequest.status == RequestStatus.PENDING)
    return query.order_by(PersonRequest.id).limit(500)


async def _find(
    session: AsyncSession, request_id: str, user_id: str | None, *, lock: bool = False
) -> tuple[PersonRequest, Session]:
    request = await session.get(PersonRequest, request_id, with_for_update=lock or None)
    row = await session.get(Session, request.session_id) if request else None
    if request is None or row is None or user_id not in (None, row.user_id):
        raise NotFound(f"There is no request {request_id!r}.")
    return request, row


def _refuse_closed(status: RequestStatus) -> None:
    if status is not RequestStatus.PENDING:
        raise Conflict(f"This request is {status.value} already.", status=status)
