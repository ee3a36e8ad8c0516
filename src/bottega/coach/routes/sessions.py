"""Sessions, phases, hints, plan drafts and issues over HTTP: `/api/coach`."""

from typing import Annotated

from fastapi import APIRouter, Path, status

from bottega.coach.desk.desk import Desks
from bottega.coach.enums import HintLevel, PhaseStatus
from bottega.coach.issues import IssueList, Issues
from bottega.coach.issues.issue import Source
from bottega.coach.planning.drafting import Drafting
from bottega.coach.protocol.files import LevelChange
from bottega.coach.protocol.sessions import (
    PhaseView,
    PlanDraft,
    RestoredState,
    Resumed,
    Started,
    StartSession,
)
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.phases import Phases
from bottega.coach.sessions.sessions import CoachingSessions
from bottega.core.callers import CurrentCaller
from bottega.core.wire import Wired
from bottega.errors import Unavailable

Number = Annotated[int, Path(ge=1, description="The phase's number.")]


class PhaseMove(Wired):
    status: PhaseStatus


class CurrentLevel(Wired):
    level: HintLevel


def router(
    desks: Desks,
    sessions: CoachingSessions,
    phases: Phases,
    hints: Hints,
    drafting: Drafting,
    issues: Issues,
) -> APIRouter:
    routes = APIRouter(prefix="/coach", tags=["coach"])
    add_sessions(routes, desks, sessions)
    add_guidance(routes, desks, phases, hints)

    @routes.post("/plan/draft")
    async def draft_plan(caller: CurrentCaller) -> PlanDraft:
        """A first plan for the session's issue, to be edited and submitted."""
        return await drafting.draft(desks.of(caller.user_id))

    @routes.get("/issues")
    async def list_issues() -> IssueList:
        """The project's open issues: GitHub's, or those in its own folder. `note` says why there
        are none of GitHub's."""
        try:
            return await issues.list()
        except Unavailable as error:
            return IssueList(source=Source.FILES, issues=[], note=error.message)

    return routes


def add_sessions(routes: APIRouter, desks: Desks, sessions: CoachingSessions) -> None:
    @routes.post("/sessions", status_code=status.HTTP_201_CREATED)
    async def start_session(asked: StartSession, caller: CurrentCaller) -> Started:
        """Work on an issue. A session that is still active is abandoned."""
        return await sessions.start(desks.of(caller.user_id), asked)

    @routes.get("/session")
    async def current_session(caller: CurrentCaller) -> RestoredState | None:
        """The session under way, or null."""
        return await sessions.current(desks.of(caller.user_id))

    @routes.post("/sessions/{id}/resume")
    async def resume_session(id: str, caller: CurrentCaller) -> Resumed:
        """An active session as it is; an abandoned one goes on in a new session."""
        return await sessions.resume(desks.of(caller.user_id), id)


def add_guidance(routes: APIRouter, desks: Desks, phases: Phases, hints: Hints) -> None:
    @routes.post("/phases/{number}")
    async def update_phase(number: Number, asked: PhaseMove, caller: CurrentCaller) -> PhaseView:
        """Begin, complete or put back a phase of the plan."""
        return await phases.update(desks.of(caller.user_id), number, asked.status)

    @routes.put("/hints")
    async def set_hint_level(asked: LevelChange, caller: CurrentCaller) -> CurrentLevel:
        """How closely hints point, for this session."""
        desk = desks.of(caller.user_id)
        await hints.set_level(desk, asked)
        return CurrentLevel(level=await hints.level(desk))
