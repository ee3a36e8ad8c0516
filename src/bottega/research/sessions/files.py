"""A session's files: a mirror for people and tools, never the truth; and sessions from files.

    {DATA_DIR}/research/sessions/{id}/session.jsonl
    {DATA_DIR}/research/sessions/{id}/data/pipeline-state.json, pipeline-summary.json, answer.json
    {DATA_DIR}/research/sessions/{id}/output/…md

The first line of a transcript is the session, every other a message; an export is the same bytes,
and importing it gives the same session again. Claude's transcripts can be imported too.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from sqlalchemy.exc import IntegrityError

from bottega.conversation.transcripts import (
    TRANSCRIPT,
    MessageLine,
    read_transcript,
    write_line,
    write_transcript,
)
from bottega.core.clock import new_id
from bottega.core.services import Core
from bottega.core.sessions.conversations import Message, new_message_id
from bottega.core.sessions.session import Session, SessionKind, SessionStatus
from bottega.core.trust.permissions import PermissionMode
from bottega.core.wire import Wired
from bottega.errors import Conflict
from bottega.research.sessions import repository
from bottega.research.sessions.claude import read_claude_transcript
from bottega.research.sessions.repository import (
    Binding,
    SessionFacts,
    TokenUsage,
    facts_of,
    moment,
    view_of,
)

#: Sessions whose first line is compared at once.
PAGE = 200
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$")]


@dataclass(frozen=True, slots=True)
class SessionFolder:
    path: Path

    @property
    def transcript(self) -> Path:
        return self.path / TRANSCRIPT

    @property
    def state(self) -> Path:
        return self.path / "data" / "pipeline-state.json"

    @property
    def summary(self) -> Path:
        return self.path / "data" / "pipeline-summary.json"

    @property
    def answer(self) -> Path:
        return self.path / "data" / "answer.json"

    @property
    def output(self) -> Path:
        return self.path / "output"


def sessions_folder(data_dir: Path) -> Path:
    return data_dir / "research" / "sessions"


def session_folder(data_dir: Path, session_id: str) -> SessionFolder:
    return SessionFolder(sessions_folder(data_dir) / session_id)


class TranscriptHead(Wired):
    """The first line of a research session's transcript."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    id: Id
    title: Annotated[str | None, Field(max_length=1_000)]
    library: str | None
    agent: str | None
    status: str
    labels: list[str]
    permission_mode: PermissionMode
    archived_at: datetime | None
    message_count: Annotated[int, Field(ge=0)]
    token_usage: TokenUsage
    #: Of the sitting, not of the workflow.
    state: SessionStatus
    project_dir: str
    created_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    binding: Binding | None
    #: What other parts of the house keep about it.
    data: dict[str, Any]


def head_of(row: Session, message_count: int, spent: TokenUsage) -> TranscriptHead:
    facts = facts_of(row)
    return TranscriptHead(
        **dict(view_of(row, message_count, spent)),
        state=SessionStatus(row.status),
        project_dir=row.project_dir,
        ended_at=row.ended_at,
        binding=facts.binding,
        data=facts.others,
    )


async def export_session(core: Core, session_id: str, user_id: str | None) -> str:
    """The session as JSON Lines: the bytes of its mirror."""
    async with core.database.read() as session:
        row = await repository.get(session, session_id, user_id)
        messages = await repository.messages(session, session_id)
        spent = await repository.spendings(session, [session_id])
    head = head_of(row, len(messages), spent.get(session_id, TokenUsage()))
    return await asyncio.to_thread(write_transcript, head, messages)


async def first_lines(core: Core) -> AsyncIterator[tuple[str, str]]:
    """Every session's id, and the first line that its mirror should have."""
    offset = 0
    while True:
        async with core.database.read() as session:
            rows = await repository.page(session, limit=PAGE, offset=offset)
            ids = [row.id for row in rows]
            counts = await repository.message_counts(session, ids)
            spent = await repository.spendings(session, ids)
        for row in rows:
            head = head_of(row, counts.get(row.id, 0), spent.get(row.id, TokenUsage()))
            yield row.id, write_line(head)
        if len(rows) < PAGE:
            return
        offset += PAGE


def to_rows(
    head: TranscriptHead, messages: Sequence[MessageLine], user_id: str
) -> tuple[Session, list[Message]]:
    """What was read, as the importing user's own."""
    facts = SessionFacts(
        library=head.library,
        agent=head.agent,
        permission_mode=head.permission_mode,
        workflow_status=head.status,
        labels=head.labels,
        token_usage=head.token_usage,
        binding=head.binding,
    )
    row = Session(
        id=head.id,
        kind=SessionKind.RESEARCH,
        status=head.state,
        user_id=user_id,
        project_dir=head.project_dir,
        title=head.title,
        data=head.data | facts.model_dump(mode="json") | {"archived_at": moment(head.archived_at)},
        started_at=head.created_at,
        seen_at=head.seen_at,
        ended_at=head.ended_at,
    )
    rows = [
        Message(session_id=head.id, position=position, **message.model_dump())
        for position, message in enumerate(messages)
    ]
    return row, rows


class SessionTransfer:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def import_jsonl(self, text: str, *, user_id: str) -> Session:
        """Bring an exported session back, as the importing user's own."""
        head, said = await asyncio.to_thread(
            read_transcript, text, TranscriptHead, lambda head: head.message_count
        )
        row, messages = to_rows(head, said, user_id)
        await self._add(row, messages)
        return row

    async def import_claude(
        self, config_dir: Path, cwd: str, claude_session: str, *, user_id: str, facts: SessionFacts
    ) -> Session:
        """A conversation of Claude's SDK as a session here, bound to where it came from."""
        found = await asyncio.to_thread(read_claude_transcript, config_dir, cwd, claude_session)
        binding = Binding(session_id=found.session_id, cwd=cwd)
        row = Session(
            id=new_id(),
            kind=SessionKind.RESEARCH,
            user_id=user_id,
            project_dir=str(self._core.files.root),
            title=found.title,
            data=facts.model_copy(update={"binding": binding}).model_dump(mode="json"),
        )
        messages = [
            Message(
                id=new_message_id(),
                session_id=row.id,
                position=position,
                role=turn.role,
                content={"text": turn.text},
                text=turn.text,
                created_at=turn.created_at,
            )
            for position, turn in enumerate(found.turns)
        ]
        await self._add(row, messages)
        return row

    async def _add(self, row: Session, messages: list[Message]) -> None:
        try:
            async with self._core.database.write() as session:
                session.add(row)
                await session.flush()
                session.add_all(messages)
        except IntegrityError as error:
            raise Conflict(
                f"Session {row.id!r}, or a message of it, is here already. Delete it first to "
                "import it again."
            ) from error
