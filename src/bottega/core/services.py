"""The core as rooms get it: one of each part, built by the composition root."""

from dataclasses import dataclass, field
from pathlib import Path

from bottega.core.actions import Actions
from bottega.core.audience import Audience
from bottega.core.buffer_log import BufferLog
from bottega.core.conversations import Conversations
from bottega.core.database import Database
from bottega.core.embeddings import Embedder
from bottega.core.events import EventBus
from bottega.core.files.project import ProjectFiles
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import Ledger
from bottega.core.runs import Runs
from bottega.core.secrets import Secrets
from bottega.core.sessions import Sessions
from bottega.core.textindex import TextIndex
from bottega.core.traces import Traces
from bottega.core.users import Users
from bottega.core.vectors.store import VectorStore


@dataclass(frozen=True, slots=True)
class Choices:
    """What the person who runs the house may choose for its rooms."""

    #: Where the house keeps a person's own files: agents, sources, skills, mirrors of sessions.
    data_dir: Path = Path(".bottega")
    #: A folder whose sub-folders are projects.
    projects_dir: Path | None = None
    #: How often a test must fail before the board proposes a change for it.
    propose_after: int = 2
    #: Whether agents may run commands in a shell, where they may do anything at all.
    shell: bool = False
    #: Whether the small model that reads citations may be used, where it is installed.
    entailment: bool = False


@dataclass(frozen=True, slots=True)
class Core:
    database: Database
    bus: EventBus
    audience: Audience
    actions: Actions
    buffer_log: BufferLog
    sessions: Sessions
    conversations: Conversations
    users: Users
    ledger: Ledger
    gateway: Gateway
    traces: Traces
    embedder: Embedder
    vectors: VectorStore
    text_index: TextIndex
    files: ProjectFiles
    runs: Runs
    secrets: Secrets
    choices: Choices = field(default_factory=Choices)
