"""A library of many paragraphs: how fast it comes in, and how fast it is searched.

The documents are the example standards, recombined sentence by sentence into new ones, numbered and
citing each other; embeddings, words, edges and durable steps are all in the measured time.
`python -m bench.library_ingest --large` also fills a library with 200,000 paragraphs.
"""

import asyncio
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from bottega.app import build_core
from bottega.core.search.text_index import words
from bottega.core.services import Core
from bottega.library.documents.service import Libraries
from bottega.library.documents.tables import Library
from bottega.library.graph.service import Graph
from bottega.library.ingest.service import Ingest
from bottega.library.search.service import LibrarySearch
from bottega.settings import Settings

STANDARDS = Path(__file__).parents[1] / "examples" / "standards"
QUESTIONS = Path(__file__).parents[1] / "tests" / "library" / "data" / "questions.jsonl"
PARAGRAPHS_A_SECOND = 1_500
#: Paragraphs in a library, and how long a hybrid search of it may take (p95, in milliseconds).
SMALL, LARGE = (10_000, 15.0), (200_000, 60.0)
A_DOCUMENT = 250
WORD = re.compile(r"[a-z]{4,}")


class Writer:
    """Writes standards without end, out of the sentences of the examples and made-up nouns."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        texts = [path.read_text() for path in sorted(STANDARDS.glob("*.md"))]
        lines = [line for text in texts for line in text.splitlines() if len(line) > 60]
        self._sentences = [re.sub(r"^\s*[\w.()]+\s", "", line) for line in lines]
        self._words = sorted({word for line in lines for word in WORD.findall(line)})
        # A large library has a large vocabulary: most words stand in few of its paragraphs.
        syllables = ["ba", "cor", "den", "fil", "gru", "hol", "kim", "lor", "mas", "net", "pel"]
        self._names = ["".join(chance.choices(syllables, k=4)) for _ in range(20_000)]

    def document(self, number: int) -> str:
        lines = ["---", f"number: {number}", f"title: Rules {number}", "kind: standard", "---", ""]
        for paragraph in range(1, A_DOCUMENT + 1):
            if paragraph % 25 == 1:
                lines += [f"## {self._chance.choice(self._words).capitalize()}", ""]
            lines += [f"{paragraph}. {self._paragraph(number, paragraph)}", ""]
        return "\n".join(lines)

    def _paragraph(self, number: int, paragraph: int) -> str:
        said = self._chance.choices(self._sentences, k=2)
        words = " ".join(said).split()
        for place in range(0, len(words), 6):
            words[place] = self._chance.choice(self._names)
        cites = f" (see paragraph {number}.{paragraph - 1})" if paragraph % 10 == 0 else ""
        return " ".join(words) + cites


async def main() -> None:
    table = Table("library", "measured", "target", "")
    sizes = [SMALL, LARGE] if "--large" in sys.argv else [SMALL]
    for paragraphs, milliseconds in sizes:
        with tempfile.TemporaryDirectory() as folder:
            async with opened(Path(folder)) as core:
                await measure(core, Path(folder, "documents"), paragraphs, milliseconds, table)
    Console().print(table)


async def measure(
    core: Core, folder: Path, paragraphs: int, milliseconds: float, table: Table
) -> None:
    writer = Writer(random.Random(6))
    folder.mkdir()
    for number in range(1_000, 1_000 + paragraphs // A_DOCUMENT):
        (folder / f"{number}.md").write_text(writer.document(number))
    libraries = Libraries(core)
    ingest, search = Ingest(core, libraries), LibrarySearch(core)
    library = await libraries.create("bench")
    began = time.perf_counter()
    report = await ingest.wait(await ingest.folder(library, folder))
    rate = report.paragraphs / (time.perf_counter() - began)
    assert report.paragraphs >= paragraphs, report
    table.add_row(
        f"{report.paragraphs:,} paragraphs in, a second",
        f"{rate:,.0f}",
        f"≥ {PARAGRAPHS_A_SECOND:,}",
        met(rate >= PARAGRAPHS_A_SECOND),
    )
    began = time.perf_counter()
    await ingest.wait(await ingest.folder(library, folder))
    table.add_row("  again, all unchanged", f"{time.perf_counter() - began:.2f} s", "", "")
    library = await libraries.get("bench")
    times = await searches(search, library, questions())
    p95 = p95_of(times)
    table.add_row(
        "  hybrid search, p95",
        f"{p95:.1f} ms",
        f"≤ {milliseconds:.0f} ms",
        met(p95 <= milliseconds),
    )
    table.add_row("  hybrid search, median", f"{statistics.median(times):.1f} ms", "", "")
    plain = await ranked_by_fts5(core, questions())
    table.add_row("  FTS5 alone, ranking all it finds, p95", f"{p95_of(plain):.1f} ms", "", "")
    began = time.perf_counter()
    hops = await Graph(core).hop(library, "1000.10")
    took = (time.perf_counter() - began) * 1e3
    kept = "linked" if hops.linked else "looking around"
    table.add_row(f"  first hop, {kept}", f"{took:,.0f} ms", "", "")


def questions() -> list[str]:
    """What people ask of the example standards."""
    return [json.loads(line)["question"] for line in QUESTIONS.read_text().splitlines()]


async def searches(search: LibrarySearch, library: Library, queries: Sequence[str]) -> list[float]:
    await search.search(library, "the first one reads the vectors in")
    times = []
    for query in queries:
        began = time.perf_counter()
        await search.search(library, query)
        times.append((time.perf_counter() - began) * 1e3)
    return times


async def ranked_by_fts5(core: Core, queries: Sequence[str]) -> list[float]:
    """The peer of the half that searches by words: the same index, asked for the same hundred."""
    times = []
    async with core.database.read() as session:
        number = await session.scalar(text("SELECT max(id) FROM text_collections"))
        ranked = text(
            f"SELECT rowid FROM text_index_{number} WHERE text MATCH :query ORDER BY rank LIMIT 100"
        )
        for query in queries:
            asked = " OR ".join(f'"{word}"' for word in words(query)) or '""'
            began = time.perf_counter()
            (await session.execute(ranked, {"query": asked})).all()
            times.append((time.perf_counter() - began) * 1e3)
    return times


def p95_of(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[18]


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Core]:
    project = folder / "project"
    project.mkdir()
    (folder / "data").mkdir()
    settings = Settings(
        data_dir=folder / "data",
        project_dir=project,
        database_url=None,
        chromadb_url=None,
        bottega_model="offline",
    )
    core = build_core(settings)
    parts = (core.database, core.bus, core.ledger, core.traces, core.vectors)
    for part in parts:
        await part.start()
    try:
        await core.embedder.warm()
        await core.runs.launch()
        yield core
    finally:
        await core.runs.stop()
        for part in reversed(parts):
            await part.stop()


def met(holds: bool) -> str:
    return "[green]met[/green]" if holds else "[red]missed[/red]"


if __name__ == "__main__":
    asyncio.run(main())
