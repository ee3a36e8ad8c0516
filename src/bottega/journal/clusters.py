"""Experiences that resemble each other, on each axis.

Groups are found by HDBSCAN and measured in the full space of the embedder. A clustering stands
until somebody asks for the clusters after the data have changed; what names a cluster by its id
in between means the one that was shown. A cluster found again keeps its label, also after a
restart: values name it.
"""

import asyncio
from collections import OrderedDict

import numpy as np

from bottega.core.clustering import NOISE, cluster
from bottega.core.database import Database
from bottega.core.vectors.store import Vector
from bottega.errors import InsufficientData, NotFound
from bottega.journal import repository
from bottega.journal.cluster import Cluster, Clustering, Labels, measure, relabel
from bottega.journal.enums import Axis, Tier
from bottega.journal.index import JournalIndex
from bottega.journal.plane import lay_out
from bottega.journal.repository import Owner
from bottega.journal.tables import ClusterSnapshot

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

    async def current(self, owner: Owner, axis: Axis) -> Clustering:
        """The clusters of the data as they are now."""
        async with self._database.read() as session:
            fingerprint = await repository.fingerprint(session, owner)
        async with self._making:
            known = self._made.get((owner, axis))
            if known is not None and known.fingerprint == fingerprint:
                return known
            return self._keep(owner, axis, await self._make(owner, axis, fingerprint))

    async def plane(self, owner: Owner, axis: Axis) -> tuple[Places, dict[str, int]]:
        """Where each experience lies beside the others, and the label of its cluster, by id."""
        clustering = await self.current(owner, axis)
        ids, vectors, _ = await self._data(owner, axis)
        centres = np.array([cluster.centroid for cluster in clustering.clusters.values()])
        points = await asyncio.to_thread(lay_out, vectors, centres)
        places = {each: (float(x), float(y)) for each, (x, y) in zip(ids, points, strict=True)}
        return places, clustering.labels

    async def find(self, owner: Owner, axis: Axis, label: int) -> Cluster:
        """A cluster as it was last shown."""
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

    async def _last(self, owner: Owner, axis: Axis) -> Clustering:
        if (owner, axis) in self._made:
            return self._made[owner, axis]
        async with self._database.read() as session:
            snapshot = await repository.snapshot(session, owner, axis)
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
        async with self._database.read() as session:
            before = await repository.snapshot(session, owner, axis)
        found = (await cluster(vectors, weights)).labels
        members, next_label = (before.members, before.next_label) if before else ({}, 0)
        labels, next_label = await asyncio.to_thread(relabel, ids, found, members, next_label)
        clusters = await asyncio.to_thread(measure, axis, ids, vectors, weights, labels)
        made = Clustering(fingerprint, clusters, _noise(labels), next_label)
        await self._remember(owner, axis, made)
        return made

    async def _data(self, owner: Owner, axis: Axis) -> tuple[list[str], Vector, Vector]:
        ids, vectors = await self._index.vectors_of(owner, axis)
        async with self._database.read() as session:
            tiers = await repository.tiers(session, owner, axis)
        # A vector without its row is of an experience that is still being stored.
        rows = [row for row, entry_id in enumerate(ids) if entry_id in tiers]
        kept = [ids[row] for row in rows]
        weights = np.array([Tier(tiers[entry_id]).weight for entry_id in kept], dtype=np.float32)
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
