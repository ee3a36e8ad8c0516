"""The life of an entry: started, updated, given evidence, resolved, stored; adopted, abandoned."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bottega.core import clock
from bottega.core.db.database import Database
from bottega.core.events import Event, EventBus
from bottega.core.sessions.session import LIVE, Sessions
from bottega.core.trust.admission import admit
from bottega.errors import Conflict, NotFound
from bottega.journal.entries import repository
from bottega.journal.entries.model import Entry, grade
from bottega.journal.entries.open_entries import OpenEntries, OpenEntry, Slot
from bottega.journal.entries.persister import Persister
from bottega.journal.entries.repository import EntryFilter, ListPosition, Owner
from bottega.journal.entries.schemas import (
    Active,
    EntryList,
    EntrySummary,
    EntryView,
    EvidenceInput,
    JournalStarted,
    JournalStartInput,
    ListInput,
    OrphanList,
    OrphanView,
    Resolved,
    ResolveInput,
    Updated,
    UpdateInput,
)
from bottega.journal.entries.search import Experiences

#: How long an entry of an unknown session may go without a change before it is an orphan.
SILENT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Entries:
    database: Database
    bus: EventBus
    open_entries: OpenEntries
    persister: Persister
    experiences: Experiences
    sessions: Sessions
    project: str

    async def start(self, user_id: str, asked: JournalStartInput) -> JournalStarted:
        asked = admit(asked, "entry")
        (entry, displaced), likely = await asyncio.gather(
            self.open_entries.start(Slot(user_id, asked.session_id), asked),
            self.experiences.likely_causes(Owner(user_id, self.project), asked),
        )
        self._publish(
            "journal.started", user_id, entry, domain=entry.domain, strategy=entry.strategy
        )
        started = JournalStarted.model_validate(entry)
        warning = _orphaned(displaced) if displaced else None
        return started.model_copy(update={"warning": warning, "premortem": likely})

    async def update(self, user_id: str, change: UpdateInput) -> Updated:
        change = admit(change, "entry")
        entry = await self.open_entries.update(Slot(user_id, change.session_id), change)
        self._publish("journal.updated", user_id, entry, iteration_count=entry.iteration_count)
        return Updated(iteration_count=entry.iteration_count)

    async def resolve(self, user_id: str, asked: ResolveInput) -> Resolved:
        asked = admit(asked, "entry")
        entry = await self.open_entries.resolve(Slot(user_id, asked.session_id), asked)
        return await self._store(user_id, entry)

    async def active(self, user_id: str, session_id: str | None = None) -> Active:
        entry = await self.open_entries.active(Slot(user_id, session_id))
        if entry is None:
            return Active()
        return Active.model_validate(entry).model_copy(update={"has_active": True})

    async def list(
        self, owner: Owner, asked: ListInput, after: ListPosition | None = None
    ) -> EntryList:
        """Newest first; open entries and those not stored yet are among them, with no outcome."""
        wanted = EntryFilter(asked.domain, asked.outcome, asked.since, after)
        # In the direction in which entries move, so that none slips by: files, then the database.
        local = await self._local(owner, wanted, asked.limit)
        rows = await self.database.ask(repository.newest, owner, wanted, asked.limit)
        found = {entry.id: EntrySummary.of(entry) for entry in local}
        found |= {row.id: EntrySummary.model_validate(row) for row in rows}
        newest = sorted(found.values(), key=lambda e: (e.created_at, e.id), reverse=True)
        results = newest[: asked.limit]
        return EntryList(results=results, count=len(results))

    async def show(self, owner: Owner, entry_id: str) -> EntryView:
        if owner.project == self.project:
            async for found in self.open_entries.every(owner.user_id):
                if found.entry.id == entry_id:
                    return EntryView.of(found.entry)
            for entry in await self.open_entries.waiting(owner.user_id):
                if entry.id == entry_id:
                    return EntryView.of(entry)
        row = await self.database.ask(repository.find, owner, entry_id)
        if row is not None:
            return EntryView.of(repository.as_entry(row))
        raise NotFound(f"There is no entry {entry_id!r}. `bottega journal list` shows yours.")

    async def attach(self, user_id: str, asked: EvidenceInput) -> EntryView:
        """Note a test or build that ran. It resolves nothing, but it makes the entry gold."""
        asked = admit(asked, "evidence")
        if asked.entry_id is None:
            slot = Slot(user_id, asked.session_id)
            entry = await self.open_entries.attach(slot, asked.evidence)
        else:
            entry = await self._attach_to_resolved(user_id, asked.entry_id, asked)
        passed = asked.evidence.passed
        self._publish(
            "journal.evidence_attached", user_id, entry, kind=asked.evidence.kind, passed=passed
        )
        return EntryView.of(entry)

    async def orphans(self, user_id: str) -> OrphanList:
        found = [
            OrphanView(**dict(EntrySummary.of(each.entry)), session_id=each.entry.session_id)
            async for each in self.open_entries.every(user_id)
            if await self._is_orphan(user_id, each)
        ]
        return OrphanList(results=found, count=len(found))

    async def adopt(self, user_id: str, entry_id: str, session_id: str | None) -> Active:
        await self._require_orphan(user_id, entry_id)
        entry = await self.open_entries.adopt(Slot(user_id, session_id), entry_id)
        self._publish("journal.updated", user_id, entry, adopted=True)
        return Active.model_validate(entry).model_copy(update={"has_active": True})

    async def abandon(self, user_id: str, entry_id: str, why: str) -> Resolved:
        why = admit(why, "entry")
        await self._require_orphan(user_id, entry_id)
        return await self._store(user_id, await self.open_entries.abandon(user_id, entry_id, why))

    async def _require_orphan(self, user_id: str, entry_id: str) -> None:
        found = await self.open_entries.find_open(user_id, entry_id)
        if not await self._is_orphan(user_id, found):
            whose = found.entry.session_id or "all who name none"
            raise Conflict(
                f"{entry_id} is the open entry of a session at work ({whose}). Resolve it there, "
                "or end that session first."
            )

    async def _is_orphan(self, user_id: str, found: OpenEntry) -> bool:
        if found.was_displaced:
            return True
        if (session_id := found.entry.session_id) is not None:
            with suppress(NotFound):
                session = await self.sessions.get(session_id, user_id=user_id)
                return session.status not in LIVE
        # By a clock that was set back since, one of the future would never be silent.
        return abs(clock.now() - found.entry.updated_at) > SILENT

    async def _store(self, user_id: str, entry: Entry) -> Resolved:
        end = entry.resolution
        assert end is not None
        try:
            await self.persister.persist(user_id, entry)
        finally:
            # Resolved it is, wherever it is kept.
            said = {"status": end.status, "confidence_tier": end.confidence_tier}
            self._publish("journal.resolved", user_id, entry, domain=entry.domain, **said)
        return Resolved.model_validate({**dict(end), "id": entry.id})

    async def _local(self, owner: Owner, wanted: EntryFilter, limit: int) -> Sequence[Entry]:
        """What of the journal is in files only."""
        if owner.project != self.project:
            return []
        still_open = []
        if wanted.outcome is None:
            orphans = 0
            async for found in self.open_entries.every(owner.user_id):
                if wanted.covers(found.entry):
                    still_open.append(found.entry)
                    orphans += found.was_displaced
                # Orphans come newest first, so those after the first few would not be shown.
                if orphans >= limit:
                    break
        waiting = await self.open_entries.waiting(owner.user_id)
        return [*still_open, *(entry for entry in waiting if wanted.covers(entry))]

    async def _attach_to_resolved(self, user_id: str, entry_id: str, asked: EvidenceInput) -> Entry:
        owner = Owner(user_id, self.project)
        async with self.database.write() as session:
            row = await repository.find(session, owner, entry_id, for_update=True)
            if row is None:
                raise NotFound(f"There is no resolved entry {entry_id!r} in this project.")
            before = repository.as_entry(row)
            entry = grade(before.with_changes(evidence=[*before.evidence, asked.evidence]))
            assert entry.resolution is not None
            row.evidence = [each.model_dump(mode="json") for each in entry.evidence]
            row.confidence_tier = entry.resolution.confidence_tier
            row.updated_at = clock.now()
        return entry

    def _publish(self, topic: str, user_id: str, entry: Entry, **more: Any) -> None:
        self.bus.publish(
            Event(topic, {"id": entry.id, **more}, self.project, user_id, entry.session_id)
        )


def _orphaned(displaced: Entry) -> str:
    return (
        f"{displaced.id} was still open; it is kept as an orphan. adopt_ghap goes on with it, "
        "`bottega journal abandon` ends it."
    )
