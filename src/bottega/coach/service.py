"""The coach's parts, each built once around the same desks and the same voice."""

from bottega.coach.dashboard.service import Dashboard
from bottega.coach.desk.desk import Desks
from bottega.coach.desk.editing import Editing
from bottega.coach.desk.showing import Showing
from bottega.coach.desk.state import SessionState
from bottega.coach.desk.voice import Voice
from bottega.coach.explaining.explainer import Explainer
from bottega.coach.history.history import History
from bottega.coach.issues import Issues
from bottega.coach.messages.background import Background
from bottega.coach.observer.observer import Observer
from bottega.coach.planning.drafting import Drafting
from bottega.coach.planning.pipeline import Pipeline
from bottega.coach.practice.gaps import Gaps
from bottega.coach.practice.practice import Practice
from bottega.coach.reflection.wrapup import WrapUp
from bottega.coach.reviewing.phase_review import PhaseReviews
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.phases import Phases
from bottega.coach.sessions.sessions import CoachingSessions
from bottega.coach.skills import Skills
from bottega.core.services import Core
from bottega.memory.service import SemanticMemories


class Coach:
    def __init__(self, core: Core, memories: SemanticMemories) -> None:
        self.core = core
        self.desks = Desks(core)
        self.voice = Voice(core.audience)
        self.skills = Skills(core.database)
        self.issues = Issues(core.files.root)
        self.background = Background()

        self.hints = Hints(core, self.voice)
        self.phases = Phases(core, self.voice, self.hints)
        self.sessions = CoachingSessions(core, self.voice, self.hints, self.issues)
        self.drafting = Drafting(core)
        self.pipeline = Pipeline(core, memories, self.skills, self.voice, self.hints)
        self.wrapup = WrapUp(core, memories, self.skills, self.voice)
        self.observer = Observer(core, self.desks, self.voice)

        self.editing = Editing(core, self.voice, self.hints, self.observer)
        self.showing = Showing(core, self.voice)
        self.state = SessionState(core)
        self.explainer = Explainer(core, self.voice, self.skills)
        self.practice = Practice(core, self.voice, self.skills)
        self.phase_reviews = PhaseReviews(core, self.voice, self.skills)
        self.gaps = Gaps(core.database)
        self.dashboard = Dashboard(core, memories, self.skills, self.voice, self.issues)
        self.history = History(core)

    async def start(self) -> None:
        await self.observer.start()
        for row in await self.desks.start():
            self.observer.watch(self.desks.of(row.user_id))

    async def stop(self) -> None:
        await self.background.stop()
        await self.wrapup.stop()
        await self.observer.stop()
