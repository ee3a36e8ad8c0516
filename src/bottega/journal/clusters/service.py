"""Finds and shows clusters of experiences.

HDBSCAN finds the groups; they are measured in the embedder's full space. A clustering stays valid
until the clusters are asked for after the data have changed; until then a cluster id means the
cluster last shown. A cluster that is found again keeps its label, also after a restart, because
values refer to it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import ForeignKey
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.db.database import Base, Database
from bottega.core.readers.embedder import Vector
from bottega.errors import InsufficientData, InvalidInput, NotFound
from bottega.journal.clusters.model import (
    NOISE,
    Cluster,
    Clustering,
    Labels,
    cluster,
    lay_out,
    measure,
    relabel,
)
from bottega.journal.clusters.operations import (
    ClusterList,
    ClusterView,
    JournalMap,
    MapPoint,
    MemberList,
    MembersInput,
)
from bottega.journal.entries import repository
from bottega.journal.entries.enums import Axis, JournalTier
from bottega.journal.entries.index import JournalIndex
from bottega.journal.entries.limits import CLUSTER_ID
from bottega.journal.entries.repository import Owner
from bottega.journal.entries.schemas import ExperienceView


class ClusterSnapshot(Base):
    """The last clustering of an axis, so that labels outlive a restart."""

    __tablename__ = "journal_clusters"

    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    project: Mapped[str] = mapped_column(primary_key=True)
    axis: Mapped[str] = mapped_column(primary_key=True)
    #: What the data were when it was made.
    fingerprint: Mapped[str]
    #: The ids of each label's members.
    members: Mapped[dict[str, Any]]
    #: A label is never used for another cluster, since values name it.
    next_label: Mapped[int]


FEWEST = 20
#: A point for each id.
Places = dict[str, tuple[float, float]]
#: Clusterings kept in memory; each holds the ids of its members and a few centroids.
KEPT = 32


class Clusters:
    def __init__(self, database: Database, index: JournalIndex) -> None:
        self._database = database
        self._index = index
        self._made: OrderedDict[tuple[Owner, Axis], Clustering] = OrderedDict()
        self._making = asyncio.Lock()

    async def list(self, owner: Owner, axis: Axis) -> ClusterList:
        """The clusters of the axis, the largest first."""
        made = await self.current(owner, axis)
        largest_first = sorted(made.clusters.values(), key=lambda c: (-c.size, c.label))
        views = [
            ClusterView(cluster_id=c.id, label=c.label, size=c.size, avg_weight=c.average_weight)
            for c in largest_first
        ]
        return ClusterList(
            axis=axis, clusters=views, count=len(views), noise_count=made.noise_count
        )

    async def map(self, owner: Owner, axis: Axis) -> JournalMap:
        """Every experience as a point of a plane; empty while there are too few to cluster."""
        async with self._database.read() as session:
            experiences = len(await repository.tiers(session, owner, axis))
        if experiences < FEWEST:
            nothing = ClusterList(axis=axis, clusters=[], count=0, noise_count=0)
            return JournalMap(**dict(nothing), points=[], experiences=experiences, needed=FEWEST)
        listed = await self.list(owner, axis)
        places, labels = await self._plane(owner, axis)
        rows = await self._database.ask(repository.by_ids, owner, list(places))
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
        """A cluster's experiences, the most typical first; raises `NotFound`."""
        axis, label = parse_cluster_id(asked.cluster_id)
        cluster = await self.find(owner, axis, label)
        ids = list(cluster.members[: asked.limit])
        rows = await self._database.ask(repository.by_ids, owner, ids)
        members = [ExperienceView(**ExperienceView.fields_of(rows[i])) for i in ids if i in rows]
        return MemberList(
            cluster_id=asked.cluster_id, axis=axis, members=members, count=len(members)
        )

    async def current(self, owner: Owner, axis: Axis) -> Clustering:
        """The clusters of the data as they are now."""
        fingerprint = await self._database.ask(repository.fingerprint, owner)
        async with self._making:
            known = self._made.get((owner, axis))
            if known is not None and known.fingerprint == fingerprint:
                return known
            return self._keep(owner, axis, await self._make(owner, axis, fingerprint))

    async def find(self, owner: Owner, axis: Axis, label: int) -> Cluster:
        """A cluster as it was last shown; raises `NotFound`."""
        try:
            found = (await self._last(owner, axis)).clusters.get(label)
        except InsufficientData:
            found = None
        if found is None:
            raise NotFound(
                f"There is no cluster cluster_{axis}_{label}. get_clusters lists those of the "
                f"axis {axis}."
            )
        return found

    async def _plane(self, owner: Owner, axis: Axis) -> tuple[Places, dict[str, int]]:
        """The point of each experience and the label of its cluster, by id."""
        clustering = await self.current(owner, axis)
        ids, vectors, _ = await self._data(owner, axis)
        centres = np.array([cluster.centroid for cluster in clustering.clusters.values()])
        points = await asyncio.to_thread(lay_out, vectors, centres)
        places = {each: (float(x), float(y)) for each, (x, y) in zip(ids, points, strict=True)}
        return places, clustering.labels

    async def _last(self, owner: Owner, axis: Axis) -> Clustering:
        if (owner, axis) in self._made:
            return self._made[owner, axis]
        snapshot = await self._database.ask(_snapshot, owner, axis)
        if snapshot is None:
            return await self.current(owner, axis)
        ids, vectors, weights = await self._data(owner, axis)
        known = {i: int(label) for label, some in snapshot.members.items() for i in some}
        labels = np.array([known.get(i, NOISE) for i in ids], dtype=np.int64)
        clusters = await asyncio.to_thread(measure, axis, ids, vectors, weights, labels)
        last = Clustering(snapshot.fingerprint, clusters, _noise(labels), snapshot.next_label)
        return self._keep(owner, axis, last)

    async def _make(self, owner: Owner, axis: Axis, fingerprint: str) -> Clustering:
        ids, vectors, weights = await self._data(owner, axis)
        if not ids:
            raise NotFound(f"There are no experiences on the axis {axis} yet: resolve some first.")
        if len(ids) < FEWEST:
            raise InsufficientData(
                f"Clusters of the axis {axis} need at least {FEWEST} experiences; there are "
                f"{len(ids)}.",
                count=len(ids),
            )
        before = await self._database.ask(_snapshot, owner, axis)
        found = await cluster(vectors)
        members, next_label = (before.members, before.next_label) if before else ({}, 0)
        labels, next_label = await asyncio.to_thread(relabel, ids, found, members, next_label)
        clusters = await asyncio.to_thread(measure, axis, ids, vectors, weights, labels)
        made = Clustering(fingerprint, clusters, _noise(labels), next_label)
        await self._remember(owner, axis, made)
        return made

    async def _data(self, owner: Owner, axis: Axis) -> tuple[Sequence[str], Vector, Vector]:
        ids, vectors = await self._index.vectors_of(owner, axis)
        tiers = await self._database.ask(repository.tiers, owner, axis)
        # A vector without its row is of an experience that is still being stored.
        rows = [row for row, entry_id in enumerate(ids) if entry_id in tiers]
        kept = [ids[row] for row in rows]
        weights = np.array(
            [JournalTier(tiers[entry_id]).weight for entry_id in kept], dtype=np.float32
        )
        return kept, vectors[rows], weights

    async def _remember(self, owner: Owner, axis: Axis, made: Clustering) -> None:
        snapshot = ClusterSnapshot(
            user_id=owner.user_id,
            project=owner.project,
            axis=axis,
            fingerprint=made.fingerprint,
            members={str(label): list(c.members) for label, c in made.clusters.items()},
            next_label=made.next_label,
        )
        async with self._database.write(durable=False) as session:
            await session.merge(snapshot)

    def _keep(self, owner: Owner, axis: Axis, made: Clustering) -> Clustering:
        self._made[owner, axis] = made
        self._made.move_to_end((owner, axis))
        while len(self._made) > KEPT:
            self._made.popitem(last=False)
        return made


def _noise(labels: Labels) -> int:
    return int((labels == NOISE).sum())


async def _snapshot(session: AsyncSession, owner: Owner, axis: Axis) -> ClusterSnapshot | None:
    return await session.get(ClusterSnapshot, (owner.user_id, owner.project, str(axis)))


def parse_cluster_id(cluster_id: str) -> tuple[Axis, int]:
    found = CLUSTER_ID.fullmatch(cluster_id)
    if found is None:
        raise InvalidInput(f"{cluster_id!r} is no cluster id: use cluster_{{axis}}_{{label}}.")
    return Axis(found[1]), int(found[2])
