"""What can be asked about entries and experiences."""

from typing import TYPE_CHECKING, Any

from bottega.core.operations import Get, McpTool, Patch, Post, operation
from bottega.core.rooms import Caller
from bottega.journal.entries.limits import IN_PROJECT, parse_cursor
from bottega.journal.entries.schemas import (
    AbandonRequest,
    Active,
    AdoptInput,
    EntryList,
    EntryPage,
    EntryRequest,
    EntryView,
    EvidenceInput,
    ExperienceSearch,
    JournalSessionInput,
    JournalStarted,
    JournalStartInput,
    ListInput,
    ListRequest,
    OrphanList,
    Resolved,
    ResolveInput,
    SearchInput,
    SearchResults,
    Updated,
    UpdateInput,
)

if TYPE_CHECKING:
    from bottega.journal.service import Journal


def _without_extras(started: JournalStarted) -> dict[str, Any]:
    # The extras are left out when there are none: the rest is always the same eight fields.
    return started.model_dump(mode="json", exclude_none=True)


def _without_cursor(page: EntryPage) -> EntryList:
    return EntryList(results=page.results, count=page.count)


@operation(
    McpTool("start_ghap", "Begin an entry before you act on a guess.", shape=_without_extras),
    Post("/journal/entries", status=201),
)
async def start_entry(
    journal: "Journal", asked: JournalStartInput, caller: Caller
) -> JournalStarted:
    return await journal.entries.start(caller.user_id, asked)


@operation(McpTool("update_ghap", "Change the open entry as you learn."), Patch("/journal/active"))
async def update_entry(journal: "Journal", change: UpdateInput, caller: Caller) -> Updated:
    return await journal.entries.update(caller.user_id, change)


@operation(
    McpTool("resolve_ghap", "End the open entry; falsified needs surprise and root_cause."),
    Post("/journal/active/resolve"),
)
async def resolve_entry(journal: "Journal", asked: ResolveInput, caller: Caller) -> Resolved:
    return await journal.entries.resolve(caller.user_id, asked)


@operation(McpTool("get_active_ghap", "The open entry.", read_only=True), Get("/journal/active"))
async def active_entry(journal: "Journal", asked: JournalSessionInput, caller: Caller) -> Active:
    return await journal.entries.active(caller.user_id, asked.session_id)


@operation(
    McpTool(
        "list_ghap_entries",
        "Recent entries, newest first.",
        read_only=True,
        arguments=ListInput,
        shape=_without_cursor,
    ),
    Get("/journal/entries", describe={"after": "The `next` of the page before.", **IN_PROJECT}),
)
async def list_entries(journal: "Journal", asked: ListRequest, caller: Caller) -> EntryPage:
    """Newest first; open entries have no outcome yet."""
    owner = journal.owner(caller.user_id, asked.project)
    after = parse_cursor(asked.after) if asked.after else None
    return EntryPage.of(await journal.entries.list(owner, asked, after), asked.limit)


@operation(Get("/journal/entries/{id}", describe=IN_PROJECT))
async def show_entry(journal: "Journal", asked: EntryRequest, caller: Caller) -> EntryView:
    return await journal.entries.show(journal.owner(caller.user_id, asked.project), asked.id)


@operation(Post("/journal/evidence"))
async def attach_evidence(journal: "Journal", asked: EvidenceInput, caller: Caller) -> EntryView:
    """For hooks: a test or build that ran. It resolves nothing by itself."""
    return await journal.entries.attach(caller.user_id, asked)


@operation(Get("/journal/orphans"))
async def list_orphans(journal: "Journal", caller: Caller) -> OrphanList:
    """Open entries that nobody works on any more."""
    return await journal.entries.orphans(caller.user_id)


@operation(
    McpTool("adopt_ghap", "Go on with an orphaned entry."), Post("/journal/entries/{id}/adopt")
)
async def adopt_entry(journal: "Journal", asked: AdoptInput, caller: Caller) -> Active:
    return await journal.entries.adopt(caller.user_id, asked.id, asked.session_id)


@operation(Post("/journal/entries/{id}/abandon"))
async def abandon_entry(journal: "Journal", asked: AbandonRequest, caller: Caller) -> Resolved:
    return await journal.entries.abandon(caller.user_id, asked.id, asked.result)


@operation(
    McpTool(
        "search_experiences",
        "Find experiences by words and meaning.",
        read_only=True,
        arguments=SearchInput,
    ),
    Get("/journal/search", describe=IN_PROJECT),
)
async def search_experiences(
    journal: "Journal", asked: ExperienceSearch, caller: Caller
) -> SearchResults:
    """By words and meaning, best first."""
    return await journal.experiences.search(journal.owner(caller.user_id, asked.project), asked)
