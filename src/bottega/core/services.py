"""The core as rooms get it: one of each part, built by the composition root."""

from dataclasses import dataclass, field
from pathlib import Path

from bottega.core.db.database import Database
from bottega.core.db.leases import Leases
from bottega.core.doors.broadcast import Broadcaster
from bottega.core.events import EventBus
from bottega.core.files.project import ProjectFiles
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import Ledger
from bottega.core.readers.embedder import Embedder
from bottega.core.retention import Retention
from bottega.core.runs import Runs
from bottega.core.search.refinement import Refiner
from bottega.core.search.text_index import TextIndex
from bottega.core.search.vector_store import VectorStore
from bottega.core.sessions.actions import Actions
from bottega.core.sessions.buffer_log import BufferLog
from bottega.core.sessions.conversations import Conversations
from bottega.core.sessions.session import Sessions
from bottega.core.sign_ins import SignIns
from bottega.core.traces import Traces
from bottega.core.trust.project import ProjectTrust
from bottega.core.trust.secrets import Secrets
from bottega.core.users import Users


@dataclass(frozen=True, slots=True)
class Choices:
    """Settings that rooms need, as plain values."""

    #: Where a person's own files are: agents, sources, skills, mirrors of sessions.
    data_dir: Path = Path(".bottega")
    #: A folder whose sub-folders are projects.
    projects_dir: Path | None = None
    #: How often a test must fail before the board proposes a change for it.
    propose_after: int = 2
    #: Whether agents may run commands in a shell, where they may do anything at all.
    shell: bool = False


@dataclass(frozen=True, slots=True)
class Core:
    database: Database
    #: Who does what only one of several servers should do.
    leases: Leases
    bus: EventBus
    broadcaster: Broadcaster
    actions: Actions
    buffer_log: BufferLog
    sessions: Sessions
    conversations: Conversations
    users: Users
    sign_ins: SignIns
    ledger: Ledger
    gateway: Gateway
    traces: Traces
    embedder: Embedder
    vectors: VectorStore
    #: What makes the finer vectors, unless the embedder is one of the user's own.
    refiner: Refiner | None
    text_index: TextIndex
    files: ProjectFiles
    runs: Runs
    secrets: Secrets
    retention: Retention
    choices: Choices = field(default_factory=Choices)
    #: What the project brings, and what of it may be used.
    trust: ProjectTrust = field(default_factory=lambda: ProjectTrust(Path()))
