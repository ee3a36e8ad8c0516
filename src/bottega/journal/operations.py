"""What can be asked of the journal as a whole."""

from typing import TYPE_CHECKING

from bottega.core.operations import Get, Post, operation
from bottega.core.rooms import Caller
from bottega.journal.entries.limits import IN_PROJECT
from bottega.journal.schemas import ExportPage, ExportRequest, ImportInput, Synced, Transferred

if TYPE_CHECKING:
    from bottega.journal.service import Journal


@operation(Post("/journal/sync"))
async def sync(journal: "Journal", caller: Caller) -> Synced:
    """Store what was resolved but not stored, and make lost vectors again."""
    return await journal.sync([caller.user_id])


@operation(Get("/journal/export", describe=IN_PROJECT))
async def export(journal: "Journal", asked: ExportRequest, caller: Caller) -> ExportPage:
    """Every experience, a page at a time, and on the last page every value."""
    owner = journal.owner(caller.user_id, asked.project)
    return await journal.export(owner, asked.after, asked.limit)


@operation(Post("/journal/import"))
async def import_lines(journal: "Journal", asked: ImportInput, caller: Caller) -> Transferred:
    """Add what was exported. Known ids are left as they are."""
    return await journal.import_(journal.owner(caller.user_id), asked.lines)
