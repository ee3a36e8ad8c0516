"""Labelled pairs of public sets, and claims and questions about manuals: `python -m training.pairs
FOLDER` writes FOLDER/pairs.jsonl.

FOLDER has the clones that README.md names in `clones/`, and what `training.passages` wrote. Of the
claims about manuals the rules' tuning sets and `manual_claims.jsonl` are read, without what is
about Debian Policy; no held-out or blind set is.
"""

import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bottega.library.verify.citations import read_cited
from tests.library.rules import labelled
from training.manual_claims import EXAMPLE, installed_examples
from training.pair import (
    ANSWERED,
    CONTRADICTED,
    MANUAL,
    SUPPORTED,
    UNANSWERED,
    UNKNOWN,
    WRITTEN,
    Pair,
    is_readable,
    one_line,
    write_pairs,
)
from training.passages import PACKAGES, Passage, read_passages
from training.sources import PAGE, public_claims, public_questions

WRITTEN_CLAIMS = Path(__file__).with_name("written.jsonl")
TUNING = ("claims_tuning", "claims_foreign_tuning", "claims_foreign_fresh")
#: Chapters and appendices of Debian Policy, on which others measure.
POLICY = frozenset(["policy", "fields", "process", "appendix", "packages"])
#: What a false claim of a manual is, by how it was made: it says another thing, or an unsaid one.
UNSAID = frozenset(["invention", "invented_content", "wrong_paragraph", "condition"])


def main() -> None:
    folder = Path(sys.argv[1])
    chance = random.Random(11)
    pairs = [
        *public_claims(folder / "clones", chance),
        *public_questions(folder / "clones", chance),
        *manual_claims(),
        *written_pairs(read_passages(folder)),
    ]
    tidied = (
        replace(pair, text=one_line(pair.text), passage=one_line(pair.passage)) for pair in pairs
    )
    kept = [pair for pair in tidied if is_readable(pair)]
    write_pairs(folder / "pairs.jsonl", kept)
    counts = Counter(
        pair.kind if pair.origin not in (MANUAL, WRITTEN) else pair.origin for pair in kept
    )
    print(len(kept), counts)


def manual_claims() -> Iterator[Pair]:
    for claim in (each for name in TUNING for each in labelled.claims(name)):
        paragraphs = labelled.texts_of(claim).paragraphs
        if claim.document in POLICY or claim.ref not in paragraphs:
            continue
        text, leads = read_cited(claim.ref, paragraphs)
        passage = " ".join([*(lead for lead in leads if lead.rstrip().endswith(":")), text])
        label = _label(is_true=claim.label.value == SUPPORTED, kind=claim.kind)
        document = claim.document or EXAMPLE
        yield Pair(claim.claim, passage[:PAGE], label, MANUAL, claim.kind, document)
    for each in installed_examples():
        label = _label(is_true=each.is_true, kind=each.kind)
        yield Pair(each.claim, each.text[:PAGE], label, MANUAL, each.kind, each.document)


def _label(*, is_true: bool, kind: str) -> str:
    if is_true:
        return SUPPORTED
    return UNKNOWN if kind in UNSAID else CONTRADICTED


def written_pairs(passages: list[Passage]) -> Iterator[Pair]:
    """Those whose passage is installed, in the edition they are about."""
    by_id = {passage.id: passage for passage in passages}
    missing = 0
    for line in WRITTEN_CLAIMS.read_text("utf-8").splitlines():
        row = json.loads(line)
        passage = by_id.get(row["id"])
        if passage is None or digest(passage.text) != row["sha256"]:
            missing += 1
            continue
        if row["type"] == "claim":
            label, kind = row["label"], row["kind"]
        else:
            label = ANSWERED if row["label"] == "answerable" else UNANSWERED
            kind = "question"
        yield Pair(row["text"], passage.text, label, WRITTEN, kind, passage.document)
    if missing:
        print(f"{missing} are about passages that are not here: apt-get install {PACKAGES}")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


if __name__ == "__main__":
    main()
