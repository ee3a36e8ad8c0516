"""How often the library's judges are right on the labelled sets, offline, and how long they take.

The held-out sets were written before the tuning, that of foreign claims before its last round, by
the same hand; only their totals were looked at. Undecided claims count as they lean, which is what
a library without a model answers; the last column says how many there were.
"""

import time
from collections import Counter

from rich.console import Console
from rich.table import Table

from bottega.library.judging.contradictions import find_contradictions
from bottega.library.judging.judge import Asked, judge_claims
from bottega.library.judging.verdicts import Verdict
from tests.library.judging import labelled

SETS = ("claims_tuning", "claims_foreign_tuning", "claims_held_out", "claims_foreign_held_out")


def main() -> None:
    console = Console()
    table = Table("set", "claims", "verdict", "precision", "recall", "undecided")
    kinds = Table("set", "kind", "right", "of")
    for name in SETS:
        claims = labelled.claims(name)
        if reason := labelled.unreadable(claims):
            console.print(f"left out: {name}, {reason}")
            continue
        judged = list(labelled.judge_all(claims))
        counts = labelled.confusion(judged, leaning=True)
        undecided = sum(each.judgement.verdict is Verdict.UNDECIDED for each in judged)
        for verdict in (Verdict.SUPPORTED, Verdict.UNSUPPORTED):
            found = labelled.figures(counts, verdict)
            table.add_row(
                name,
                str(len(judged)),
                verdict,
                f"{found.precision:.3f}",
                f"{found.recall:.3f}",
                str(undecided),
            )
        total = Counter(each.claim.kind for each in judged)
        right = Counter(
            each.claim.kind for each in judged if each.judgement.leaning is each.claim.label
        )
        for kind, count in sorted(total.items()):
            kinds.add_row(name, kind, str(right[kind]), str(count))
    console.print(table, kinds, _contradictions(), _speed())


def _contradictions() -> Table:
    table = Table("set", "pairs", "precision", "recall")
    for name in ("contradictions_tuning", "contradictions_held_out"):
        pairs = labelled.rows(name)
        found = [
            bool(find_contradictions({"a": p["a"], "b": p["b"]}, embed=labelled.embed).details)
            for p in pairs
        ]
        right = sum(said and pair["label"] for said, pair in zip(found, pairs, strict=True))
        real = sum(pair["label"] for pair in pairs)
        table.add_row(name, str(len(pairs)), f"{right / sum(found):.3f}", f"{right / real:.3f}")
    return table


def _speed() -> Table:
    table = Table("what", "how many", "seconds")
    paragraphs = labelled.standards().paragraphs
    answer = [Asked(f"So {text}", text) for text in list(paragraphs.values())[:50]]
    start = time.perf_counter()
    judge_claims(answer, embed=labelled.embed)
    table.add_row("claims of one answer", "50", f"{time.perf_counter() - start:.2f}")
    for number in (200, 1000):
        compared = labelled.many_paragraphs(number)
        start = time.perf_counter()
        find_contradictions(compared, embed=labelled.embed)
        table.add_row("paragraphs compared", str(number), f"{time.perf_counter() - start:.2f}")
    return table
