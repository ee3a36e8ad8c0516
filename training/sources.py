"""The pairs that the readers learn from, each with its source and licence; README.md lists them.

Public data sets are read from clones of their repositories in one folder. Claims about manuals are
this repository's own tuning sets; their texts come with Debian packages. Nothing is read of Debian
Policy, nor of a set that is held out or blind.
"""

import csv
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import html

from bench.entailment.claims import EXAMPLE, installed_examples
from bottega.library.verify.citations import read_cited
from tests.library.rules import labelled

SUPPORTED, CONTRADICTED, UNKNOWN = "supported", "contradicted", "unknown"
#: Chapters and appendices of Debian Policy, on which others measure.
POLICY = frozenset(["policy", "fields", "process", "appendix", "packages"])
#: What a false claim of a manual is, by how it was made: it says another thing, or an unsaid one.
UNSAID = frozenset(["invention", "invented_content", "wrong_paragraph", "condition"])
LABELS = {
    "SUPPORTS": SUPPORTED,
    "REFUTES": CONTRADICTED,
    "entailment": SUPPORTED,
    "contradiction": CONTRADICTED,
    "neutral": UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class ClaimExample:
    source: str
    #: Examples of one document are never learned from and validated on.
    document: str
    claim: str
    passage: str
    label: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class QuestionExample:
    document: str
    question: str
    passage: str
    answers: bool
    kind: str


def manual_claims() -> Iterator[ClaimExample]:
    for name in ("claims_tuning", "claims_foreign_tuning", "claims_foreign_fresh"):
        for claim in labelled.claims(name):
            paragraphs = labelled.texts_of(claim).paragraphs
            if claim.document in POLICY or claim.ref not in paragraphs:
                continue
            text, leads = read_cited(claim.ref, paragraphs)
            passage = " ".join([*(lead for lead in leads if lead.rstrip().endswith(":")), text])
            label = _label(claim.label.value == SUPPORTED, claim.kind)
            document = claim.document or EXAMPLE
            yield ClaimExample(name, document, claim.claim, passage, label, claim.kind)
    for each in installed_examples():
        label = _label(each.is_true, each.kind)
        yield ClaimExample("entailment", each.document, each.claim, each.text, label, each.kind)


def _label(is_true: bool, kind: str) -> str:
    if is_true:
        return SUPPORTED
    return UNKNOWN if kind in UNSAID else CONTRADICTED


def public_claims(folder: Path) -> Iterator[ClaimExample]:
    yield from _fool_me_twice(folder / "fool-me-twice" / "dataset")
    yield from _fever_symmetric(folder / "FeverSymmetric" / "symmetric_v0.2")
    yield from _counterfactual(folder / "counterfactually-augmented-data" / "NLI" / "all_combined")
    yield from _begin(folder / "BEGIN-dataset")


def _fool_me_twice(folder: Path) -> Iterator[ClaimExample]:
    for row in _json_lines(folder / "dev.jsonl", folder / "test.jsonl"):
        passage = " ".join(each["text"] for each in row["gold_evidence"])
        label = LABELS[row["label"]]
        yield ClaimExample("fool-me-twice", "fool-me-twice", row["text"], passage, label)


def _fever_symmetric(folder: Path) -> Iterator[ClaimExample]:
    files = [folder / f"fever_symmetric_{part}.jsonl" for part in ("dev", "test")]
    for row in _json_lines(*files):
        label = LABELS[row["label"]]
        yield ClaimExample("FeverSymmetric", "FeverSymmetric", row["claim"], row["evidence"], label)


def _counterfactual(folder: Path) -> Iterator[ClaimExample]:
    for row in _tables(*(folder / f"{part}.tsv" for part in ("train", "dev", "test"))):
        label = LABELS[row["gold_label"]]
        yield ClaimExample("counterfactual", "snli", row["sentence2"], row["sentence1"], label)


def _begin(folder: Path) -> Iterator[ClaimExample]:
    files = ("wow/begin_dev_wow.tsv", "wow/begin_test_wow.tsv", "cmu-dog/begin_dev_cmu.tsv")
    for row in _tables(*(folder / name for name in files)):
        said = (row.get("begin_label") or "").strip()
        if said in ("Fully attributable", "Not fully attributable"):
            label = SUPPORTED if said == "Fully attributable" else UNKNOWN
            yield ClaimExample("BEGIN", "BEGIN", row["response"], row["knowledge"], label)


def squad_questions(folder: Path, most: int) -> Iterator[QuestionExample]:
    """Questions with their paragraph, and with one of another place: mostly the one of the same
    article that shares most words."""
    chance = random.Random(0)
    articles = {path.stem: _article(path) for path in sorted(folder.glob("*.html"))}
    articles = {name: read for name, read in articles.items() if len(read) > 3}
    asked = [
        (name, text, question, is_answerable)
        for name, paragraphs in articles.items()
        for text, questions in paragraphs
        for question, is_answerable in questions
    ]
    for name, text, question, is_answerable in chance.sample(asked, min(most, len(asked))):
        kind = "own" if is_answerable else "unanswerable"
        yield QuestionExample(name, question, text, is_answerable, kind)
        if is_answerable and chance.random() < 0.8:
            others = [other for other, _ in articles[name] if other != text]
            near = max(others, key=lambda other: _shared(question, other))
            yield QuestionExample(name, question, near, False, "same article")
        elif is_answerable:
            elsewhere = chance.choice([other for other in articles if other != name])
            far = chance.choice(articles[elsewhere])[0]
            yield QuestionExample(name, question, far, False, "other article")


def _article(path: Path) -> list[tuple[str, list[tuple[str, bool]]]]:
    found = []
    for part in html.fromstring(path.read_text("utf-8")).find_class("para-wrap"):
        (text,) = (each.text_content() for each in part.iter("pre"))
        questions = []
        for asked in part.find_class("qa-wrap"):
            question = asked.find_class("question")[0].text_content()
            answers = [each.text_content() for each in asked.find_class("answer")]
            questions.append((question, any("No Answer" not in each for each in answers)))
        found.append((text, questions))
    return found


def _shared(question: str, text: str) -> int:
    return len(set(question.lower().split()) & set(text.lower().split()))


def _json_lines(*files: Path) -> Iterator[dict[str, Any]]:
    for file in files:
        yield from map(json.loads, file.read_text("utf-8").splitlines())


def _tables(*files: Path) -> Iterator[dict[str, str]]:
    for file in files:
        with file.open(encoding="utf-8", newline="") as opened:
            yield from csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE)
