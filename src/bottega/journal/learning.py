"""What a retrospective does: look at clusters, form values, see how well predictions came true."""

from bottega.core.database import Database
from bottega.core.events import Event, EventBus
from bottega.journal import repository
from bottega.journal.calibration import calibrate
from bottega.journal.clusters import FEWEST, Clusters
from bottega.journal.enums import Axis
from bottega.journal.repository import Owner
from bottega.journal.schemas import ListValuesInput, MembersInput, StoreInput, ValidateInput
from bottega.journal.values import Values, parse_cluster_id
from bottega.journal.views import (
    CalibrationReport,
    ClusterList,
    ClusterView,
    ExperienceView,
    JournalMap,
    MapPoint,
    MemberList,
    Validation,
    ValueList,
    ValueView,
)


class Learning:
    def __init__(
        self, database: Database, bus: EventBus, clusters: Clusters, values: Values
    ) -> None:
        self._database = database
        self._bus = bus
        self._clusters = clusters
        self._values = values

    async def clusters(self, owner: Owner, axis: Axis) -> ClusterList:
        """The largest first."""
        made = await self._clusters.current(owner, axis)
        largest_first = sorted(made.clusters.values(), key=lambda c: (-c.size, c.label))
        views = [
            ClusterView(cluster_id=c.id, label=c.label, size=c.size, avg_weight=c.average_weight)
            for c in largest_first
        ]
        return ClusterList(
            axis=axis, clusters=views, count=len(views), noise_count=made.noise_count
        )

    async def map(self, owner: Owner, axis: Axis) -> JournalMap:
        """Empty while there are too few experiences to show anything."""
        async with self._database.read() as session:
            experiences = len(await repository.tiers(session, owner, axis))
        if experiences < FEWEST:
            nothing = ClusterList(axis=axis, clusters=[], count=0, noise_count=0)
            return JournalMap(**dict(nothing), points=[], experiences=experiences, needed=FEWEST)
        listed = await self.clusters(owner, axis)
        places, labels = await self._clusters.plane(owner, axis)
        async with self._database.read() as session:
            rows = await repository.by_ids(session, owner, list(places))
        points = [
            MapPoint(
                id=each,
                goal=row.goal,
                outcome_status=row.outcome_status,
                confidence_tier=row.confidence_tier,
                x=places[each][0],
                y=places[each][1],
                cluster_id=f"cluster_{axis}_{labels[each]}" if each in labels else None,
            )
            for each, row in rows.items()
        ]
        return JournalMap(**dict(listed), points=points, experiences=experiences, needed=FEWEST)

    async def members(self, owner: Owner, asked: MembersInput) -> MemberList:
        """The most typical first."""
        axis, label = parse_cluster_id(asked.cluster_id)
        cluster = await self._clusters.find(owner, axis, label)
        ids = list(cluster.members[: asked.limit])
        async with self._database.read() as session:
            rows = await repository.by_ids(session, owner, ids)
        members = [ExperienceView(**ExperienceView.fields_of(rows[i])) for i in ids if i in rows]
        return MemberList(
            cluster_id=asked.cluster_id, axis=axis, members=members, count=len(members)
        )

    async def validate(self, owner: Owner, asked: ValidateInput) -> Validation:
        return await self._values.validate(owner, asked.text, asked.cluster_id)

    async def store(self, owner: Owner, asked: StoreInput) -> ValueView:
        value = await self._values.store(owner, asked.text, asked.cluster_id, asked.axis)
        stored = {"id": value.id, "axis": value.axis, "cluster_id": value.cluster_id}
        self._bus.publish(Event("journal.value_stored", stored, owner.project, owner.user_id))
        return ValueView.model_validate(value)

    async def values(self, owner: Owner, asked: ListValuesInput) -> ValueList:
        """Those of the largest clusters first, of equal ones the newest."""
        rows = await self._values.list(owner, asked.axis, asked.limit)
        views = [ValueView.model_validate(row) for row in rows]
        return ValueList(results=views, count=len(views))

    async def calibration(self, owner: Owner) -> CalibrationReport:
        async with self._database.read() as session:
            return calibrate(await repository.forecasts(session, owner))
