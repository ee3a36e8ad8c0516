"""Values: principles that a cluster of experiences bears out, and no others.

A statement is a value of a cluster if it lies no further from the cluster's centroid than most of
its members do: within the mean and one standard deviation of their cosine distances.
"""

import structlog

from bottega.core import clock
from bottega.core.database import Database
from bottega.core.ids import new_id
from bottega.errors import InvalidInput
from bottega.journal import repository
from bottega.journal.cluster import Cluster
from bottega.journal.clusters import Clusters
from bottega.journal.enums import Axis
from bottega.journal.index import JournalIndex
from bottega.journal.limits import CLUSTER_ID
from bottega.journal.repository import Owner
from bottega.journal.tables import Value
from bottega.journal.views import Validation

#: Members named as what a value rests on.
EVIDENCE = 5
#: What float32 cannot tell apart.
TOLERANCE = 1e-6

log = structlog.get_logger()


class Values:
    def __init__(self, database: Database, index: JournalIndex, clusters: Clusters) -> None:
        self._database = database
        self._index = index
        self._clusters = clusters

    async def validate(self, owner: Owner, text: str, cluster_id: str) -> Validation:
        cluster = await self._clusters.find(owner, *parse_cluster_id(cluster_id))
        return judge(cluster, cluster.distance(await self._index.embed(text)))

    async def store(self, owner: Owner, text: str, cluster_id: str, axis: Axis) -> Value:
        """Keep the value; `InvalidInput`, with the figures, if the cluster does not bear it out."""
        own_axis, label = parse_cluster_id(cluster_id)
        if axis is not own_axis:
            raise InvalidInput(
                f"`axis` is {axis.value!r}, but {cluster_id} is a cluster of the axis "
                f"{own_axis.value!r}. Use that axis, or a cluster of the other."
            )
        cluster = await self._clusters.find(owner, axis, label)
        verdict = judge(cluster, cluster.distance(await self._index.embed(text)))
        if not verdict.valid:
            raise InvalidInput(f"The value was not stored: {verdict.reason}")
        value = Value(
            id=new_id("value_"),
            user_id=owner.user_id,
            project=owner.project,
            text=text,
            axis=axis,
            cluster_id=cluster_id,
            cluster_size=cluster.size,
            similarity_to_centroid=verdict.similarity,
            evidence=list(cluster.members[:EVIDENCE]),
            created_at=clock.now(),
        )
        await self.add(value)
        return value

    async def add(self, value: Value) -> None:
        # The row comes last: a vector without one is never shown.
        await self._index.put_value(value)
        async with self._database.write() as session:
            session.add(value)

    async def list(self, owner: Owner, axis: Axis | None, limit: int) -> list[Value]:
        async with self._database.read() as session:
            return list(await repository.values(session, owner, axis, limit))


def judge(cluster: Cluster, distance: float) -> Validation:
    similarity = min(1.0, max(0.0, 1.0 - distance))
    is_valid = distance <= cluster.threshold + TOLERANCE
    reason = (
        f"it lies {distance:.3f} from the centroid of {cluster.id} (similarity {similarity:.3f}), "
        f"and its {cluster.size} members allow {cluster.threshold:.3f}. Say more of what they have "
        "in common; get_cluster_members shows them."
    )
    return Validation(
        valid=is_valid,
        similarity=similarity if is_valid else None,
        centroid_distance=max(0.0, distance),
        threshold_distance=cluster.threshold,
        reason=None if is_valid else reason,
    )


def parse_cluster_id(cluster_id: str) -> tuple[Axis, int]:
    found = CLUSTER_ID.fullmatch(cluster_id)
    if found is None:
        raise InvalidInput(f"{cluster_id!r} is no cluster id: use cluster_{{axis}}_{{label}}.")
    return Axis(found[1]), int(found[2])
