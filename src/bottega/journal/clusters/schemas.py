"""What callers send and get for clusters."""

from bottega.journal.entries.enums import Axis, JournalOutcome, JournalTier
from bottega.journal.entries.limits import ClusterId, Project, UpTo100
from bottega.journal.entries.schemas import ExperienceView, JournalInput, JournalView


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
