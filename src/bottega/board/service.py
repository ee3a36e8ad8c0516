"""The board's parts, each built once."""

from bottega.board.agents.activity import Activity
from bottega.board.agents.clarifications import Clarifications
from bottega.board.agents.monitor import Monitor
from bottega.board.agents.sessions import AgentSessions
from bottega.board.changes.changes import Changes
from bottega.board.intake.intake import Intake
from bottega.board.intake.proposer import Proposer
from bottega.board.intake.triage_desk import TriageDesk
from bottega.board.knowledge.lessons import Lessons
from bottega.board.knowledge.service import Knowledge
from bottega.board.projects import Projects
from bottega.board.queue.handover import Handover
from bottega.board.queue.progress import Progress
from bottega.board.queue.queue import Queue
from bottega.board.syncing.sync import Sync
from bottega.board.work import Work
from bottega.core.services import Core


class Board:
    def __init__(self, core: Core) -> None:
        self.core = core
        self.projects = Projects(core)
        self.sync = Sync(core, self.projects)
        self.changes = Changes(core, self.projects, self.sync)

        self.sessions = AgentSessions(core)
        self.queue = Queue(core)
        self.monitor = Monitor(core)
        self.knowledge = Knowledge(core)
        self.lessons = Lessons(core, self.knowledge)
        self.handover = Handover(core, self.knowledge)
        self.progress = Progress(core, self.queue, self.changes)
        self.clarifications = Clarifications(core)
        self.activity = Activity(core, self.sessions, self.queue)

        self.proposer = Proposer(core, self.changes)
        self.intake = Intake(core, self.projects, self.changes, proposer=self.proposer)
        self.triage_desk = TriageDesk(core, self.projects, self.proposer)
        self.work = Work(core, self.projects, self.sync)

    async def start(self) -> None:
        await self.projects.start()
        await self.sync.start()
        await self.knowledge.start()
        await self.activity.start()
        await self.monitor.start()

    async def rebuild(self) -> None:
        await self.knowledge.restore_vectors()

    async def stop(self) -> None:
        await self.monitor.stop()
        await self.activity.stop()
        await self.lessons.stop()
        await self.knowledge.stop()
        await self.sync.stop()
        await self.projects.stop()
