"""Transcripts into sessions, messages and the event log: each message once, by the agent's id."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.db.database import Database, batches, storable
from bottega.core.events import Event
from bottega.core.events.log import EventLog
from bottega.core.sessions.conversations import Message
from bottega.core.sessions.session import Session, SessionKind, SessionStatus
from bottega.core.transcripts.transcript import Transcript, TranscriptMessage
from bottega.core.trust.redaction import Redact, without_secrets

#: Of a message, what its event carries; the rest is in the message.
LONGEST_IN_EVENT = 4_000


@dataclass(frozen=True, slots=True)
class ImportedTranscript:
    imported: int
    known: int
    #: Whether the session was not here before.
    is_new: bool


class Transcripts:
    def __init__(self, database: Database, redact: Redact) -> None:
        self._database = database
        self._log = EventLog(database)
        self._redact = redact

    async def take_in(self, transcript: Transcript, user_id: str) -> ImportedTranscript:
        """Add what is new in it. A transcript that has grown is continued where it was."""
        new = [self._safe(said) for said in await self._unknown(transcript.said)]
        if not new:
            return ImportedTranscript(0, len(transcript.said), is_new=False)
        # Events first: after a crash between the two the messages are new still, and events are
        # logged once.
        for some in batches(new):
            await self._log.append([_event(transcript, said, user_id) for said in some])
        async with self._database.write() as session:
            is_new = await self._write_session(session, transcript, user_id)
            await _write_messages(session, transcript.id, new)
        return ImportedTranscript(len(new), len(transcript.said) - len(new), is_new)

    async def _unknown(self, said: Sequence[TranscriptMessage]) -> list[TranscriptMessage]:
        # A line that a resumed session repeats is the same message.
        by_id = {each.id: each for each in said}
        known: set[str] = set()
        async with self._database.read() as session:
            for some in batches(list(by_id.values())):
                ids = select(Message.id).where(Message.id.in_([each.id for each in some]))
                known.update(await session.scalars(ids))
        return [each for each in by_id.values() if each.id not in known]

    def _safe(self, said: TranscriptMessage) -> TranscriptMessage:
        content = without_secrets(said.content, self._redact)
        text = storable(without_secrets(said.text, self._redact))
        return TranscriptMessage(said.id, said.role, content, text, said.at)

    async def _write_session(
        self, session: AsyncSession, transcript: Transcript, user_id: str
    ) -> bool:
        first = min(said.at for said in transcript.said)
        last = max(said.at for said in transcript.said)
        transcript.entitle()
        row = await session.get(Session, transcript.id)
        is_new = row is None
        if row is None:
            row = Session(
                id=transcript.id,
                kind=SessionKind.AGENT,
                type=transcript.source,
                status=SessionStatus.ENDED,
                user_id=user_id,
                project_dir=transcript.project_dir,
                title=without_secrets(transcript.title, self._redact),
                data={"imported": True, **transcript.facts},
                started_at=first,
            )
            session.add(row)
        row.seen_at = row.ended_at = last
        await session.flush()
        return is_new


async def _write_messages(
    session: AsyncSession, session_id: str, new: Sequence[TranscriptMessage]
) -> None:
    count = select(func.count()).where(Message.session_id == session_id)
    position = await session.scalar(count) or 0
    rows = [
        {
            "id": said.id,
            "session_id": session_id,
            "position": position + number,
            "role": said.role,
            "content": said.content,
            "text": said.text,
            "created_at": said.at,
        }
        for number, said in enumerate(new)
    ]
    for some in batches(rows):
        await session.execute(insert(Message), some)


def _event(transcript: Transcript, said: TranscriptMessage, user_id: str) -> Event:
    return Event(
        f"transcript.{said.role}",
        {
            "source": transcript.source,
            "message_id": said.id,
            "text": said.text[:LONGEST_IN_EVENT],
        },
        project=transcript.project_dir or None,
        user_id=user_id,
        session_id=transcript.id,
        id=f"transcript-{said.id}",
        created_at=said.at,
    )
