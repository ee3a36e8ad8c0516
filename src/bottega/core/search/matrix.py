"""One collection in memory: the rows of a float32 array that doubles when it is full.

Metadata is kept by key, which makes a filter over 100,000 items a matter of microseconds: each key
is a column of small codes, one a row, into the list of its distinct values; code 0 is "absent". A
comparison is decided once per distinct value and then looked up for every row.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bottega.core.readers.embedder import Vector
from bottega.core.search.filters import Comparison, Condition, Group, Metadata, Scalar

Mask = NDArray[np.bool_]
#: Values that no row has any more are dropped when they outnumber the rows by this much.
SLACK = 1_000


#: Below this share of rows that pass a filter, scoring only those is faster than scoring all.
GATHER_SHARE = 0.25
BLOCK = 128

Places = NDArray[np.intp]


class Columns:
    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}

    def put(self, row: int, metadata: Metadata) -> None:
        for key, column in self._columns.items():
            if key not in metadata:
                column.clear(row)
        for key, value in metadata.items():
            if key not in self._columns:
                self._columns[key] = _Column()
            self._columns[key].put(row, value)

    def move(self, source: int, target: int) -> None:
        """Put the last row in the place of one that goes."""
        for column in self._columns.values():
            column.move(source, target)

    def mask(self, condition: Condition, rows: int) -> Mask:
        """Which of the first `rows` rows meet the condition."""
        if isinstance(condition, Group):
            join = np.logical_and if condition.all else np.logical_or
            masks = [self.mask(part, rows) for part in condition.parts]
            return np.asarray(join.reduce(masks), dtype=np.bool_)
        column = self._columns.get(condition.key)
        if column is None:
            return np.full(rows, condition.is_negated)
        return column.mask(condition, rows)


class _Column:
    def __init__(self) -> None:
        self._codes = np.zeros(16, dtype=np.int32)
        self._values: list[Scalar | None] = [None]
        self._code_of: dict[tuple[bool, Scalar], int] = {}

    def put(self, row: int, value: Scalar) -> None:
        self._reach(row + 1)
        key = (isinstance(value, bool), value)
        code = self._code_of.get(key)
        if code is None:
            code = self._code_of[key] = len(self._values)
            self._values.append(value)
        self._codes[row] = code
        if len(self._values) > 2 * len(self._codes) + SLACK:
            self._drop_unused()

    def clear(self, row: int) -> None:
        if row < len(self._codes):
            self._codes[row] = 0

    def move(self, source: int, target: int) -> None:
        self._reach(max(source, target) + 1)
        self._codes[target] = self._codes[source]
        self._codes[source] = 0

    def mask(self, comparison: Comparison, rows: int) -> Mask:
        self._reach(rows)
        # For each distinct value, absence first, whether it passes.
        verdicts = np.full(len(self._values), comparison.is_negated)
        for value in comparison.values:
            code = self._code_of.get((isinstance(value, bool), value))
            if code is not None:
                verdicts[code] = not comparison.is_negated
        passing: Mask = verdicts[self._codes[:rows]]
        return passing

    def _reach(self, rows: int) -> None:
        if rows > len(self._codes):
            grown = np.zeros(max(rows, 2 * len(self._codes)), dtype=np.int32)
            grown[: len(self._codes)] = self._codes
            self._codes = grown

    def _drop_unused(self) -> None:
        used, codes = np.unique(np.append(self._codes, 0), return_inverse=True)
        self._codes = codes[:-1].astype(np.int32)
        self._values = [self._values[code] for code in used]
        self._code_of = {
            (isinstance(value, bool), value): code
            for code, value in enumerate(self._values)
            if value is not None
        }


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
