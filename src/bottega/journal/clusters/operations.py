"""What can be asked about clusters."""

from typing import TYPE_CHECKING

from bottega.core.operations import Get, McpTool, operation
from bottega.core.rooms import Caller
from bottega.journal.entries.enums import Axis, JournalOutcome, JournalTier
from bottega.journal.entries.limits import IN_PROJECT, ClusterId, Project, UpTo100
from bottega.journal.entries.schemas import ExperienceView, JournalInput, JournalView

if TYPE_CHECKING:
    from bottega.journal.service import Journal


class ClustersInput(JournalInput):
    axis: Axis


class ClustersRequest(ClustersInput):
    project: Project | None = None


class MembersInput(JournalInput):
    cluster_id: ClusterId
    limit: UpTo100 = 50


class MembersRequest(MembersInput):
    project: Project | None = None


class ClusterView(JournalView):
    cluster_id: str
    label: int
    size: int
    avg_weight: float


class ClusterList(JournalView):
    axis: Axis
    clusters: list[ClusterView]
    count: int
    noise_count: int


class MapPoint(JournalView):
    """An experience on the plane."""

    id: str
    goal: str
    outcome_status: JournalOutcome
    confidence_tier: JournalTier
    x: float
    y: float
    #: None of them, where it is alone.
    cluster_id: str | None


class JournalMap(ClusterList):
    points: list[MapPoint]
    #: How many experiences there are on the axis, and how many it takes.
    experiences: int
    needed: int


class MemberList(JournalView):
    cluster_id: str
    axis: Axis
    members: list[ExperienceView]
    count: int


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
