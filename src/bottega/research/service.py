"""The room's parts, each built once: for its doors, and as far as other rooms use them."""

from dataclasses import dataclass
from typing import Any

from bottega.core.runs import RunStatus
from bottega.core.services import Core
from bottega.errors import Conflict
from bottega.library.service import LibraryService, open_library
from bottega.research.agents.definition import StageName
from bottega.research.dialogue.chat import Chat
from bottega.research.dialogue.conversation import Conversation
from bottega.research.external_agents.service import ExternalAgents, open_external_agents
from bottega.research.pipeline.context import StageFunction, StageServices
from bottega.research.pipeline.service import ResearchRuns
from bottega.research.pipeline.views import ResearchRunView
from bottega.research.sessions.service import ResearchSessions
from bottega.research.sources.service import Sources
from bottega.research.sources.views import SourceTool, source_tool_name
from bottega.research.sources.web_search import WebSearcher
from bottega.research.stages.analyze import analyze
from bottega.research.stages.calibrate import calibrate
from bottega.research.stages.output import output
from bottega.research.stages.retrieve import retrieve
from bottega.research.stages.revise import revise_plan
from bottega.research.stages.synthesize import synthesize
from bottega.research.stages.verify import verify

#: Which function does which stage.
STAGES: dict[StageName, StageFunction] = {
    StageName.ANALYZE: analyze,
    StageName.CALIBRATE: calibrate,
    StageName.RETRIEVE: retrieve,
    StageName.SYNTHESIZE: synthesize,
    StageName.VERIFY: verify,
    StageName.OUTPUT: output,
}

__all__ = ["Research", "SourceTool", "Sources", "open_research", "source_tool_name"]


@dataclass(frozen=True, slots=True)
class Research:
    core: Core
    libraries: LibraryService
    runs: ResearchRuns
    sessions: ResearchSessions
    conversation: Conversation
    sources: Sources
    #: What agents from outside have within a session.
    session: ExternalAgents

    async def paused_session(self, run_id: str, user_id: str) -> str:
        """The session in which a run waits for a reply; `Conflict` if it waits for none."""
        run = await self.runs.get(run_id, user_id)
        if run.status is not RunStatus.PAUSED or run.session_id is None:
            raise Conflict(
                f"The run {run_id!r} is {run.status} and waits for no reply.", status=run.status
            )
        return run.session_id

    async def reply(self, session_id: str, text: str, user_id: str) -> dict[str, Any]:
        """Say something in a session: the run that it went to, and what was answered."""
        turn = await self.conversation.say(session_id, text, user_id=user_id)
        return {
            "run": ResearchRunView.of(turn.run) if turn.run else None,
            "said": [message.text for message in turn.messages if message.role == "assistant"],
        }

    async def start(self) -> None:
        await self.sessions.start()

    async def stop(self) -> None:
        await self.conversation.stop()
        await self.runs.stop()
        await self.sources.stop()
        await self.sessions.stop()


def open_research(core: Core) -> Research:
    libraries = open_library(core)
    sources = Sources(core)
    searcher = WebSearcher(sources, libraries.web)
    services = StageServices(core, libraries, searcher)
    sessions = ResearchSessions(core)
    runs = ResearchRuns(
        services,
        STAGES,
        revise=revise_plan,
        switch_on=sources.ensure,
        sessions=sessions,
    )
    return Research(
        core,
        libraries,
        runs,
        sessions,
        Conversation(core, runs, libraries, Chat(core, libraries, sources)),
        sources,
        open_external_agents(services, sessions, sources),
    )
