"""Two manuals of others, with questions and claims by an author who had only the manuals.

For each manual 120 questions (60 it answers, 35 near ones that it does not, 25 from elsewhere) and
160 claims, 60 of them true, each with the heading of the section that it cites. Half of them is to
tune on; the other half is to report on, and is scored at most five times: `SCORED` counts.

Ours stands beside plain full-text search and word overlap in the same run. `python -m
bench.manuals` tells of the half to tune on, with `--report` of the other.
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench._intervals import area_under_curve, balanced_accuracy, interval
from bench.library_ingest import opened
from bench.retrieval import refined
from bottega.core.readers.choice import answer_reader, claim_reader
from bottega.core.search.hybrid import SearchType
from bottega.core.text.words import STOP_WORDS, stem, words
from bottega.library.documents.service import Libraries
from bottega.library.ingest.repository import IncomingDocument
from bottega.library.ingest.store import DocumentStore
from bottega.library.parsers.document import Paragraph
from bottega.library.parsers.reader import read_document
from bottega.library.search.answerability import passage_text
from bottega.library.search.service import LibrarySearch
from bottega.library.verify.citations import CitedPart
from bottega.library.verify.claims import judge_claims
from bottega.library.verify.verdicts import Verdict

HERE = Path(__file__).parent
DOC = Path("/usr/share/doc")
#: How often the half that is reported on has been looked at.
SCORED = 1
CHAPTERS = (*(f"chapter{number}" for number in (1, 2, 3, 4, 5, 6, 7, 9, 10)), "dnssec-guide")
MANUALS = {
    "mutt": [DOC / "mutt" / "html" / "manual.html"],
    "bind": [DOC / "bind9-doc" / "arm" / f"{page}.html" for page in CHAPTERS],
}
#: Its long reference is no part of what the questions are about.
LEFT_OUT = {"mutt": "9. Reference"}
#: Passages that the reader reads, and that a person is shown.
READ, SHOWN = 10, 5


@dataclass(frozen=True, slots=True)
class Manual:
    name: str
    paragraphs: Sequence[Paragraph]

    @classmethod
    def read(cls, name: str) -> "Manual":
        found = [
            paragraph
            for file in MANUALS[name]
            for paragraph in read_document(file.read_bytes(), file.name).paragraphs
        ]
        return cls(name, found)

    def section(self, heading: str, evidence: str) -> list[Paragraph]:
        """Every paragraph of the section; of two that are called alike the one with the words."""
        same = [each for each in self.paragraphs if _is_called(each, heading)]
        holding = [each.headings for each in same if _squeezed(evidence) in _squeezed(each.text)]
        return [each for each in same if not holding or each.headings == holding[0]]


def is_installed() -> bool:
    return all(file.exists() for files in MANUALS.values() for file in files)


def rows(name: str, half: str) -> Iterator[dict[str, Any]]:
    for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["half"] == half:
            yield row


def _is_called(paragraph: Paragraph, heading: str) -> bool:
    wanted = _squeezed(heading)
    return any(wanted == re.sub(r"^[\d.]*", "", _squeezed(each)) for each in paragraph.headings)


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9$.]+", "", text.lower())


@dataclass(frozen=True, slots=True)
class ClaimFigures:
    truth: NDArray[np.bool_]
    said: NDArray[np.bool_]
    likely: NDArray[np.float64]
    is_open: NDArray[np.bool_]
    kinds: Sequence[str]
    #: The share of a claim's words that the section has.
    overlap: NDArray[np.float64]

    @property
    def accuracy(self) -> float:
        return balanced_accuracy(self.truth, self.said)


async def claims(half: str) -> ClaimFigures:
    truth, asked, kinds, overlap = [], [], [], []
    for name in MANUALS:
        manual = Manual.read(name)
        for row in rows(f"{name}_claims", half):
            section = manual.section(row["heading"], row["evidence"])
            truth.append(row["label"] == "supported")
            kinds.append(row["kind"])
            asked.append((row["claim"], [CitedPart(p.ref, p.ref, p.text) for p in section]))
            overlap.append(_overlap(row["claim"], " ".join(p.text for p in section)))
    said = await judge_claims(claim_reader(), asked, {})
    return ClaimFigures(
        np.array(truth),
        np.array([each.supports_claim for each in said]),
        np.array([each.score for each in said]),
        np.array([each.verdict is Verdict.UNDECIDED for each in said]),
        kinds,
        np.array(overlap),
    )


def _overlap(claim: str, text: str) -> float:
    wanted = {stem(word) for word in words(claim) if word not in STOP_WORDS}
    return len(wanted & {stem(word) for word in words(text)}) / max(1, len(wanted))


@dataclass(frozen=True, slots=True)
class Answered:
    label: str
    #: At which place the right section comes: by keywords, by hybrid search, and read again.
    keywords: int | None
    hybrid: int | None
    read: int | None
    #: The likeliest passage's chance, and the best share of the question's words.
    chance: float
    overlap: float


async def answers(half: str) -> list[Answered]:
    found = []
    for name in MANUALS:
        manual = Manual.read(name)
        with tempfile.TemporaryDirectory() as folder:
            async with opened(Path(folder)) as core:
                libraries = Libraries(core)
                library = await libraries.create("bench")
                store = DocumentStore(core, libraries.indexes)
                for file in MANUALS[name]:
                    document = read_document(file.read_bytes(), file.name)
                    await store.put(
                        library.id, [IncomingDocument(file.name, file.name, 0, document)], {}
                    )
                library = await libraries.get("bench")
                await refined(core, library, len(manual.paragraphs))
                search = LibrarySearch(core)
                found += [
                    await _answer(search, library, row) for row in rows(f"{name}_questions", half)
                ]
    return found


async def _answer(search: LibrarySearch, library: Any, row: dict[str, Any]) -> Answered:
    async def hits(kind: SearchType) -> list[Any]:
        results = await search.search(library, row["question"], max_results=READ, search_type=kind)
        return [hit.paragraph for hit in results.hits]

    by_words, both = await hits(SearchType.KEYWORD), await hits(SearchType.HYBRID)
    texts = [passage_text(each) for each in both]
    readings = await answer_reader().read(row["question"], texts)
    order = sorted(range(len(both)), key=lambda place: -readings[place].probability)
    return Answered(
        row["label"],
        _place(by_words, row),
        _place(both, row),
        _place([both[place] for place in order], row),
        max((each.probability for each in readings), default=0.0),
        max((_overlap(row["question"], text) for text in texts), default=0.0),
    )


def _place(paragraphs: Sequence[Any], row: dict[str, Any]) -> int | None:
    """Counting sections once: a person who is shown one sees all of it."""
    seen: list[tuple[str, ...]] = []
    for each in paragraphs:
        if tuple(each.headings) not in seen:
            seen.append(tuple(each.headings))
        if any(_is_called(each, heading) for heading in row["headings"]):
            return len(seen)
    return None


async def main() -> None:
    parser = argparse.ArgumentParser(prog="bench manuals")
    parser.add_argument("--report", action="store_true", help="the half that is reported on")
    half = "report" if parser.parse_args().report else "tune"
    if not is_installed():
        print("skipped: apt-get install mutt bind9-doc")
        return
    console = Console()
    show_claims(console, await claims(half))
    show_answers(console, await answers(half))


def show_claims(console: Console, found: ClaimFigures) -> None:
    table = Table("claims", "figure", "95 %", title="A cited section says what is claimed")
    low, high = interval(found.truth, found.said)
    table.add_row("balanced accuracy", f"{found.accuracy:.3f}", f"{low:.2f}–{high:.2f}")
    low, high = interval(found.truth, found.likely, area_under_curve)
    auc = area_under_curve(found.truth, found.likely)
    table.add_row("AUC", f"{auc:.3f}", f"{low:.2f}–{high:.2f}")
    plain = area_under_curve(found.truth, found.overlap)
    table.add_row("AUC of word overlap", f"{plain:.3f}", "")
    best = max(
        balanced_accuracy(found.truth, found.overlap >= bound) for bound in np.linspace(0, 1, 41)
    )
    table.add_row("balanced accuracy of word overlap, best bound", f"{best:.3f}", "")
    table.add_row("true ones recognised", _of(found.said[found.truth]), "")
    table.add_row("false ones refused", _of(~found.said[~found.truth]), "")
    for kind in dict.fromkeys(found.kinds):
        are = np.array([each == kind for each in found.kinds])
        table.add_row(f"  {kind}", _of((found.said == found.truth)[are]), "")
    table.add_row("undecided", _of(found.is_open), "")
    sure = ~found.is_open
    table.add_row("right of the decided", _of((found.said == found.truth)[sure]), "")
    console.print(table)


def show_answers(console: Console, found: Sequence[Answered]) -> None:
    table = Table("questions", "keywords", "hybrid", "read again", title="The right section")
    wanted = [each for each in found if each.label == "answerable"]
    for name, most in (("first", 1), ("in five", SHOWN)):
        columns = (
            [e.keywords for e in wanted],
            [e.hybrid for e in wanted],
            [e.read for e in wanted],
        )
        table.add_row(
            name, *(_of(np.array([bool(p and p <= most) for p in places])) for places in columns)
        )
    console.print(table)
    table = Table("answerable or not", "AUC", "95 %", "AUC of word overlap")
    for label in ("near", "far"):
        some = [each for each in found if each.label in ("answerable", label)]
        truth = np.array([each.label == "answerable" for each in some])
        chance = np.array([each.chance for each in some])
        low, high = interval(truth, chance, area_under_curve)
        plain = area_under_curve(truth, np.array([each.overlap for each in some]))
        auc = area_under_curve(truth, chance)
        table.add_row(label, f"{auc:.3f}", f"{low:.2f}–{high:.2f}", f"{plain:.3f}")
    console.print(table)


def _of(held: NDArray[np.bool_]) -> str:
    return f"{int(held.sum())} of {len(held)}"


if __name__ == "__main__":
    asyncio.run(main())
