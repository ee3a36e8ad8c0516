"""Transcripts that Claude's SDK leaves behind: whether one can be gone on with, and what it says.

They lie at `{config}/projects/{slug}/{session}.jsonl`, the slug being the working directory with
`:`, `\\` and `/` made into `-`. A first turn may leave a file of some 139 bytes that holds nothing
but a `dequeue` record; to resume that fails, so a transcript is looked at first. If the one that a
session is bound to is gone or holds nothing, the binding is dropped and the session starts afresh
with the last things that were said, rather than failing.
"""

import asyncio
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog

from bottega.core import clock
from bottega.core.services import Core
from bottega.core.sessions.conversations import Message
from bottega.core.text.words import shorten
from bottega.errors import InvalidInput, NotFound, TooLarge
from bottega.research.sessions import repository
from bottega.research.sessions.repository import Binding, facts_of

#: A file with no conversation in it is smaller than this, a real one has kilobytes.
SMALLEST = 500
#: An answer of the model is looked for in so many bytes from the start.
LOOKED_AT = 8 * 1024
LARGEST = 64 * 1024 * 1024
ANSWERED = b'"type":"assistant"'
_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
LAST_MESSAGES = 6
LONGEST_MESSAGE = 1_000
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ClaudeTurn:
    role: str
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ClaudeTranscript:
    session_id: str
    turns: list[ClaudeTurn]
    title: str | None
    #: Lines that are no JSON, such as the last of a program that was killed.
    unreadable: int


def slugify_cwd(cwd: str) -> str:
    return re.sub(r"[:\\/]", "-", cwd)


def transcript_path(config_dir: Path, cwd: str, session_id: str) -> Path:
    return config_dir / "projects" / slugify_cwd(cwd) / f"{session_id}.jsonl"


def is_resumable_transcript(config_dir: Path, cwd: str, session_id: str) -> bool:
    """Blocking. Whether a conversation is in it; false too for whatever cannot be looked at."""
    if not _SESSION_ID.fullmatch(session_id):
        return False
    try:
        path = transcript_path(config_dir, cwd, session_id)
        if not path.is_file() or path.stat().st_size <= SMALLEST:
            return False
        with path.open("rb") as file:
            return ANSWERED in file.read(LOOKED_AT)
    except (OSError, ValueError):
        return False


def canonical_session_id(lines: Iterable[str]) -> str | None:
    """The id that the SDK itself gave the conversation: only `system` / `init` says it, other
    messages may carry that of an older one."""
    for record in _records(lines):
        if record.get("type") == "system" and record.get("subtype") == "init":
            found = record.get("session_id")
            return found if isinstance(found, str) else None
    return None


def read_claude_transcript(config_dir: Path, cwd: str, session_id: str) -> ClaudeTranscript:
    """Blocking. What the person and the model said; raises for what is no conversation."""
    if not _SESSION_ID.fullmatch(session_id):
        raise InvalidInput(f"{session_id!r} is no id of a transcript.")
    path = transcript_path(config_dir, cwd, session_id)
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise TooLarge(
                f"The transcript {session_id} has {size:,} bytes; {LARGEST:,} are taken."
            )
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise NotFound(
            f"There is no transcript {session_id!r} of {cwd!r} that can be read."
        ) from error
    lines = [line for line in text.split("\n") if line.strip()]
    records = list(_records(lines))
    turns = [turn for record in records if (turn := _turn(record)) is not None]
    if not any(turn.role == "assistant" for turn in turns):
        raise InvalidInput(f"The transcript {session_id!r} holds no conversation to go on with.")
    return ClaudeTranscript(
        session_id=canonical_session_id(lines) or session_id,
        turns=turns,
        title=_title(records),
        unreadable=len(lines) - len(records),
    )


def _records(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _turn(record: dict[str, Any]) -> ClaudeTurn | None:
    role, message = record.get("type"), record.get("message")
    if role not in ("user", "assistant") or not isinstance(message, dict):
        return None
    # What sub-agents and the program itself said is not the conversation.
    if record.get("isSidechain") or record.get("isMeta"):
        return None
    text = "\n\n".join(_texts(message.get("content"))).strip()
    return ClaudeTurn(role, text, _moment(record.get("timestamp"))) if text else None


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and block.get("type") == "text":
                text = block.get("text")
                if isinstance(text, str):
                    yield text


def _title(records: Iterable[dict[str, Any]]) -> str | None:
    summaries = [each.get("summary") for each in records if each.get("type") == "summary"]
    return next((each for each in reversed(summaries) if isinstance(each, str) and each), None)


def _moment(value: Any) -> datetime:
    try:
        return clock.parse(value)
    except (TypeError, ValueError):
        return clock.now()


@dataclass(frozen=True, slots=True)
class Recovered:
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Resumption:
    #: The SDK's session to resume; `None` starts a fresh one.
    resume: str | None
    #: What to tell a fresh one of what was said before.
    recovered: Sequence[Recovered] = ()


class ClaudeBindings:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def bind(self, session_id: str, binding: Binding, *, user_id: str | None) -> None:
        """Remember which conversation of the SDK the session goes on with."""
        async with self._core.database.read() as session:
            await repository.get(session, session_id, user_id)
        await self._core.sessions.note(
            session_id, user_id=user_id, binding=binding.model_dump(mode="json")
        )

    async def prepare(
        self, session_id: str, config_dir: Path, *, user_id: str | None
    ) -> Resumption:
        """How the next turn begins: before every resume, and after every turn, ask this."""
        async with self._core.database.read() as session:
            row = await repository.get(session, session_id, user_id)
            messages = await repository.messages(session, session_id)
        binding = facts_of(row).binding
        if binding is not None:
            if await asyncio.to_thread(
                is_resumable_transcript, config_dir, binding.cwd, binding.session_id
            ):
                return Resumption(binding.session_id)
            log.warning("research.transcript_not_resumable", session_id=session_id)
            await self._core.sessions.note(session_id, user_id=user_id, binding=None)
        return Resumption(None, recovery_context(messages))


def recovery_context(messages: Sequence[Message]) -> list[Recovered]:
    """The last six messages with words in them, a thousand characters of each."""
    spoken = [message for message in messages if message.text.strip()]
    return [
        Recovered(message.role, shorten(message.text.strip(), LONGEST_MESSAGE))
        for message in spoken[-LAST_MESSAGES:]
    ]
