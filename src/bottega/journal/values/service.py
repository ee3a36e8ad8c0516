"""Validates, stores and lists values.

A statement is valid for a cluster if its cosine distance to the centroid is at most the mean plus
one standard deviation of the members' distances.
"""

import structlog

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Database
from bottega.core.events import Event, EventBus
from bottega.errors import InvalidInput
from bottega.journal.clusters.model import Cluster
from bottega.journal.clusters.service import Clusters, parse_cluster_id
from bottega.journal.entries.index import VALUES, JournalIndex
from bottega.journal.entries.repository import Owner
from bottega.journal.values import repository
from bottega.journal.values.operations import (
    ListValuesInput,
    StoreInput,
    ValidateInput,
    Validation,
    ValueList,
    ValueView,
)
from bottega.journal.values.repository import Value

#: Members named as what a value rests on.
EVIDENCE = 5
#: What float32 cannot tell apart.
TOLERANCE = 1e-6

log = structlog.get_logger()


class Values:
    def __init__(
        self, database: Database, bus: EventBus, index: JournalIndex, clusters: Clusters
    ) -> None:
        self._database = database
        self._bus = bus
        self._index = index
        self._clusters = clusters

    async def validate(self, owner: Owner, asked: ValidateInput) -> Validation:
        """Whether the cluster supports the text; raises `NotFound` without such a cluster."""
        cluster = await self._clusters.find(owner, *parse_cluster_id(asked.cluster_id))
        return judge(cluster, cluster.distance(await self._index.embed(asked.text)))

    async def store(self, owner: Owner, asked: StoreInput) -> ValueView:
        """Raises `InvalidInput`, with the figures, if the cluster does not support the value."""
        axis, label = parse_cluster_id(asked.cluster_id)
        if asked.axis is not axis:
            raise InvalidInput(
                f"`axis` is {asked.axis.value!r}, but {asked.cluster_id} is a cluster of the axis "
                f"{axis.value!r}. Use that axis, or a cluster of the other."
            )
        cluster = await self._clusters.find(owner, axis, label)
        verdict = judge(cluster, cluster.distance(await self._index.embed(asked.text)))
        if not verdict.valid:
            raise InvalidInput(f"The value was not stored: {verdict.reason}")
        value = Value(
            id=new_id("value_"),
            user_id=owner.user_id,
            project=owner.project,
            text=asked.text,
            axis=axis,
            cluster_id=asked.cluster_id,
            cluster_size=cluster.size,
            similarity_to_centroid=verdict.similarity,
            evidence=list(cluster.members[:EVIDENCE]),
            created_at=clock.now(),
        )
        await self.add(value)
        stored = {"id": value.id, "axis": value.axis, "cluster_id": value.cluster_id}
        self._bus.publish(Event("journal.value_stored", stored, owner.project, owner.user_id))
        return ValueView.model_validate(value)

    async def add(self, value: Value) -> None:
        # The row comes last: a vector without one is never shown.
        await self._index_value(value)
        async with self._database.write() as session:
            session.add(value)

    async def list(self, owner: Owner, asked: ListValuesInput) -> ValueList:
        """Those of the largest clusters first, of equal ones the newest."""
        rows = await self._database.ask(repository.largest, owner, asked.axis, asked.limit)
        views = [ValueView.model_validate(row) for row in rows]
        return ValueList(results=views, count=len(views))

    async def restore(self) -> int:
        """Rebuild missing vectors; returns the number of values indexed again."""
        await self._index.prepare_values()
        values = await self._database.ask(repository.every)
        held = await self._index.count_values()
        if held >= len(values):
            return 0
        log.warning("journal.vectors_lost", axis=VALUES, held=held, expected=len(values))
        for value in values:
            await self._index_value(value)
        return len(values)

    async def _index_value(self, value: Value) -> None:
        details = {"user_id": value.user_id, "project": value.project, "axis": value.axis}
        await self._index.put_value(value.id, value.text, details)


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
