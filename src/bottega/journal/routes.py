"""The journal over HTTP: `/api/journal`."""

from typing import Annotated

from fastapi import APIRouter, Query, status

from bottega.core.callers import CurrentCaller
from bottega.journal.enums import Axis, Domain, Outcome
from bottega.journal.limits import (
    ClusterId,
    Cursor,
    EntryId,
    Project,
    SearchQuery,
    SessionId,
    Since,
    UpTo50,
    UpTo100,
    UpTo500,
    parse_cursor,
)
from bottega.journal.schemas import (
    AbandonInput,
    ContextInput,
    EvidenceInput,
    ListInput,
    ListValuesInput,
    MembersInput,
    ResolveInput,
    SearchInput,
    SessionInput,
    StartInput,
    StoreInput,
    UpdateInput,
    ValidateInput,
)
from bottega.journal.service import Journal
from bottega.journal.transfer import ExportPage, ImportInput
from bottega.journal.views import (
    Active,
    CalibrationReport,
    ClusterList,
    Context,
    EntryPage,
    EntryView,
    JournalMap,
    MemberList,
    OrphanList,
    Resolved,
    SearchResults,
    Started,
    Synced,
    Transferred,
    Updated,
    Validation,
    ValueList,
    ValueView,
)

InProject = Annotated[Project | None, Query(description="Default: the server's project.")]


def router(journal: Journal) -> APIRouter:
    routes = APIRouter(prefix="/journal", tags=["journal"])
    add_working(routes, journal)
    add_looking_back(routes, journal)
    add_finding(routes, journal)
    add_moving(routes, journal)
    return routes


def add_working(routes: APIRouter, journal: Journal) -> None:
    entries = journal.entries

    @routes.post("/entries", status_code=status.HTTP_201_CREATED)
    async def start_entry(asked: StartInput, caller: CurrentCaller) -> Started:
        return await entries.start(caller.user_id, asked)

    @routes.get("/entries")
    async def list_entries(
        caller: CurrentCaller,
        limit: UpTo100 = 20,
        domain: Domain | None = None,
        outcome: Outcome | None = None,
        since: Since | None = None,
        after: Annotated[Cursor | None, Query(description="The `next` of the page before.")] = None,
        project: InProject = None,
    ) -> EntryPage:
        """Newest first; open entries have no outcome yet."""
        asked = ListInput(limit=limit, domain=domain, outcome=outcome, since=since)
        owner = journal.owner(caller.user_id, project)
        found = await entries.list(owner, asked, parse_cursor(after) if after else None)
        return EntryPage.of(found, limit)

    @routes.get("/entries/{id}")
    async def show_entry(
        id: EntryId, caller: CurrentCaller, project: InProject = None
    ) -> EntryView:
        return await entries.show(journal.owner(caller.user_id, project), id)

    @routes.get("/active")
    async def active_entry(caller: CurrentCaller, session_id: SessionId | None = None) -> Active:
        return await entries.active(caller.user_id, session_id)

    @routes.patch("/active")
    async def update_entry(change: UpdateInput, caller: CurrentCaller) -> Updated:
        return await entries.update(caller.user_id, change)

    @routes.post("/active/resolve")
    async def resolve_entry(asked: ResolveInput, caller: CurrentCaller) -> Resolved:
        return await entries.resolve(caller.user_id, asked)

    @routes.post("/evidence")
    async def attach_evidence(asked: EvidenceInput, caller: CurrentCaller) -> EntryView:
        """For hooks: a test or build that ran. It resolves nothing by itself."""
        return await entries.attach(caller.user_id, asked)

    @routes.get("/orphans")
    async def list_orphans(caller: CurrentCaller) -> OrphanList:
        """Open entries that nobody works on any more."""
        return await entries.orphans(caller.user_id)

    @routes.post("/entries/{id}/adopt")
    async def adopt_entry(id: EntryId, asked: SessionInput, caller: CurrentCaller) -> Active:
        return await entries.adopt(caller.user_id, id, asked.session_id)

    @routes.post("/entries/{id}/abandon")
    async def abandon_entry(id: EntryId, asked: AbandonInput, caller: CurrentCaller) -> Resolved:
        return await entries.abandon(caller.user_id, id, asked.result)


def add_looking_back(routes: APIRouter, journal: Journal) -> None:
    learning = journal.learning

    @routes.get("/clusters")
    async def list_clusters(
        axis: Axis, caller: CurrentCaller, project: InProject = None
    ) -> ClusterList:
        """Groups of alike experiences, the largest first."""
        return await learning.clusters(journal.owner(caller.user_id, project), axis)

    @routes.get("/map")
    async def show_map(axis: Axis, caller: CurrentCaller, project: InProject = None) -> JournalMap:
        """Every experience as a point, those alike close together; empty while there are few."""
        return await learning.map(journal.owner(caller.user_id, project), axis)

    @routes.get("/clusters/{cluster_id}")
    async def list_members(
        cluster_id: ClusterId, caller: CurrentCaller, limit: UpTo100 = 50, project: InProject = None
    ) -> MemberList:
        """A cluster's experiences, the most typical first."""
        asked = MembersInput(cluster_id=cluster_id, limit=limit)
        return await learning.members(journal.owner(caller.user_id, project), asked)

    @routes.post("/values/validate")
    async def validate_value(asked: ValidateInput, caller: CurrentCaller) -> Validation:
        return await learning.validate(journal.owner(caller.user_id), asked)

    @routes.post("/values", status_code=status.HTTP_201_CREATED)
    async def store_value(asked: StoreInput, caller: CurrentCaller) -> ValueView:
        return await learning.store(journal.owner(caller.user_id), asked)

    @routes.get("/values")
    async def list_values(
        caller: CurrentCaller,
        axis: Axis | None = None,
        limit: UpTo100 = 20,
        project: InProject = None,
    ) -> ValueList:
        """Those of the largest clusters first."""
        asked = ListValuesInput(axis=axis, limit=limit)
        return await learning.values(journal.owner(caller.user_id, project), asked)

    @routes.get("/calibration")
    async def calibration(caller: CurrentCaller, project: InProject = None) -> CalibrationReport:
        """How well the confidence in predictions foretold what happened."""
        return await learning.calibration(journal.owner(caller.user_id, project))


def add_finding(routes: APIRouter, journal: Journal) -> None:
    @routes.get("/search")
    async def search_experiences(
        query: SearchQuery,
        caller: CurrentCaller,
        axis: Axis = Axis.FULL,
        domain: Domain | None = None,
        outcome: Outcome | None = None,
        limit: UpTo50 = 10,
        project: InProject = None,
    ) -> SearchResults:
        """By words and meaning, best first."""
        asked = SearchInput(query=query, axis=axis, domain=domain, outcome=outcome, limit=limit)
        return await journal.finding.search(journal.owner(caller.user_id, project), asked)

    @routes.post("/context")
    async def assemble_context(asked: ContextInput, caller: CurrentCaller) -> Context:
        """Lessons and values worth knowing before a task; that they were shown is recorded."""
        return await journal.context.assemble(journal.owner(caller.user_id), asked)


def add_moving(routes: APIRouter, journal: Journal) -> None:
    @routes.post("/sync")
    async def sync(caller: CurrentCaller) -> Synced:
        """Store what was resolved but not stored, and make lost vectors again."""
        return await journal.persister.sync([caller.user_id])

    @routes.get("/export")
    async def export(
        caller: CurrentCaller,
        after: EntryId | None = None,
        limit: UpTo500 = 500,
        project: InProject = None,
    ) -> ExportPage:
        """Every experience, a page at a time, and on the last page every value."""
        return await journal.transfer.export(journal.owner(caller.user_id, project), after, limit)

    @routes.post("/import")
    async def import_lines(asked: ImportInput, caller: CurrentCaller) -> Transferred:
        """Add what was exported. Known ids are left as they are."""
        return await journal.transfer.import_(journal.owner(caller.user_id), asked.lines)
