"""One collection in memory: the rows of a float32 array that doubles when it is full."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bottega.core.vectors.columns import Columns
from bottega.core.vectors.store import Metadata, Vector
from bottega.core.vectors.where import Condition

#: Below this share of rows that pass a filter, scoring only those is faster than scoring all.
GATHER_SHARE = 0.25
BLOCK = 128

Places = NDArray[np.intp]


class Matrix:
    def __init__(self, collection_id: int, dimension: int, capacity: int = 0) -> None:
        self.collection_id = collection_id
        self.dimension = dimension
        #: The last revision of the collection that is in here.
        self.revision = 0
        #: When it was last as new as the database, by the monotonic clock.
        self.compared_at = 0.0
        self._array: Vector = np.empty((max(capacity, 16), dimension), dtype=np.float32)
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._columns = Columns()

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> Sequence[str]:
        return self._ids

    def put(self, ids: Sequence[str], vectors: Vector, metadata: Sequence[Metadata]) -> None:
        rows = [self._row(item_id) for item_id in ids]
        self._reach(len(self._ids))
        self._array[rows] = vectors
        for row, details in zip(rows, metadata, strict=True):
            self._columns.put(row, details)

    def remove(self, ids: Sequence[str]) -> None:
        for item_id in ids:
            row = self._row_of.pop(item_id, None)
            if row is None:
                continue
            last = len(self._ids) - 1
            moved = self._ids.pop()
            self._columns.move(last, row)
            if row != last:
                self._array[row] = self._array[last]
                self._ids[row] = moved
                self._row_of[moved] = row

    def matching(self, condition: Condition) -> list[str]:
        mask = self._columns.mask(condition, len(self))
        return [self._ids[row] for row in np.flatnonzero(mask)]

    def nearest(
        self, vector: Vector, limit: int, condition: Condition | None
    ) -> list[tuple[str, float]]:
        """Ids and cosines of the nearest rows, nearest first: exact, every row is looked at."""
        count = len(self)
        if condition is None:
            return self._best(self._array[:count] @ vector, None, limit)
        mask = self._columns.mask(condition, count)
        rows = np.flatnonzero(mask)
        if len(rows) < GATHER_SHARE * count:
            return self._best(self._array[rows] @ vector, rows, limit)
        scores = self._array[:count] @ vector
        scores[~mask] = -np.inf
        return self._best(scores, None, min(limit, len(rows)))

    def cosines(self, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        """Of those of the ids that are here."""
        rows = {item_id: self._row_of[item_id] for item_id in ids if item_id in self._row_of}
        return dict(zip(rows, (self._array[list(rows.values())] @ vector).tolist(), strict=True))

    def _best(self, scores: Vector, rows: Places | None, limit: int) -> list[tuple[str, float]]:
        if limit <= 0:
            return []
        places = _contenders(scores, limit)
        places = places[np.argsort(-scores[places], kind="stable")][:limit]
        return [
            (self._ids[place if rows is None else rows[place]], float(scores[place]))
            for place in places
        ]

    def _row(self, id: str) -> int:
        row = self._row_of.setdefault(id, len(self._ids))
        if row == len(self._ids):
            self._ids.append(id)
        return row

    def _reach(self, rows: int) -> None:
        if rows > len(self._array):
            grown = np.empty((max(rows, 2 * len(self._array)), self.dimension), dtype=np.float32)
            # Rows added since the array was last big enough have no vector yet.
            grown[: len(self._array)] = self._array
            self._array = grown


def _contenders(scores: Vector, limit: int) -> Places:
    """Places that may be among the best `limit`: few more than that, in a fraction of a sort.

    The best `limit` blocks each hold a score of at least the last one's maximum, so nothing below
    that is among the best.
    """
    blocks = len(scores) // BLOCK
    if blocks > limit:
        return _at_least(scores, scores[: blocks * BLOCK].reshape(blocks, BLOCK).max(axis=1), limit)
    return _at_least(scores, scores, limit) if len(scores) > limit else np.arange(len(scores))


def _at_least(scores: Vector, among: Vector, limit: int) -> Places:
    """Places of the scores that are no lower than the lowest of the best `limit` of some."""
    last = len(among) - limit
    return np.flatnonzero(scores >= np.partition(among, last)[last])
