"""How well a library finds what people judged relevant, in nDCG@10.

Takes folders with the usual three files, `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`:
`python -m bench.retrieval FOLDER …`; without, the sets beside the project, if they are there. Every
set goes through the library itself, with the one setting that it ships with.
"""

import asyncio
import json
import math
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.library_ingest import met, opened
from bottega.core.search.hybrid import SearchType
from bottega.core.services import Core
from bottega.library.documents.service import Libraries
from bottega.library.documents.tables import Library
from bottega.library.ingest.repository import IncomingDocument
from bottega.library.ingest.store import DocumentStore
from bottega.library.parsers.document import Document, Format, Kind, Paragraph, Unit
from bottega.library.search.service import LibrarySearch

SETS = Path(__file__).parents[2] / "shared" / "data" / "retrieval"
#: Hybrid search is to be no worse than these, which the sets' README gives.
FIGURES = {"cranfield": 0.43, "cosqa": 0.61}
CUT = 10
BATCH = 2_000


@dataclass(frozen=True)
class JudgedSet:
    #: Title and text, by id.
    corpus: Mapping[str, tuple[str, str]]
    queries: Mapping[str, str]
    #: By query, then by document.
    judgements: Mapping[str, Mapping[str, int]]

    @classmethod
    def read(cls, folder: Path) -> "JudgedSet":
        return cls(
            {
                each["_id"]: (each.get("title") or "", each["text"])
                for each in _lines(folder, "corpus")
            },
            {each["_id"]: each["text"] for each in _lines(folder, "queries")},
            _judgements(folder),
        )

    def document(self, ids: Sequence[str]) -> Document:
        """Some of the corpus as a document, each text a paragraph below its title."""
        paragraphs = [
            Paragraph(_ref(each), self.corpus[each][1], (self.corpus[each][0],), None, place, place)
            for place, each in enumerate(ids)
        ]
        nothing: Mapping[str, str] = {}
        return Document(
            *("corpus", "", Kind.STANDARD, Format.TEXT, None, None, nothing, Unit.BLOCK),
            *(tuple(paragraphs), (), nothing, ()),
        )


def _lines(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    with (folder / f"{name}.jsonl").open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def _judgements(folder: Path) -> dict[str, dict[str, int]]:
    """`query document relevance`, with or without a header, or TREC's four columns."""
    judgements: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, *_, document, relevance = line.split("\t")
        if relevance.lstrip("-").isdigit():
            judgements[query][document] = int(relevance)
    return judgements


def _ref(id: str) -> str:
    # Not a reference that a query could hold by chance.
    return f"text › {id}"


async def main(folders: Sequence[Path] = ()) -> None:
    chosen = folders or sorted(path.parent for path in SETS.glob("*/corpus.jsonl"))
    if not chosen:
        Console().print("No retrieval sets beside the project: name folders that hold some.")
        return
    table = Table(
        *("set", "texts", "keyword", "vectors, static", "hybrid, static"),
        *("vectors", "hybrid", "to reach", "", "ms a query", "texts read/s"),
    )
    table.title = f"nDCG@{CUT}: hybrid is to be no worse than its better half"
    for folder in chosen:
        with tempfile.TemporaryDirectory() as data:
            async with opened(Path(data)) as core:
                await measure(core, folder, table)
    Console().print(table)


async def measure(core: Core, folder: Path, table: Table) -> None:
    judged = JudgedSet.read(folder)
    library = await filled(core, judged)
    search = LibrarySearch(core)
    static = [
        await score(search, library, judged, half)
        for half in (SearchType.KEYWORD, SearchType.VECTOR, SearchType.HYBRID)
    ]
    rate = await refined(core, library, len(judged.corpus))
    vector = await score(search, library, judged, SearchType.VECTOR)
    began = time.perf_counter()
    hybrid = await score(search, library, judged, SearchType.HYBRID)
    took = (time.perf_counter() - began) / len(judged.judgements) * 1e3
    least = max(static[0], vector, FIGURES.get(folder.name, 0.0))
    table.add_row(
        folder.name,
        f"{len(judged.corpus):,}",
        *(f"{each:.3f}" for each in (*static, vector, hybrid)),
        f"≥ {least:.3f}",
        # As the figures are given: to three places.
        met(round(hybrid, 3) >= round(least, 3)),
        f"{took:.1f}",
        f"{rate:.0f}",
    )


async def refined(core: Core, library: Library, texts: int) -> float:
    """Wait until every text has its finer vector; how many were read a second."""
    assert core.refiner is not None
    began = time.perf_counter()
    await core.refiner.start()
    index = Libraries(core).indexes.vectors(library.id)
    while not (await index.finest()).is_fine:
        await asyncio.sleep(0.1)
    await core.refiner.stop()
    return texts / (time.perf_counter() - began)


async def filled(core: Core, judged: JudgedSet) -> Library:
    libraries = Libraries(core)
    library = await libraries.create("bench")
    store = DocumentStore(core, libraries.indexes)
    ids = list(judged.corpus)
    for start in range(0, len(ids), BATCH):
        document = judged.document(ids[start : start + BATCH])
        await store.put(library.id, [IncomingDocument(f"{start}.txt", str(start), 0, document)], {})
    return await libraries.get("bench")


async def score(
    search: LibrarySearch, library: Library, judged: JudgedSet, search_type: SearchType
) -> float:
    return statistics.mean(await gains(search, library, judged, search_type))


async def gains(
    search: LibrarySearch, library: Library, judged: JudgedSet, search_type: SearchType
) -> list[float]:
    """Of each query."""
    found = []
    for query_id, relevant in judged.judgements.items():
        results = await search.search(
            library, judged.queries[query_id], max_results=CUT, search_type=search_type
        )
        ids = [hit.paragraph.ref.removeprefix("text › ") for hit in results.hits]
        ideal = discounted(sorted(relevant.values(), reverse=True)[:CUT])
        found.append(discounted([relevant.get(each, 0) for each in ids]) / ideal if ideal else 0.0)
    return found


def discounted(relevance: Sequence[int]) -> float:
    return sum(max(grade, 0) / math.log2(place + 2) for place, grade in enumerate(relevance))


if __name__ == "__main__":
    asyncio.run(main([Path(name) for name in sys.argv[1:]]))
