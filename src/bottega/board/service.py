"""The board's parts, each built once."""

from bottega.board.agents import repository as agents
from bottega.board.agents.activity import Activity
from bottega.board.agents.clarifications import Clarifications
from bottega.board.agents.sessions import AgentSessions, Monitor
from bottega.board.changes.service import Changes
from bottega.board.changes.sync import Sync
from bottega.board.failures import repository as failures
from bottega.board.failures.intake import Intake
from bottega.board.failures.proposer import Proposer
from bottega.board.failures.service import FailureTriage
from bottega.board.knowledge.service import Knowledge, Lessons
from bottega.board.projects.service import Projects
from bottega.board.queue.service import Handover, Progress, Queue
from bottega.board.work.service import WorkList
from bottega.core.services import Core
from bottega.memory.recall import Recall


class Board:
    def __init__(self, core: Core, recall: Recall) -> None:
        self.core = core
        self.recall = recall
        self.projects = Projects(core)
        references = (agents.follow_rename, failures.follow_rename)
        self.sync = Sync(core, self.projects, references=references)
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
        self.triage = FailureTriage(core, self.projects, self.proposer)
        self.work = WorkList(core, self.projects, self.sync)

    async def start(self) -> None:
        await self.projects.start()
        await self.sync.start()
        await self.activity.start()
        await self.monitor.start()

    async def stop(self) -> None:
        await self.monitor.stop()
        await self.activity.stop()
        await self.lessons.stop()
        await self.sync.stop()
        await self.projects.stop()
