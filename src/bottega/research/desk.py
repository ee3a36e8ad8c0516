"""The parts of the room that its doors ask, each built once."""

from dataclasses import dataclass

from bottega.core.runs import RunStatus
from bottega.core.services import Core
from bottega.errors import Conflict
from bottega.library.service import LibraryService, open_library
from bottega.research.agents.definition import Agent
from bottega.research.runs import ResearchRuns
from bottega.research.session_tools.desk import SessionDesk
from bottega.research.session_tools.desk import open_desk as open_session_desk
from bottega.research.sessions.sessions import ResearchSessions
from bottega.research.sources.service import Sources
from bottega.research.sources.web import WebSearcher
from bottega.research.stages.revise import revise_plan
from bottega.research.stages.table import Parts, make_stages
from bottega.research.talking.chat import Chat
from bottega.research.talking.conversation import Conversation
from bottega.research.talking.follow_up import load_prior


@dataclass(frozen=True, slots=True)
class Desk:
    core: Core
    libraries: LibraryService
    runs: ResearchRuns
    sessions: ResearchSessions
    conversation: Conversation
    sources: Sources
    #: What agents from outside have within a session.
    session: SessionDesk

    async def paused_session(self, run_id: str, user_id: str) -> str:
        """The session in which a run waits for a reply; `Conflict` if it waits for none."""
        run = await self.runs.get(run_id, user_id)
        if run.status is not RunStatus.PAUSED or run.session_id is None:
            raise Conflict(
                f"The run {run_id!r} is {run.status} and waits for no reply.", status=run.status
            )
        return run.session_id

    async def start(self) -> None:
        await self.sessions.start()

    async def stop(self) -> None:
        await self.conversation.stop()
        await self.runs.stop()
        await self.sources.stop()
        await self.sessions.stop()


def open_desk(core: Core) -> Desk:
    libraries = open_library(core)
    sources = Sources(core)
    parts = Parts(core, libraries, WebSearcher(sources, libraries.web), core.choices.data_dir)

    async def switch_on_sources(agent: Agent, user_id: str) -> None:
        await sources.ensure(agent.meta.sources, user_id=user_id)

    sessions = ResearchSessions(core)
    runs = ResearchRuns(
        core,
        libraries,
        make_stages(parts),
        revise=revise_plan,
        load_prior=load_prior,
        prepare=switch_on_sources,
        sessions=sessions,
    )
    chat = Chat(core, libraries, sources)
    return Desk(
        core,
        libraries,
        runs,
        sessions,
        Conversation(core, runs, libraries, chat),
        sources,
        open_session_desk(parts, sessions, sources),
    )
