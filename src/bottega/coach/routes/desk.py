"""The whole desk in one answer, for a window that opens: `/api/coach/desk`."""

from fastapi import APIRouter

from bottega.coach.desk.desk import Desks
from bottega.coach.observer.observer import Observer
from bottega.coach.protocol.files import Decorations, FileHint, HighlightLines
from bottega.coach.protocol.learning import ObserverStatus
from bottega.coach.protocol.sessions import RestoredState
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.sessions import CoachingSessions
from bottega.core.callers import CurrentCaller
from bottega.core.wire import Wired


class DeskView(Wired):
    session: RestoredState | None
    #: In the order they were opened; what they contain is asked for one by one.
    open_files: list[str]
    observer: ObserverStatus
    file_hints: list[FileHint]
    regions: list[Decorations]
    highlights: list[HighlightLines]


def router(desks: Desks, sessions: CoachingSessions, hints: Hints, observer: Observer) -> APIRouter:
    routes = APIRouter(prefix="/coach", tags=["coach"])

    @routes.get("/desk")
    async def show_desk(caller: CurrentCaller) -> DeskView:
        """Everything that a window which opens, or comes back, has to show."""
        desk = desks.of(caller.user_id)
        session = await sessions.current(desk)
        shown = await hints.shown(desk)
        return DeskView(
            session=session,
            open_files=session.open_files if session else list(desk.open_files),
            observer=observer.status(desk),
            file_hints=shown.files,
            regions=shown.regions,
            highlights=[*shown.highlights, *desk.highlights],
        )

    return routes
