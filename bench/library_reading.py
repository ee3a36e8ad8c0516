"""Markdown into numbered paragraphs, without embeddings; the peer only parses the same text.

The peer is markdown-it-py, which finds blocks and inline marks and knows no references.
"""

import time

from markdown_it import MarkdownIt
from rich.console import Console
from rich.table import Table

from bottega.library.parsers.citations import paragraph_citations
from bottega.library.parsers.reader import read_document

DOCUMENTS = 50
NUMBERED = 100
TARGET = 1_500.0


def standard(own_number: int) -> bytes:
    """A standard as people write them: headings, letters, emphasis, cross-references."""
    lines = ["---", f"number: {own_number}", "title: Moorings", "---", "# Moorings", ""]
    for number in range(1, NUMBERED + 1):
        if number % 10 == 1:
            lines += [f"## Berths of quay {number // 10}", ""]
        lines += [
            f"{number}. The harbour master **shall** inspect each berth of the quay at "
            f"least every {number % 28 + 1} days (see paragraph {number % 90 + 1}(a)) and shall:",
            "",
            "    (a) record the date, the weather and the state of every line and fender;",
            "",
            "    (b) tell the owner of a vessel in writing what has to be mended, and by when; and",
            "",
            "    (c) close a berth that is not safe, as [set out](#berths-of-quay-1) above.",
            "",
        ]
    return "\n".join(lines).encode()


def main() -> None:
    files = [standard(100 + number) for number in range(DOCUMENTS)]
    began = time.perf_counter()
    documents = [read_document(data, "moorings.md") for data in files]
    reading = time.perf_counter() - began
    began = time.perf_counter()
    cited = sum(
        len(paragraph_citations(paragraph, document))
        for document in documents
        for paragraph in document.paragraphs
    )
    citing = time.perf_counter() - began
    began = time.perf_counter()
    for data in files:
        MarkdownIt().parse(data.decode())
    parsing = time.perf_counter() - began

    count = sum(len(document.paragraphs) for document in documents)
    assert count == DOCUMENTS * NUMBERED * 4
    rate = count / (reading + citing)
    table = Table(title=f"{count:,} paragraphs, {sum(map(len, files)) / 1e6:.1f} MB of markdown")
    for column in ("", "s", "paragraphs/s"):
        table.add_column(column, justify="right" if column else "left")
    table.add_row("read_document", f"{reading:.2f}", f"{count / reading:,.0f}")
    table.add_row(f"citations ({cited:,})", f"{citing:.2f}", f"{count / citing:,.0f}")
    table.add_row("both", f"{reading + citing:.2f}", f"{rate:,.0f}")
    table.add_row("markdown-it-py, parse only", f"{parsing:.2f}", f"{count / parsing:,.0f}")
    console = Console()
    console.print(table)
    verdict = "holds" if rate >= TARGET else "MISSED"
    console.print(
        f"target ≥ {TARGET:,.0f} paragraphs/s with embeddings still to come: {verdict}; "
        f"reading takes {reading / parsing:.2f} × the peer's time"
    )


if __name__ == "__main__":
    main()
