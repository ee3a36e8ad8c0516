"""Failures and people's word on them over HTTP: `/api/board/failures`."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query

from bottega.board.enums import Decision, FailureClass
from bottega.board.intake.triage_desk import TriageDesk
from bottega.board.intake.views import (
    Agreement,
    ClassInput,
    FailurePage,
    FailureView,
    SessionInput,
    TriageInput,
)
from bottega.board.repository.failure_lists import FailureFilter
from bottega.board.routes.reports import Offset, UpTo200
from bottega.core.bounds import Instant
from bottega.core.callers import CurrentCaller

BY_THE_RULES = ClassInput()


class Shown(StrEnum):
    FAILING = "failing"
    GREEN = "green"


def router(desk: TriageDesk) -> APIRouter:
    routes = APIRouter(prefix="/board/failures", tags=["board"])
    add_looking(routes, desk)
    add_deciding(routes, desk)
    return routes


def add_looking(routes: APIRouter, desk: TriageDesk) -> None:
    @routes.get("")
    async def list_failures(
        project_id: str | None = None,
        classification: FailureClass | None = None,
        status: Shown | None = None,
        decision: Decision | None = None,
        since: Instant | None = None,
        search: Annotated[str | None, Query(max_length=200)] = None,
        fingerprint: Annotated[str | None, Query(description="As a change names it.")] = None,
        limit: UpTo200 = 50,
        offset: Offset = 0,
    ) -> FailurePage:
        """What fails first, the most urgent before the others."""
        failing = None if status is None else status is Shown.FAILING
        wanted = FailureFilter(
            project_id, classification, failing, decision, since, search, fingerprint
        )
        return await desk.list(wanted, limit, offset)

    @routes.get("/agreement")
    async def show_agreement(project_id: str | None = None) -> Agreement:
        """How often people decided as the rules had suggested."""
        return await desk.agreement(project_id)

    @routes.get("/{failure_id}")
    async def show_failure(failure_id: str) -> FailureView:
        """With its error, its stack and the last runs of its test."""
        return await desk.show(failure_id)


def add_deciding(routes: APIRouter, desk: TriageDesk) -> None:
    @routes.post("/{failure_id}/triage")
    async def triage_failure(
        failure_id: str, asked: TriageInput, caller: CurrentCaller
    ) -> FailureView:
        """Decide; from then on the rules do not."""
        return await desk.triage(failure_id, asked, caller.user_id)

    @routes.post("/{failure_id}/classify")
    async def classify_failure(
        failure_id: str, caller: CurrentCaller, asked: ClassInput = BY_THE_RULES
    ) -> FailureView:
        """With a class it stands; without one the rules classify it again."""
        return await desk.classify(failure_id, asked.classification, caller.user_id)

    @routes.post("/{failure_id}/assign")
    async def assign_failure(
        failure_id: str, asked: SessionInput, caller: CurrentCaller
    ) -> FailureView:
        """Note which agent's session looks into it."""
        return await desk.assign(failure_id, asked.session_id, caller.user_id)

    @routes.post("/{failure_id}/propose")
    async def propose_failure(failure_id: str, caller: CurrentCaller) -> FailureView:
        """Propose a change for it now, however often it was met."""
        return await desk.propose(failure_id, caller.user_id)
