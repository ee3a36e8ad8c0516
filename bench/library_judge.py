"""How often the judge of citations is right on the labelled sets, offline, and how long it takes:
the reader with its guards, and "always no". Balanced accuracy, with a 95 % interval by resampling.

The blind sets are by authors who had only the documents; of those and of the held-out sets only
totals are looked at, and nothing is tuned on them. Undecided claims count as they lean, which is
what a library without a model answers; the last columns say how many a model would be asked about,
and how often the others are right.

One table is about the sets themselves: whoever writes a false claim changes a word of the text, and
whoever writes a true one rewords all of it. So how much of a claim is copied tells true from false
in every set, and in no library. A judge must not learn that: its figures would rise, and it would
doubt those who quote.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import mean

import numpy as np
from rich.console import Console
from rich.table import Table

from bench._intervals import balanced_accuracy, interval
from bottega.core.readers.choice import claim_reader
from bottega.core.readers.claim_reader import ClaimReader
from bottega.core.text.words import words
from bottega.library.verify.contradictions import find_contradictions
from bottega.library.verify.verdicts import Verdict
from tests.library.rules import labelled
from tests.library.rules.labelled import Claim, Judged

#: Learned from; written by the same hands; and by authors who did not know the judge.
TUNED = ("claims_tuning", "claims_foreign_tuning", "claims_foreign_fresh")
HELD_OUT = ("claims_held_out", "claims_foreign_held_out", "claims_foreign_held_out_2")
BLIND = ("claims_foreign_blind", "claims_foreign_blind_2")


@dataclass(frozen=True, slots=True)
class Scored:
    truth: list[bool]
    said: list[bool]
    is_open: list[bool]
    numbers: list[bool]

    @classmethod
    def of(cls, judged: Sequence[Judged]) -> "Scored":
        return cls(
            [each.claim.label is Verdict.SUPPORTED for each in judged],
            [each.supported for each in judged],
            [each.verdict is Verdict.UNDECIDED for each in judged],
            [each.claim.kind == "number" and not each.supported for each in judged],
        )


async def main() -> None:
    console = Console()
    reader = claim_reader()
    table = Table(
        "set", "claims", "by", "balanced", "95 %", "true", "false", "numbers", "unsure", "sure"
    )
    for name in (*TUNED, *HELD_OUT, *BLIND):
        claims = labelled.claims(name)
        if reason := labelled.unreadable(claims):
            console.print(f"left out: {name}, {reason}")
            continue
        _add_always_no(table, name, claims)
        _add(table, name, await labelled.judge_all(claims, reader))
    console.print(table, _copying(), _contradictions(), await _speed(reader))


def _add(table: Table, name: str, judged: Sequence[Judged]) -> None:
    scored = Scored.of(judged)
    truth, said = np.array(scored.truth), np.array(scored.said)
    low, high = interval(truth, said)
    is_sure = ~np.array(scored.is_open)
    numbers = [each for each in judged if each.claim.kind == "number"]
    table.add_row(
        name,
        str(len(judged)),
        "reader",
        f"{balanced_accuracy(truth, said):.3f}",
        f"{low:.2f}–{high:.2f}",
        f"{said[truth].mean():.2f}",
        f"{(~said[~truth]).mean():.2f}",
        f"{sum(not each.supported for each in numbers)} of {len(numbers)}",
        f"{1 - is_sure.mean():.2f}",
        f"{(said == truth)[is_sure].mean():.3f}",
    )


def _add_always_no(table: Table, name: str, claims: Sequence[Claim]) -> None:
    table.add_row(name, str(len(claims)), "always no", "0.500", "", "0.00", "1.00", "", "", "")


def _copying() -> Table:
    copying = Table("set", "longest copied part of true claims", "of false claims")
    for name in (*TUNED, *HELD_OUT, *BLIND):
        claims = labelled.claims(name)
        if not labelled.unreadable(claims):
            copying.add_row(name, *_copied(claims))
    return copying


def _copied(claims: Sequence[Claim]) -> tuple[str, str]:
    """The longest run of words that stands in the paragraph, as a share of the claim."""
    shares: dict[bool, list[float]] = {True: [], False: []}
    for claim in claims:
        text = labelled.texts_of(claim).paragraphs.get(claim.ref)
        if text is None or claim.kind == "verbatim":
            continue
        mine, theirs = words(claim.claim), words(text)
        longest = SequenceMatcher(None, mine, theirs, autojunk=False).find_longest_match()
        shares[claim.label is Verdict.SUPPORTED].append(longest.size / max(1, len(mine)))
    return f"{mean(shares[True] or [0]):.2f}", f"{mean(shares[False] or [0]):.2f}"


def _contradictions() -> Table:
    table = Table("contradictions", "pairs", "precision", "recall")
    for name in ("contradictions_tuning", "contradictions_held_out"):
        pairs = labelled.rows(name)
        found = [bool(find_contradictions({"a": p["a"], "b": p["b"]}).details) for p in pairs]
        right = sum(said and pair["label"] for said, pair in zip(found, pairs, strict=True))
        precision = right / max(1, sum(found))
        recall = right / sum(pair["label"] for pair in pairs)
        table.add_row(name, str(len(pairs)), f"{precision:.2f}", f"{recall:.2f}")
    return table


async def _speed(reader: ClaimReader) -> Table:
    table = Table("50 claims", "seconds of one core")
    claims = labelled.claims("claims_tuning")[:50]
    await labelled.judge_all(claims[:1], reader)
    start = time.process_time()
    await labelled.judge_all(claims, reader)
    table.add_row("reader", f"{time.process_time() - start:.2f}")
    return table


if __name__ == "__main__":
    asyncio.run(main())
