"""Where vectors are kept: embedded in the database, pgvector, or a Chroma server.

Distances are cosine distances (0 the same, 2 opposite). Vectors are brought to unit length when
they come in, so that cosine is a dot product everywhere; the zero vector is at distance 1 of all.
Filters are the small language that all three share (`filters.py`).
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bottega.core.readers.embedder import Vector, unit
from bottega.core.search.filters import Metadata, Where
from bottega.errors import InvalidInput

#: What Chroma accepts; the other stores hold to it, so that collections can move between them.
COLLECTION_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]")


@dataclass(frozen=True, slots=True, eq=False)
class VectorItem:
    id: str
    vector: Vector
    document: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class VectorHit:
    id: str
    #: Lower is nearer.
    distance: float


@dataclass(frozen=True, slots=True)
class Collection:
    name: str
    dimension: int
    #: Which embedder made its vectors; vectors of two embedders are never mixed.
    embedder: str
    count: int


class VectorStore(Protocol):
    """Every method on a collection raises `NotFound` if there is none of that name."""

    #: `embedded`, `pgvector` or `chroma`.
    kind: str

    @property
    def available(self) -> bool:
        """Whether it answered last time."""
        ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def ensure_collection(self, name: str, *, dimension: int, embedder: str) -> None:
        """Make it if absent; `Conflict` if it has another dimension or embedder."""
        ...

    async def collection(self, name: str) -> Collection | None: ...

    async def drop_collection(self, name: str) -> None:
        """Remove it and its items; one that is absent is no error."""
        ...

    async def rename_collection(self, name: str, to: str) -> None:
        """Give it another name, in the place of the collection that had it."""
        ...

    async def upsert(self, collection: str, items: Sequence[VectorItem]) -> None:
        """Add items; one with a known id is replaced whole, its metadata too."""
        ...

    async def query(
        self, collection: str, vector: Vector, *, limit: int = 10, where: Where | None = None
    ) -> list[VectorHit]:
        """The nearest `limit` items, nearest first."""
        ...

    async def similarities(
        self, collection: str, vector: Vector, ids: Sequence[str]
    ) -> Mapping[str, float]:
        """The cosine of each of these items, of those that exist, to the vector."""
        ...

    async def get(self, collection: str, ids: Sequence[str]) -> list[VectorItem]:
        """The items that exist, in the order asked."""
        ...

    async def scroll(
        self,
        collection: str,
        *,
        after: str | None = None,
        limit: int = 100,
        where: Where | None = None,
    ) -> list[VectorItem]:
        """Items in order of id, from the one after `after`."""
        ...

    async def delete(
        self, collection: str, *, ids: Sequence[str] | None = None, where: Where | None = None
    ) -> None:
        """Remove the items of these ids, or those that match, or, given both, that are both."""
        ...

    async def count(self, collection: str) -> int: ...


def check_name(name: str) -> None:
    if not COLLECTION_NAME.fullmatch(name) or ".." in name:
        raise InvalidInput(
            f"A collection cannot be called {name!r}. Use 3 to 512 of a-z, A-Z, 0-9, '.', '_' and "
            "'-', beginning and ending with a letter or digit, without '..'."
        )


def check_deletion(ids: Sequence[str] | None, where: Where | None) -> None:
    if ids is None and not where:
        raise InvalidInput("Say which items to delete: `ids`, `where` or both.")


def check_vector(collection: str, vector: NDArray[Any], dimension: int) -> Vector:
    """The vector at unit length, or `InvalidInput` if it does not fit the collection."""
    if vector.shape != (dimension,):
        raise InvalidInput(
            f"The collection {collection!r} holds vectors of {dimension} dimensions; this one has "
            f"the shape {vector.shape}. Use the embedder that filled it, or re-embed it."
        )
    if not np.isfinite(vector).all():
        raise InvalidInput(f"A vector for {collection!r} has a value that is no finite number.")
    return unit(vector)


def check_items(
    collection: str, items: Sequence[VectorItem], dimension: int
) -> tuple[list[VectorItem], Vector]:
    """The items, the last of each id, with their vectors as rows of unit length."""
    unique = list({item.id: item for item in items}.values())
    for item in unique:
        check_metadata(item.id, item.metadata)
        if item.vector.shape != (dimension,):
            check_vector(collection, item.vector, dimension)
    rows = np.empty((len(unique), dimension), dtype=np.float32)
    for row, item in zip(rows, unique, strict=True):
        row[:] = item.vector
    if not np.isfinite(rows).all():
        raise InvalidInput(f"A vector for {collection!r} has a value that is no finite number.")
    return unique, unit(rows)


def check_metadata(id: str, metadata: Metadata) -> None:
    if not id:
        raise InvalidInput("An item needs an id that is not empty.")
    for key, value in metadata.items():
        if not isinstance(value, str | int | float | bool) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            raise InvalidInput(
                f"The metadata {key!r} of {id!r} is {value!r}. Use text, a finite number or a "
                "boolean; leave a missing one out."
            )
