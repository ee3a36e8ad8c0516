"""Sessions on their way out of the house and into it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from sqlalchemy.exc import IntegrityError

from bottega.core.conversations import Message, new_message_id
from bottega.core.ids import new_id
from bottega.core.services import Core
from bottega.core.sessions import Session, SessionKind
from bottega.errors import Conflict
from bottega.research.sessions import repository
from bottega.research.sessions.claude import read_claude_transcript
from bottega.research.sessions.transcript import (
    head_of,
    read_transcript,
    to_rows,
    write_transcript,
)
from bottega.research.sessions.views import Binding, Facts, TokenUsage

PAGE = 200


class Transfer:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def export(self, session_id: str, *, user_id: str | None) -> str:
        """The session as JSON Lines: the bytes of its mirror."""
        async with self._core.database.read() as session:
            row = await repository.get(session, session_id, user_id)
            messages = await repository.messages(session, session_id)
            spent = await repository.spendings(session, [session_id])
        head = head_of(row, len(messages), spent.get(session_id, TokenUsage()))
        return await asyncio.to_thread(write_transcript, head, messages)

    async def first_lines(self) -> AsyncIterator[tuple[str, str]]:
        """Every session's id, and the first line that its mirror should have."""
        offset = 0
        while True:
            async with self._core.database.read() as session:
                rows = await repository.page(session, limit=PAGE, offset=offset)
                ids = [row.id for row in rows]
                counts = await repository.message_counts(session, ids)
                spent = await repository.spendings(session, ids)
            for row in rows:
                head = head_of(row, counts.get(row.id, 0), spent.get(row.id, TokenUsage()))
                yield row.id, head.model_dump_json(by_alias=True) + "\n"
            if len(rows) < PAGE:
                return
            offset += PAGE

    async def import_jsonl(self, text: str, *, user_id: str) -> Session:
        """Bring an exported session back, as the importing user's own."""
        head, said = await asyncio.to_thread(read_transcript, text)
        row, messages = to_rows(head, said, user_id)
        await self._add(row, messages)
        return row

    async def import_claude(
        self, config_dir: Path, cwd: str, claude_session: str, *, user_id: str, facts: Facts
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
