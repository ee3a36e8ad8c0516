"""The open entries of a project: one for each session, and one for all who name no session.

All of it is local files (`folder.py`), so a start or an update needs no database and no network.
An entry is in exactly one file at any moment, whatever crashes: it is rewritten in place and only
then moved.

An orphan is an open entry that a newer one displaced, or whose session is over. Whether a session
that Bottega does not know is over cannot be told; its entry is an orphan after a day without a
change.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import structlog

from bottega.core import clock
from bottega.core.sessions.session import LIVE, Sessions
from bottega.errors import Conflict, NotFound
from bottega.journal.entries.enums import JournalOutcome
from bottega.journal.entries.folder import JournalFolder
from bottega.journal.entries.model import (
    Entry,
    Evidence,
    Iteration,
    Resolution,
    new_entry_id,
)
from bottega.journal.entries.schemas import JournalStartInput, ResolveInput, UpdateInput
from bottega.journal.entries.tiers import grade

#: How long an entry of an unknown session may go without a change before it is an orphan.
SILENT = timedelta(days=1)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one session's open entry; without a session, the place that all share."""

    user_id: str
    session_id: str | None = None

    @property
    def file(self) -> str:
        return "active.json" if self.session_id is None else f"active-{self.session_id}.json"


@dataclass(frozen=True, slots=True)
class OpenEntry:
    file: str
    entry: Entry

    @property
    def was_displaced(self) -> bool:
        return self.file.startswith("orphan-")


class OpenEntries:
    def __init__(self, folder: JournalFolder) -> None:
        self._folder = folder

    async def start(self, slot: Slot, asked: JournalStartInput) -> tuple[Entry, Entry | None]:
        """Returns the new entry, and the open one that it displaced, which becomes an orphan."""
        now = clock.now()
        said = asked.model_dump(exclude={"session_id"})
        entry = Entry(
            id=new_entry_id(now),
            session_id=slot.session_id,
            created_at=now,
            updated_at=now,
            **said,
        )
        async with self._folder.changing():
            displaced = await self._displace(slot)
            await self._folder.write(slot.user_id, slot.file, entry)
        return entry, displaced

    async def update(self, slot: Slot, change: UpdateInput) -> Entry:
        async with self._folder.changing():
            entry = await self._required(slot)
            now = clock.now()
            before = Iteration(
                strategy=entry.strategy,
                hypothesis=entry.hypothesis,
                action=entry.action,
                prediction=entry.prediction,
                note=change.note,
                until=now,
            )
            changed = entry.with_changes(
                **change.changes(),
                updated_at=now,
                iteration_count=entry.iteration_count + 1,
                history=[*entry.history, before],
            )
            await self._folder.write(slot.user_id, slot.file, changed)
        return changed

    async def resolve(self, slot: Slot, asked: ResolveInput) -> Entry:
        """The resolved entry, which waits in its file until `remove_stored`."""
        async with self._folder.changing():
            entry = await self._required(slot)
            return await self._resolve(slot.user_id, slot.file, entry, asked.resolution())

    async def attach(self, slot: Slot, evidence: Evidence) -> Entry:
        """Note a test or build that ran in the open entry; it stays open."""
        async with self._folder.changing():
            entry = await self._required(slot)
            noted = entry.with_changes(evidence=[*entry.evidence, evidence], updated_at=clock.now())
            await self._folder.write(slot.user_id, slot.file, noted)
        return noted

    async def active(self, slot: Slot) -> Entry | None:
        return await self._open_entry(slot.user_id, slot.file)

    async def every(self, user_id: str) -> AsyncIterator[OpenEntry]:
        """Every open entry of the user here: the active ones, then orphans, newest first."""
        active = await self._folder.names(user_id, "active.", "active-")
        orphans = await self._folder.names(user_id, "orphan-")
        for name in [*active, *reversed(orphans)]:
            entry = await self._open_entry(user_id, name)
            if entry is not None:
                yield OpenEntry(name, entry)

    async def waiting(self, user_id: str) -> list[Entry]:
        """Resolved entries that are not in the database yet, oldest first."""
        names = await self._folder.names(user_id, "resolved-")
        entries = [await self._folder.read(user_id, name) for name in names]
        return [entry for entry in entries if entry is not None and entry.resolution is not None]

    async def tidy(self, user_id: str) -> None:
        """Finish moves that a crash interrupted after the entry was resolved."""
        if names := await self._folder.names(user_id, "active.", "active-", "orphan-"):
            async with self._folder.changing():
                for name in names:
                    await self._move_if_resolved(user_id, name)

    async def users(self) -> list[str]:
        return await self._folder.users()

    async def remove_stored(self, user_id: str, entry_id: str) -> None:
        """Remove the file of an entry that is in the database."""
        await self._folder.remove(user_id, _resolved(entry_id))

    async def adopt(self, slot: Slot, entry_id: str) -> Entry:
        """Move another session's open entry into this slot; raises `Conflict` if it is there."""
        async with self._folder.changing():
            found = await self.find_open(slot.user_id, entry_id)
            if found.file == slot.file:
                raise Conflict(f"{entry_id} is this session's open entry already.")
            await self._displace(slot)
            adopted = found.entry.with_changes(session_id=slot.session_id, updated_at=clock.now())
            await self._folder.write(slot.user_id, found.file, adopted)
            await self._folder.move(slot.user_id, found.file, slot.file)
        return adopted

    async def abandon(self, user_id: str, entry_id: str, why: str) -> Entry:
        async with self._folder.changing():
            found = await self.find_open(user_id, entry_id)
            end = Resolution(status=JournalOutcome.ABANDONED, result=why, resolved_at=clock.now())
            return await self._resolve(user_id, found.file, found.entry, end)

    async def find_open(self, user_id: str, entry_id: str) -> OpenEntry:
        async for found in self.every(user_id):
            if found.entry.id == entry_id:
                return found
        raise NotFound(f"There is no open entry {entry_id}. `bottega journal orphans` lists them.")

    async def _required(self, slot: Slot) -> Entry:
        entry = await self.active(slot)
        if entry is None:
            whose = f"session {slot.session_id!r}" if slot.session_id else "this project"
            raise NotFound(f"There is no open entry of {whose}. Begin one with start_ghap.")
        return entry

    async def _resolve(self, user_id: str, file: str, entry: Entry, end: Resolution) -> Entry:
        resolved = grade(entry.with_changes(resolution=end, updated_at=end.resolved_at))
        await self._folder.write(user_id, file, resolved)
        await self._folder.move(user_id, file, _resolved(entry.id))
        return resolved

    async def _open_entry(self, user_id: str, file: str) -> Entry | None:
        entry = await self._folder.read(user_id, file)
        return entry if entry is not None and entry.resolution is None else None

    async def _displace(self, slot: Slot) -> Entry | None:
        await self._move_if_resolved(slot.user_id, slot.file)
        displaced = await self.active(slot)
        if displaced is not None:
            log.warning("journal.entry_orphaned", id=displaced.id, session=slot.session_id)
            await self._folder.move(slot.user_id, slot.file, f"orphan-{displaced.id}.json")
        return displaced

    async def _move_if_resolved(self, user_id: str, file: str) -> None:
        entry = await self._folder.read(user_id, file)
        if entry is not None and entry.resolution is not None:
            await self._folder.move(user_id, file, _resolved(entry.id))


class Orphans:
    def __init__(self, open_entries: OpenEntries, sessions: Sessions) -> None:
        self._open_entries = open_entries
        self._sessions = sessions

    async def find(self, user_id: str) -> list[Entry]:
        found = self._open_entries.every(user_id)
        return [each.entry async for each in found if await self._is_orphan(user_id, each)]

    async def adopt(self, slot: Slot, entry_id: str) -> Entry:
        await self._check(slot.user_id, entry_id)
        return await self._open_entries.adopt(slot, entry_id)

    async def abandon(self, user_id: str, entry_id: str, why: str) -> Entry:
        await self._check(user_id, entry_id)
        return await self._open_entries.abandon(user_id, entry_id, why)

    async def _check(self, user_id: str, entry_id: str) -> None:
        found = await self._open_entries.find_open(user_id, entry_id)
        if not await self._is_orphan(user_id, found):
            whose = found.entry.session_id or "all who name none"
            raise Conflict(
                f"{entry_id} is the open entry of a session at work ({whose}). Resolve it there, "
                "or end that session first."
            )

    async def _is_orphan(self, user_id: str, found: OpenEntry) -> bool:
        if found.was_displaced:
            return True
        session_id = found.entry.session_id
        if session_id is not None:
            try:
                session = await self._sessions.get(session_id, user_id=user_id)
            except NotFound:
                pass
            else:
                return session.status not in LIVE
        # By a clock that was set back since, one of the future would never be silent.
        return abs(clock.now() - found.entry.updated_at) > SILENT


def _resolved(entry_id: str) -> str:
    return f"resolved-{entry_id}.json"
