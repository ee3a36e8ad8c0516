"""The coach's services, each built once, with their dependencies."""

from bottega.coach.background import Background
from bottega.coach.dashboard.service import Dashboard
from bottega.coach.editor.service import EditorDisplay, EditorService
from bottega.coach.editor.state import Editors, EditorState, Windows
from bottega.coach.explain.service import Explainer
from bottega.coach.observer.service import Observer
from bottega.coach.plans.draft import PlanDrafter
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.issues import Issues
from bottega.coach.plans.phases import Phases
from bottega.coach.plans.pipeline import Pipeline
from bottega.coach.practice.service import Practice
from bottega.coach.review.service import PhaseReviews
from bottega.coach.sessions.history import SessionHistory
from bottega.coach.sessions.service import CoachingSessions
from bottega.coach.sessions.state import SessionState
from bottega.coach.skills.service import Gaps, Skills
from bottega.coach.wrapup.service import WrapUp
from bottega.core.rooms import Caller
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.memory.service import SemanticMemories


class Coach:
    def __init__(self, core: Core, memories: SemanticMemories) -> None:
        self.core = core
        self.editors = Editors(core)
        self.windows = Windows(core.broadcaster)
        self.skills = Skills(core.database)
        self.issues = Issues(core.files.root)
        self.background = Background()

        self.hints = PhaseHints(core, self.windows)
        self.phases = Phases(core, self.windows, self.hints)
        self.sessions = CoachingSessions(core, self.windows, self.hints, self.issues)
        self.drafter = PlanDrafter(core)
        self.pipeline = Pipeline(core, memories, self.skills, self.windows, self.hints)
        self.wrapup = WrapUp(core, memories, self.skills, self.windows)
        self.observer = Observer(core, self.editors, self.windows)

        self.editor_service = EditorService(
            core,
            self.windows,
            on_open=self.hints.file_opened,
            on_edit=self.observer.edited,
            on_activity=self.observer.active,
        )
        self.display = EditorDisplay(core, self.windows)
        self.state = SessionState(core)
        self.explainer = Explainer(core, self.windows, self.skills)
        self.practice = Practice(core, self.windows, self.skills)
        self.phase_reviews = PhaseReviews(core, self.windows, self.skills)
        self.gaps = Gaps(core.database)
        self.dashboard = Dashboard(core, memories, self.skills, self.windows, self.issues)
        self.history = SessionHistory(core)

    async def start(self) -> None:
        await self.observer.start()
        for row in await self.editors.start():
            self.observer.watch(self.editors.of(row.user_id))

    async def stop(self) -> None:
        await self.background.stop()
        await self.wrapup.stop()
        await self.observer.stop()

    def editor_of(self, caller: Caller) -> EditorState:
        return self.editors.of(caller.user_id)

    async def log_tool_call(self, name: str, caller: Caller) -> None:
        """FR-079. Before the call, which may be the one that ends the session."""
        session_id = self.editor_of(caller).session_id
        if session_id is not None:
            data = {"toolName": name, "sessionId": session_id}
            await self.core.actions.log_action(session_id, ActionType.MCP_TOOL_CALL, data)
