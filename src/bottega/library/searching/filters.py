"""Which documents a search is held to."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bottega.core.vectors.store import Where
from bottega.errors import InvalidInput
from bottega.library.filling.sources import UPLOADED
from bottega.library.reading.document import Kind
from bottega.library.tables import LibraryDocument


@dataclass(frozen=True, slots=True)
class SearchFilter:
    #: By id, number (`315`), path, file name or title; none is all.
    documents: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()

    @classmethod
    def of(cls, given: "SearchFilter | Sequence[str] | str | None") -> "SearchFilter":
        """As doors hand it over: the names of one or more documents will do."""
        if isinstance(given, SearchFilter):
            return given
        return cls((given,) if isinstance(given, str) else tuple(given or ()))


def as_where(filter: SearchFilter, documents: Sequence[LibraryDocument]) -> Where | None:
    """In the language of the indexes; `documents` are those of the library."""
    conditions: list[Where] = []
    if filter.kinds:
        conditions.append({"kind": {"$in": [kind.value for kind in filter.kinds]}})
    if filter.documents:
        ids = [row.id for name in filter.documents for row in _named(name, documents)]
        conditions.append({"document_id": {"$in": list(dict.fromkeys(ids))}})
    if len(conditions) > 1:
        return {"$and": conditions}
    return conditions[0] if conditions else None


def _named(name: str, documents: Sequence[LibraryDocument]) -> list[LibraryDocument]:
    wanted = name.strip().casefold()
    found = [row for row in documents if wanted in _names(row)]
    if not found:
        there = ", ".join(row.prefix or row.path for row in documents[:20]) or "none"
        raise InvalidInput(
            f"There is no document {name!r} to search in. There are: {there}.",
            valid_options=[row.path for row in documents[:20]],
        )
    return found


def _names(row: LibraryDocument) -> set[str]:
    plain = row.path.removeprefix(UPLOADED)
    names = {
        row.id,
        row.path,
        plain,
        PurePosixPath(plain).name,
        PurePosixPath(plain).stem,
        row.title,
    }
    return {each.casefold() for each in (*names, row.prefix or "") if each}
