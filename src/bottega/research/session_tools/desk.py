"""What the session tools are made of, built once for the room."""

from dataclasses import dataclass

from bottega.core.permissions import ToolClass, require
from bottega.core.services import Core
from bottega.research.session_tools.notes import AgentNotes
from bottega.research.session_tools.rendering import Rendering
from bottega.research.session_tools.requests import PersonRequests
from bottega.research.session_tools.stage_gates import StageGates
from bottega.research.sessions.sessions import ResearchSessions
from bottega.research.sources.service import Sources
from bottega.research.stages.parts import Parts


@dataclass(frozen=True, slots=True)
class SessionDesk:
    core: Core
    sessions: ResearchSessions
    sources: Sources
    requests: PersonRequests
    gates: StageGates
    notes: AgentNotes
    rendering: Rendering
    #: Where a person comes back to after signing in to a source; without, the page starts it.
    oauth_callback: str | None = None

    async def check(
        self, session_id: str, user_id: str, tool: str, *classes: ToolClass, asks: bool = False
    ) -> None:
        """Whether the session is the caller's and its mode allows the tool; `asks` for a tool
        that does nothing without a person."""
        facts = await self.sessions.facts(session_id, user_id=user_id)
        require(facts.permission_mode, tool, classes, agreed=asks)


def open_desk(
    parts: Parts,
    sessions: ResearchSessions,
    sources: Sources,
    *,
    oauth_callback: str | None = None,
) -> SessionDesk:
    requests = PersonRequests(parts.core, sources)
    return SessionDesk(
        core=parts.core,
        sessions=sessions,
        sources=sources,
        requests=requests,
        gates=StageGates(parts.core, requests),
        notes=AgentNotes(parts.core),
        rendering=Rendering(parts),
        oauth_callback=oauth_callback,
    )
