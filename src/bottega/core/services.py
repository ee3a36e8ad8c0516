"""The core as rooms get it: one of each part, built by the composition root."""

from dataclasses import dataclass

from bottega.core.actions import Actions
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
class Core:
    database: Database
    bus: EventBus
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
