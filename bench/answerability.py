"""Does `answerable` know what the example standards do not say, and where the answer stands?

The questions were written here, about the example; no weight is fitted on them. Printed beside
"always yes": how often an answerable question is held likelier than one without an answer, how
often nothing fits, and whether the right paragraph is the first, or among the five that are shown;
that beside the plain order of search.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from bench._intervals import area_under_curve, interval
from bottega.core.search_types import Fit
from bottega.library.search.answerability import SHOWN, AnswerabilityJudge
from bottega.library.search.service import LibrarySearch
from tests.app import open_app
from tests.library.builders import put_standards
from tests.library.questions import Asked, questions


@dataclass(frozen=True, slots=True)
class Judged:
    answerable: bool
    domain: str
    confidence: float
    fit: Fit
    #: Whether a right paragraph is first, and among those that are shown; by search alone, too.
    first: bool
    shown: bool
    found_first: bool
    found_shown: bool


async def main() -> None:
    judged = await judge_questions(questions())
    truth = np.array([each.answerable for each in judged])
    likely = np.array([each.confidence for each in judged])
    low, high = interval(truth, likely, area_under_curve)
    console = Console()
    auc = area_under_curve(truth, likely)
    console.print(f"answerable or not, AUC {auc:.3f} ({low:.2f}–{high:.2f}); always yes 0.5")
    table = Table("domain", "questions", *Fit, "right first", "shown", "search: first", "shown")
    for domain in dict.fromkeys(each.domain for each in judged):
        some = [each for each in judged if each.domain == domain]
        fits = [str(sum(each.fit is fit for each in some)) for fit in Fit]
        table.add_row(domain, str(len(some)), *fits, *_places(some))
    console.print(table)


def _places(judged: Sequence[Judged]) -> list[str]:
    counted = (
        sum(each.first for each in judged),
        sum(each.shown for each in judged),
        sum(each.found_first for each in judged),
        sum(each.found_shown for each in judged),
    )
    return list(map(str, counted)) if judged[0].answerable else [""] * 4


async def judge_questions(asked: Sequence[Asked]) -> list[Judged]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_app(Path(folder)) as app:
            library = await put_standards(app)
            judge, search = AnswerabilityJudge(app.core), LibrarySearch(app.core)
            judged = []
            for each in asked:
                said = await judge.answerable(library, each.question)
                hits = (await search.search(library, each.question, max_results=SHOWN)).hits
                refs = [passage.ref for passage in said.passages]
                found = [hit.paragraph.ref for hit in hits]
                judged.append(
                    Judged(
                        each.answerable,
                        each.domain,
                        said.confidence,
                        said.fit,
                        bool(refs) and refs[0] in each.refs,
                        bool(set(refs) & set(each.refs)),
                        bool(found) and found[0] in each.refs,
                        bool(set(found) & set(each.refs)),
                    )
                )
            return judged
