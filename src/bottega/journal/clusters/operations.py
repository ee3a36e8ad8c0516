"""What can be asked about clusters."""

from typing import TYPE_CHECKING

from bottega.core.operations import Get, McpTool, operation
from bottega.core.rooms import Caller
from bottega.journal.clusters.schemas import (
    ClusterList,
    ClustersInput,
    ClustersRequest,
    JournalMap,
    MemberList,
    MembersInput,
    MembersRequest,
)
from bottega.journal.entries.limits import IN_PROJECT

if TYPE_CHECKING:
    from bottega.journal.service import Journal


@operation(
    McpTool(
        "get_clusters", "Groups of alike experiences.", read_only=True, arguments=ClustersInput
    ),
    Get("/journal/clusters", describe=IN_PROJECT),
)
async def list_clusters(journal: "Journal", asked: ClustersRequest, caller: Caller) -> ClusterList:
    """Groups of alike experiences, the largest first."""
    return await journal.clusters.list(journal.owner(caller.user_id, asked.project), asked.axis)


@operation(Get("/journal/map", describe=IN_PROJECT))
async def show_map(journal: "Journal", asked: ClustersRequest, caller: Caller) -> JournalMap:
    """Every experience as a point, those alike close together; empty while there are few."""
    return await journal.clusters.map(journal.owner(caller.user_id, asked.project), asked.axis)


@operation(
    McpTool(
        "get_cluster_members",
        "A cluster's experiences, the most typical first.",
        read_only=True,
        arguments=MembersInput,
    ),
    Get("/journal/clusters/{cluster_id}", describe=IN_PROJECT),
)
async def list_members(journal: "Journal", asked: MembersRequest, caller: Caller) -> MemberList:
    """A cluster's experiences, the most typical first."""
    return await journal.clusters.members(journal.owner(caller.user_id, asked.project), asked)
