"""The words and vectors by which each library's paragraphs are found."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from bottega.core.search import HybridSearch, Weights
from bottega.core.services import Core
from bottega.core.vectors.index import VectorIndex
from bottega.core.vectors.store import Metadata
from bottega.library.reading.references import ancestors

#: Chosen on the two public sets of `bench/retrieval.py`, and better than the house's 0.8 to 0.2 on
#: the questions about the example standards too, which had no part in the choice.
WEIGHTS = Weights(0.7, 0.3, keyword_curve=0.5)


def collection_of(library_id: str) -> str:
    """The name of a library's collection in the text index and in the vector store."""
    return f"library.{library_id}"


class Worded(Protocol):
    """A paragraph, read or stored."""

    @property
    def ref(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def headings(self) -> Sequence[str]: ...


def indexed_texts(title: str, paragraphs: Iterable[Worded]) -> dict[str, str]:
    """What the paragraphs of a document are found by, by their references.

    Their words, the headings that say what they are about, and of `12(a)` the words of 12 that lead
    to it: "at least 72 hours before" alone is about nothing.
    """
    listed = list(paragraphs)
    texts = {each.ref: each.text for each in listed}
    return {
        each.ref: "\n".join(
            [*dict.fromkeys((title, *each.headings)), *_leads(each.ref, texts), each.text]
        )
        for each in listed
    }


def _leads(ref: str, texts: Mapping[str, str]) -> list[str]:
    above = [each for each in ancestors(ref) if ref.startswith(f"{each}(")] if "(" in ref else []
    return [texts[each] for each in reversed(above) if each in texts]


def index_details(document_id: str, kind: str) -> Metadata:
    """What searches filter by."""
    return {"document_id": document_id, "kind": str(kind)}


class Indexes:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._vectors: dict[str, VectorIndex] = {}

    def vectors(self, library_id: str) -> VectorIndex:
        if library_id not in self._vectors:
            name = collection_of(library_id)
            self._vectors[library_id] = VectorIndex(self._core.vectors, self._core.embedder, name)
        return self._vectors[library_id]

    def hybrid(self, library_id: str) -> HybridSearch:
        index = self.vectors(library_id)
        return HybridSearch(self._core.text_index, index, index.collection, weights=WEIGHTS)

    async def drop_vectors(self, library_id: str) -> None:
        """The words go with the rows, in their transaction; vectors may live elsewhere."""
        self._vectors.pop(library_id, None)
        await self._core.vectors.drop_collection(collection_of(library_id))
