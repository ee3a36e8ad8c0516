"""How often the library's judges are right on the labelled sets, offline, and how long they take:
the rules alone, and with the reader of the extra `entailment` if that is installed. From the tuning
and the fresh claims the reader has learned, so there it is not asked.

The held-out sets were written before the tuning, that of foreign claims before its last round, by
the same hand; only their totals were looked at. No rule was tuned on the fresh claims either, but
what the judge gets wrong about them was read. Those of the blind set were written by somebody who
did not know the judge, when its rules stood. Undecided claims count as they lean, which is what a
library without a model answers; the last column says how many a model would be asked about.

One table is about the sets themselves: whoever writes a false claim changes a word of the text, and
whoever writes a true one rewords all of it. So how much of a claim is copied tells true from false
in every set, and in no library. A judge must not learn that: its figures would rise, and it would
doubt those who quote.
"""

import time
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from statistics import mean

from rich.console import Console
from rich.table import Table

from bottega.core.entailment.reader import Reader, find_reader
from bottega.library.judging.contradictions import find_contradictions
from bottega.library.judging.judge import Asked, is_open, judge_claims
from bottega.library.judging.verdicts import Verdict
from bottega.library.judging.words import tokens
from tests.library.judging import labelled
from tests.library.judging.labelled import Claim, Judged

SETS = (
    *("claims_tuning", "claims_foreign_tuning", "claims_foreign_fresh"),
    *("claims_held_out", "claims_foreign_held_out", "claims_foreign_held_out_2"),
    *("claims_foreign_blind", "claims_foreign_blind_2"),
)
#: The sets that the reader has not learned from.
UNREAD = SETS[3:]


def main() -> None:
    console = Console()
    reader = find_reader()
    if reader is None:
        console.print("without the reader: pip install 'bottega[entailment]'", markup=False)
    table = Table("set", "claims", "by", "verdict", "precision", "recall", "open")
    kinds = Table("set", "by", "kind", "right", "of")
    copying = Table("set", "longest copied part of true claims", "of false claims")
    for name in SETS:
        claims = labelled.claims(name)
        if reason := labelled.unreadable(claims):
            console.print(f"left out: {name}, {reason}")
            continue
        _add(table, kinds, name, "rules", list(labelled.judge_all(claims)))
        if reader is not None and name in UNREAD:
            read = list(labelled.judge_all(claims, support=reader.support))
            _add(table, kinds, name, "rules and reader", read)
        copying.add_row(name, *_copied(claims))
    console.print(table, kinds, copying, _contradictions(), _speed(reader))


def _add(table: Table, kinds: Table, name: str, by: str, judged: Sequence[Judged]) -> None:
    counts = labelled.confusion(judged, leaning=True)
    for_a_model = sum(is_open(each.judgement) for each in judged)
    for verdict in (Verdict.SUPPORTED, Verdict.UNSUPPORTED):
        found = labelled.figures(counts, verdict)
        figures = f"{found.precision:.3f}", f"{found.recall:.3f}"
        table.add_row(name, str(len(judged)), by, verdict, *figures, str(for_a_model))
    total = Counter(each.claim.kind for each in judged)
    right = Counter(
        each.claim.kind for each in judged if each.judgement.leaning is each.claim.label
    )
    for kind, count in sorted(total.items()):
        kinds.add_row(name, by, kind, str(right[kind]), str(count))


def _copied(claims: Sequence[Claim]) -> list[str]:
    shares: dict[Verdict, list[float]] = {Verdict.SUPPORTED: [], Verdict.UNSUPPORTED: []}
    for claim in claims:
        if paragraph := labelled.texts_of(claim).paragraphs.get(claim.ref):
            shares[claim.label].append(_longest_run(claim.claim, paragraph))
    return [f"{mean(each):.0%}" for each in shares.values()]


def _longest_run(claim: str, paragraph: str) -> float:
    """The share of a claim's words that stand in one piece in the paragraph."""
    ours, theirs = ([word.lower() for word, _ in tokens(text)] for text in (claim, paragraph))
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    return matcher.find_longest_match().size / max(1, len(ours))


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


def _speed(reader: Reader | None) -> Table:
    table = Table("what", "how many", "seconds")
    paragraphs = labelled.standards().paragraphs
    answer = [Asked(f"So {text}", text) for text in list(paragraphs.values())[:50]]
    start = time.perf_counter()
    judge_claims(answer, embed=labelled.embed)
    table.add_row("claims of one answer", "50", f"{time.perf_counter() - start:.2f}")
    if reader is not None:
        start = time.perf_counter()
        judge_claims(answer, embed=labelled.embed, support=reader.support)
        table.add_row("the same, read as well", "50", f"{time.perf_counter() - start:.2f}")
    for number in (200, 1000):
        compared = labelled.many_paragraphs(number)
        start = time.perf_counter()
        find_contradictions(compared, embed=labelled.embed)
        table.add_row("paragraphs compared", str(number), f"{time.perf_counter() - start:.2f}")
    return table
