"""How often the library's judges are right on the labelled sets, offline.

The held-out claims were written before the judge, but by the same hand, and their totals by kind
were looked at while it was tuned: take them for an upper bound. Undecided claims count as they
lean, which is what a library without a model answers; the last column says how many there were.
"""

from collections import Counter

from rich.console import Console
from rich.table import Table

from bottega.library.judging.contradictions import find_contradictions
from bottega.library.judging.verdicts import Verdict
from tests.library.judging import labelled


def main() -> None:
    console = Console()
    sets = {"claims_tuning": labelled.standards, "claims_held_out": labelled.standards}
    if labelled.PYTHON_POLICY.exists():
        sets["claims_python_policy"] = labelled.python_policy
    else:
        console.print(f"left out: {labelled.PYTHON_POLICY} is not installed")
    table = Table("set", "claims", "verdict", "precision", "recall", "undecided")
    kinds = Table("set", "kind", "right", "of")
    for name, texts in sets.items():
        judged = list(labelled.judge_all(labelled.claims(name), texts()))
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
    console.print(table, kinds, _contradictions())


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
