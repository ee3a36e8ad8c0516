"""What agents from outside have within a session, built once for the room."""

from dataclasses import dataclass

from bottega.core.services import Core
from bottega.core.trust.permissions import ToolClass, require
from bottega.errors import Forbidden, InvalidInput
from bottega.research.external_agents.gate_store import StageGates
from bottega.research.external_agents.notes import AgentNotes
from bottega.research.external_agents.rendering import Rendering
from bottega.research.external_agents.requests import PersonRequests, RequestKind, RequestView
from bottega.research.pipeline.context import StageServices
from bottega.research.sessions.service import ResearchSessions
from bottega.research.sources.definition import HttpConfig
from bottega.research.sources.service import Sources


@dataclass(frozen=True, slots=True)
class ExternalAgents:
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


def open_external_agents(
    services: StageServices,
    sessions: ResearchSessions,
    sources: Sources,
    *,
    oauth_callback: str | None = None,
) -> ExternalAgents:
    requests = PersonRequests(services.core, sources)
    return ExternalAgents(
        core=services.core,
        sessions=sessions,
        sources=sources,
        requests=requests,
        gates=StageGates(services.core, requests),
        notes=AgentNotes(services.core),
        rendering=Rendering(services),
        oauth_callback=oauth_callback,
    )


async def ask_credential(
    external: ExternalAgents,
    session_id: str,
    source: str,
    name: str | None,
    reason: str,
    user_id: str,
) -> RequestView:
    """Ask a person for a credential that a source needs, and show them where it would go.

    Which credentials there are is the source's own list: an agent cannot make a person enter
    something under a name of its choosing.
    """
    view = await external.sources.get(source, user_id=user_id, session_id=session_id)
    if not view.trusted:
        raise Forbidden(
            f"The source {source!r} came with the project and nobody has enabled it: no credential "
            "is asked for it."
        )
    if not view.credentials:
        raise InvalidInput(f"The source {source!r} needs no credential.")
    chosen = name or view.credentials[0]
    if chosen not in view.credentials:
        raise InvalidInput(
            f"The source {source!r} has no credential {chosen!r}.", valid_options=view.credentials
        )
    config = (await external.sources.source(source)).config
    goes_to = config.url if isinstance(config, HttpConfig) else config.command
    asked = {
        "source": source,
        "name": chosen,
        "source_name": view.name,
        "origin": view.origin,
        "goes_to": goes_to,
        "reason": reason,
    }
    return await external.requests.open(session_id, RequestKind.CREDENTIAL, asked, user_id=user_id)
