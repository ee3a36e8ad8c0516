"""The judgement register: every place in the product that ranks, accepts, refuses, classifies or
scores, with the data that it was measured on, a plain baseline and our figure.

`make judgements` measures what can be measured here in minutes and writes `docs/judgements.md`. The
places are in `judgements.toml`; what was measured, with its date, in `judgements.json`, so that a
machine without a data set keeps what another one has found.
"""

import json
import tempfile
import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench import retrieval
from bench._intervals import balanced_accuracy, interval, mean_interval
from bench.library_ingest import opened
from bench.library_judge import BLIND
from bottega.core.readers.choice import claim_reader
from bottega.core.readers.logistic import read_file
from bottega.core.search.hybrid import SearchType
from bottega.library.search.service import LibrarySearch
from bottega.library.verify.verdicts import Verdict
from tests.library.rules import labelled

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "judgements.md"
PLACES, MEASURED = HERE / "judgements.toml", HERE / "judgements.json"
NOT_MEASURED = "not measured on foreign data"
HEAD = """\
# What judges is measured

Written by `make judgements`. Mechanics are proven by tests; a judgement, which ranks, accepts,
refuses, classifies or scores, only by figures: on data that nobody here wrote, or that was written
by somebody who had only the source text and the label's definition; beside a plain baseline in the
same run; with a 95 % interval. A place without such data says so.

| what | decides | data | baseline | ours | 95 % | when |
|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Measured:
    baseline: float
    ours: float
    low: float
    high: float
    on: str


async def main() -> None:
    places = tomllib.loads(PLACES.read_text("utf-8"))["places"]
    known: dict[str, Any] = json.loads(MEASURED.read_text("utf-8")) if MEASURED.exists() else {}
    for name, measure in MEASURES.items():
        if (found := await measure()) is not None:
            known[name] = asdict(found)
            print(name, known[name])
    MEASURED.write_text(json.dumps(known, indent=2) + "\n", "utf-8")
    PAGE.write_text(page(places, known), "utf-8")
    print(f"written: {PAGE.relative_to(HERE.parent)}")


def page(places: list[dict[str, str]], known: Mapping[str, Mapping[str, Any]]) -> str:
    return HEAD + "".join(_row(place, known.get(place.get("measure", ""))) for place in places)


def _row(place: Mapping[str, str], measured: Mapping[str, Any] | None) -> str:
    what = f"**{place['name']}**<br>`{place['code']}`"
    data = place.get("data", NOT_MEASURED)
    if measured is None:
        how = f"`{place['command']}`" if "command" in place else "–"
        cells = [what, place["decides"], data, place.get("baseline", "–"), how, "–", "–"]
    else:
        cells = [
            what,
            place["decides"],
            data,
            f"{measured['baseline']:.3f}, {place['baseline']}",
            f"**{measured['ours']:.3f}** {place['figure']}",
            f"{measured['low']:.2f}–{measured['high']:.2f}",
            measured["on"],
        ]
    return f"| {' | '.join(cells)} |\n"


async def search() -> Measured | None:
    """Cranfield, if it lies beside the project."""
    folder = retrieval.SETS / "cranfield"
    if not (folder / "corpus.jsonl").exists():
        return None
    judged = retrieval.JudgedSet.read(folder)
    with tempfile.TemporaryDirectory() as data:
        async with opened(Path(data)) as core:
            library, found = await retrieval.filled(core, judged), LibrarySearch(core)
            by_words = await retrieval.gains(found, library, judged, SearchType.KEYWORD)
            await retrieval.refined(core, library, len(judged.corpus))
            both = np.array(await retrieval.gains(found, library, judged, SearchType.HYBRID))
    low, high = mean_interval(both)
    return Measured(float(np.mean(by_words)), float(both.mean()), low, high, today())


async def claims() -> Measured | None:
    """The blind sets, where the Debian documents that they are about are installed."""
    asked = [claim for name in BLIND for claim in labelled.claims(name)]
    if labelled.unreadable(asked):
        return None
    judged = await labelled.judge_all(asked, claim_reader())
    truth = np.array([each.claim.label is Verdict.SUPPORTED for each in judged])
    said = np.array([each.supported for each in judged])
    low, high = interval(truth, said)
    return Measured(0.5, balanced_accuracy(truth, said), low, high, today())


async def answers() -> Measured | None:
    """As the fit has it, on articles that were left out: the public set is not shipped."""
    fitted = read_file("answer_reader")["fitted"]
    low, high = fitted["interval"]
    return Measured(0.5, fitted["articles_left_out_auc"], low, high, fitted["on"])


def today() -> str:
    return datetime.now(UTC).date().isoformat()


MEASURES: Mapping[str, Callable[[], Awaitable[Measured | None]]] = {
    "search": search,
    "claims": claims,
    "answers": answers,
}
