"""The journal over MCP. Agents work with it all day, so the descriptions are short."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import structlog
from pydantic import BaseModel

from bottega.core.rooms import Caller, Tool
from bottega.errors import BottegaError
from bottega.journal.schemas import (
    AdoptInput,
    ClustersInput,
    ContextInput,
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
from bottega.journal.views import (
    Active,
    ClusterList,
    Context,
    EntryList,
    MemberList,
    Resolved,
    SearchResults,
    Updated,
    Validation,
    ValueList,
    ValueView,
)

In = TypeVar("In", bound=BaseModel)

log = structlog.get_logger()


def tools(journal: Journal) -> list[Tool[Any]]:
    return [*working(journal), *looking_back(journal), *finding(journal)]


def working(journal: Journal) -> list[Tool[Any]]:
    """For agents at work."""
    entries = journal.entries

    async def start_ghap(asked: StartInput, caller: Caller) -> dict[str, Any]:
        started = await entries.start(caller.user_id, asked)
        # The extras are left out when there are none: the rest is always the same eight fields.
        return started.model_dump(mode="json", exclude_none=True)

    async def update_ghap(asked: UpdateInput, caller: Caller) -> Updated:
        return await entries.update(caller.user_id, asked)

    async def resolve_ghap(asked: ResolveInput, caller: Caller) -> Resolved:
        return await entries.resolve(caller.user_id, asked)

    async def get_active_ghap(asked: SessionInput, caller: Caller) -> Active:
        return await entries.active(caller.user_id, asked.session_id)

    async def list_ghap_entries(asked: ListInput, caller: Caller) -> EntryList:
        return await entries.list(journal.owner(caller.user_id), asked)

    async def adopt_ghap(asked: AdoptInput, caller: Caller) -> Active:
        return await entries.adopt(caller.user_id, asked.id, asked.session_id)

    return [
        _tool("start_ghap", "Begin an entry before you act on a guess.", StartInput, start_ghap),
        _tool("update_ghap", "Change the open entry as you learn.", UpdateInput, update_ghap),
        _tool(
            "resolve_ghap",
            "End the open entry; falsified needs surprise and root_cause.",
            ResolveInput,
            resolve_ghap,
        ),
        _tool("get_active_ghap", "The open entry.", SessionInput, get_active_ghap, reads=True),
        _tool(
            "list_ghap_entries", "Recent entries, newest first.", ListInput, list_ghap_entries, True
        ),
        _tool("adopt_ghap", "Go on with an orphaned entry.", AdoptInput, adopt_ghap),
    ]


def looking_back(journal: Journal) -> list[Tool[Any]]:
    """For a retrospective."""
    learning = journal.learning

    async def get_clusters(asked: ClustersInput, caller: Caller) -> ClusterList:
        return await learning.clusters(journal.owner(caller.user_id), asked.axis)

    async def get_cluster_members(asked: MembersInput, caller: Caller) -> MemberList:
        return await learning.members(journal.owner(caller.user_id), asked)

    async def validate_value(asked: ValidateInput, caller: Caller) -> Validation:
        return await learning.validate(journal.owner(caller.user_id), asked)

    async def store_value(asked: StoreInput, caller: Caller) -> ValueView:
        return await learning.store(journal.owner(caller.user_id), asked)

    async def list_values(asked: ListValuesInput, caller: Caller) -> ValueList:
        return await learning.values(journal.owner(caller.user_id), asked)

    return [
        _tool("get_clusters", "Groups of alike experiences.", ClustersInput, get_clusters, True),
        _tool(
            "get_cluster_members",
            "A cluster's experiences, the most typical first.",
            MembersInput,
            get_cluster_members,
            reads=True,
        ),
        _tool(
            "validate_value",
            "Whether a cluster bears out a principle.",
            ValidateInput,
            validate_value,
            reads=True,
        ),
        _tool("store_value", "Keep a principle that is valid.", StoreInput, store_value),
        _tool("list_values", "Stored principles.", ListValuesInput, list_values, reads=True),
    ]


def finding(journal: Journal) -> list[Tool[Any]]:
    """For whoever begins something new."""

    async def search_experiences(asked: SearchInput, caller: Caller) -> SearchResults:
        return await journal.finding.search(journal.owner(caller.user_id), asked)

    async def assemble_context(asked: ContextInput, caller: Caller) -> Context:
        return await journal.context.assemble(journal.owner(caller.user_id), asked)

    return [
        _tool(
            "search_experiences",
            "Find experiences by words and meaning.",
            SearchInput,
            search_experiences,
            reads=True,
        ),
        _tool(
            "assemble_context",
            "Lessons and values worth knowing before a task.",
            ContextInput,
            assemble_context,
        ),
    ]


def _tool(
    name: str,
    description: str,
    arguments: type[In],
    run: Callable[[In, Caller], Awaitable[Any]],
    reads: bool = False,
) -> Tool[In]:
    async def logged(asked: In, caller: Caller) -> Any:
        try:
            answer = await run(asked, caller)
        except BottegaError as error:
            log.warning("journal.refused", tool=name, type=error.type, why=error.message)
            raise
        log.debug("journal.done", tool=name, user=caller.user_id)
        return answer

    return Tool(name, description, arguments, logged, read_only=reads)
