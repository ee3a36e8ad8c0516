"""Labelled pairs of public data sets, read from clones of their repositories; README.md lists the
licences. What is non-commercial is not read, and nothing that is held out."""

import csv
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import html

from training.pair import ANSWERED, CONTRADICTED, PUBLIC, SUPPORTED, UNANSWERED, UNKNOWN, Pair

LABELS = {
    "SUPPORTS": SUPPORTED,
    "REFUTES": CONTRADICTED,
    "entailment": SUPPORTED,
    "contradiction": CONTRADICTED,
    "neutral": UNKNOWN,
}
#: What SNLI and its like count: sentences of a few words about pictures.
PICTURES = 0.5
#: Characters of a passage that are taken where it is a page.
PAGE = 1500

Article = list[tuple[str, list[tuple[str, bool]]]]


@dataclass(frozen=True, slots=True)
class QuestionExample:
    document: str
    question: str
    passage: str
    answers: bool
    kind: str


def public_claims(clones: Path, chance: random.Random) -> Iterator[Pair]:
    tasks = clones / "natural-instructions" / "tasks"
    yield from _mnli(tasks, clones / "generative-nli" / "data" / "mnli" / "dev.jsonl")
    yield from _snli(tasks, chance)
    yield from _scitail(tasks)
    yield from _paws(tasks)
    yield from _commitment_bank(tasks)
    yield from _counterfactual(clones / "counterfactually-augmented-data" / "NLI" / "all_combined")
    yield from _fool_me_twice(clones / "fool-me-twice" / "dataset")
    yield from _fever_symmetric(clones / "FeverSymmetric" / "symmetric_v0.2")
    yield from _fever(clones / "evaluating-human-rationales" / "data" / "fever", chance)
    yield from _begin(clones / "BEGIN-dataset")
    yield from _factcheck(clones / "Factcheck-GPT" / "subtasks")


def public_questions(clones: Path, chance: random.Random) -> Iterator[Pair]:
    for edition, share in (("v2.0", 1.0), ("1.1", 0.5)):
        folder = clones / "SQuAD-explorer" / "explore" / edition / "dev"
        yield from _squad(folder, share, chance)
    yield from _squad_train(clones / "aqleaderboard" / "data" / "test-v1.1.json", chance)
    tasks = clones / "natural-instructions" / "tasks"
    yield from _boolq(tasks, chance)
    yield from _pubmed(tasks)


def _claim(
    kind: str, claim: str, passage: str, label: str, weight: float = 1.0, document: str = ""
) -> Pair:
    return Pair(claim, passage, label, PUBLIC, kind, document or kind, weight)


def _question(
    kind: str, question: str, passage: str, *, answers: bool, document: str, weight: float = 1.0
) -> Pair:
    label = ANSWERED if answers else UNANSWERED
    return Pair(question, passage, label, PUBLIC, kind, document, weight)


def _mnli(tasks: Path, dev: Path) -> Iterator[Pair]:
    choices = r"Statement:\s*(.*?)\s*Choices:\s*1\.\s*(.*?)\s*2\.\s*(.*?)\s*3\.\s*(.*)$"
    for task, label in (("task200", SUPPORTED), ("task201", UNKNOWN), ("task202", CONTRADICTED)):
        for said, answer in _instances(tasks, task, choices):
            if answer.isdecimal():
                yield _claim("mnli", said[1 + int(answer)], said[1], label)
    for said, answer in _instances(tasks, "task203", r"Statement:\s*(.*?)\nLabel:\s*(\w+)\."):
        if said[2] in LABELS:
            yield _claim("mnli", answer, said[1], LABELS[said[2]])
    for row in _json_lines(dev):
        yield _claim("mnli", row["hypothesis"], row["premise"], LABELS[row["label"]])


def _snli(tasks: Path, chance: random.Random) -> Iterator[Pair]:
    """Each with the sentence as it was, and as somebody changed it."""
    changes = (
        ("task184_snli", SUPPORTED, UNKNOWN),
        ("task185_snli", CONTRADICTED, UNKNOWN),
        ("task186_snli", CONTRADICTED, SUPPORTED),
        ("task187_snli", SUPPORTED, CONTRADICTED),
        ("task188_snli", UNKNOWN, SUPPORTED),
        ("task189_snli", UNKNOWN, CONTRADICTED),
    )
    for task, before, after in changes:
        instances = _task(tasks, task)
        chance.shuffle(instances)
        for each in instances[:3000]:
            if said := re.match(
                r"Sentence 1:\s*(.*?)\s*Sentence 2:\s*(.*)$", each["input"], re.DOTALL
            ):
                yield _claim("snli", each["output"][0], said[1], after, PICTURES)
                yield _claim("snli", said[2], said[1], before, PICTURES)


def _scitail(tasks: Path) -> Iterator[Pair]:
    pattern = r"(?:Premise|Sentence 1):\s*(.*?)\s*(?:\\n)?\s*(?:Hypothesis|Sentence 2):\s*(.*)$"
    for task in ("task1529", "task1554"):
        for said, answer in _instances(tasks, task, pattern):
            label = SUPPORTED if answer.startswith("entail") else UNKNOWN
            yield _claim("scitail", said[2].rstrip("?"), said[1], label)


def _paws(tasks: Path) -> Iterator[Pair]:
    for said, answer in _instances(tasks, "task400", r"([^\n]*)\n([^\n]*)\Z"):
        label = SUPPORTED if answer == "Paraphrase" else CONTRADICTED
        yield _claim("paws", said[2], said[1], label)


def _commitment_bank(tasks: Path) -> Iterator[Pair]:
    pattern = r"Premise:\s*(.*?)\s*<sep>\s*Hypothesis:\s*(.*)$"
    for said, answer in _instances(tasks, "task1388", pattern):
        yield _claim("cb", said[2], said[1], LABELS.get(answer.lower(), UNKNOWN))


def _counterfactual(folder: Path) -> Iterator[Pair]:
    for row in _tables(*(folder / f"{part}.tsv" for part in ("train", "dev", "test"))):
        label = LABELS[row["gold_label"]]
        yield _claim("counterfactual", row["sentence2"], row["sentence1"], label, PICTURES, "snli")


def _fool_me_twice(folder: Path) -> Iterator[Pair]:
    for row in _json_lines(folder / "dev.jsonl", folder / "test.jsonl"):
        passage = " ".join(each["text"] for each in row["gold_evidence"])
        yield _claim("fool-me-twice", row["text"], passage, LABELS[row["label"]])


def _fever_symmetric(folder: Path) -> Iterator[Pair]:
    files = [folder / f"fever_symmetric_{part}.jsonl" for part in ("dev", "test")]
    for row in _json_lines(*files):
        label = LABELS[row["label"]]
        yield _claim("fever-symmetric", row["claim"], row["evidence"], label, document="fever")


def _fever(folder: Path, chance: random.Random) -> Iterator[Pair]:
    """With its evidence; and with what else the article says, which leaves the claim open."""
    for row in _json_lines(folder / "dev.jsonl", folder / "test.jsonl"):
        claim = row["query"]
        evidence = [each["text"] for group in row["evidences"] for each in group]
        yield _claim("fever", claim, " ".join(evidence), LABELS[row["classification"]])
        article = folder / "docs" / row["docids"][0]
        if not article.exists():
            continue
        sentences = article.read_text("utf-8", errors="replace").split("\n")
        words = _long_words(claim)
        rest = [
            each
            for each in sentences
            if each.strip()
            and each not in evidence
            and len(words & _long_words(each)) < 0.5 * max(1, len(words))
        ]
        if rest and chance.random() < 0.6:
            passage = " ".join(rest[:3])
            yield _claim("fever-removed", claim, passage, UNKNOWN, document="fever")


def _begin(folder: Path) -> Iterator[Pair]:
    files = ("wow/begin_dev_wow.tsv", "wow/begin_test_wow.tsv", "cmu-dog/begin_dev_cmu.tsv")
    for row in _tables(*(folder / name for name in files)):
        said = (row.get("begin_label") or "").strip()
        if said in ("Fully attributable", "Not fully attributable"):
            label = SUPPORTED if said == "Fully attributable" else UNKNOWN
            yield _claim("begin", row["response"], row["knowledge"], label)


def _factcheck(folder: Path) -> Iterator[Pair]:
    stances = {
        "completely-support": SUPPORTED,
        "refute": CONTRADICTED,
        "partially-support": UNKNOWN,
        "irrelevant": UNKNOWN,
    }
    for row in _json_lines(folder / "subtask3_claim_evidence_stance.jsonl"):
        if label := stances.get(row["stance"]):
            yield _claim("factcheck-gpt", row["claim"], row["evidence"][:PAGE], label)


def _squad(folder: Path, share: float, chance: random.Random) -> Iterator[Pair]:
    """Questions with their paragraph, and with one like it of the same article."""
    for path in sorted(folder.glob("*.html")):
        document = f"squad/{path.stem}"
        paragraphs = _article(path)
        for text, questions in paragraphs:
            for question, is_answered in questions:
                if share < 1 and chance.random() < share:
                    continue
                yield _question("squad", question, text, answers=is_answered, document=document)
                if is_answered and chance.random() < 0.6:
                    others = [other for other, _ in paragraphs if other != text]
                    if others:
                        near = _like(question, others, chance)
                        yield _question(
                            "squad-near", question, near, answers=False, document=document
                        )


def _squad_train(path: Path, chance: random.Random) -> Iterator[Pair]:
    for article in json.loads(path.read_text("utf-8"))["data"]:
        document = f"squad/{article['title']}"
        for paragraph in article["paragraphs"]:
            others = [each["context"] for each in article["paragraphs"] if each is not paragraph]
            for asked in paragraph["qas"]:
                if chance.random() < 0.6:
                    continue
                question = asked["question"]
                yield _question(
                    "squad-train", question, paragraph["context"], answers=True, document=document
                )
                if others:
                    near = _like(question, others, chance)
                    yield _question("squad-train", question, near, answers=False, document=document)


def _boolq(tasks: Path, chance: random.Random) -> Iterator[Pair]:
    pattern = r"Passage:\s*(.*?)\nQuestion:\s*(.*)$"
    asked = [(f"{said[2]}?", said[1]) for said, _ in _instances(tasks, "task1661", pattern)]
    for question, passage in asked:
        yield _question("boolq", question, passage[:PAGE], answers=True, document="boolq")
        drawn = [asked[chance.randrange(len(asked))][1] for _ in range(300)]
        others = [each for each in drawn if each != passage]
        near = max(others, key=lambda each: _shared(question, each))
        yield _question("boolq", question, near[:PAGE], answers=False, document="boolq", weight=0.5)


def _pubmed(tasks: Path) -> Iterator[Pair]:
    for said, _ in _instances(tasks, "task846", r"Question:\s*(.*?)\nAnswer:\s*(.*)$"):
        yield _question("pubmed", said[1], said[2], answers=True, document="pubmed", weight=0.3)


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


def _article(path: Path) -> Article:
    found: Article = []
    for part in html.fromstring(path.read_text("utf-8")).find_class("para-wrap"):
        (text,) = (each.text_content() for each in part.iter("pre"))
        questions = []
        for asked in part.find_class("qa-wrap"):
            question = asked.find_class("question")[0].text_content()
            answers = [each.text_content() for each in asked.find_class("answer")]
            questions.append((question, any("No Answer" not in each for each in answers)))
        found.append((text, questions))
    return found


def _like(question: str, texts: Sequence[str], chance: random.Random) -> str:
    drawn = chance.sample(texts, min(25, len(texts)))
    return max(drawn, key=lambda text: _shared(question, text))


def _shared(question: str, text: str) -> int:
    return len(set(question.lower().split()) & set(text.lower().split()))


def _long_words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.lower()))


def _instances(tasks: Path, name: str, pattern: str) -> Iterator[tuple[re.Match[str], str]]:
    """What a task of natural-instructions asks, taken apart, and the answer."""
    for each in _task(tasks, name):
        if said := re.match(pattern, each["input"], re.DOTALL):
            yield said, each["output"][0]


def _task(tasks: Path, name: str) -> list[dict[str, Any]]:
    (path,) = tasks.glob(f"{name}_*")
    instances: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["Instances"]
    return instances


def _json_lines(*files: Path) -> Iterator[dict[str, Any]]:
    for file in files:
        with file.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _tables(*files: Path) -> Iterator[dict[str, str]]:
    for file in files:
        with file.open(encoding="utf-8", newline="") as opened:
            yield from csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE)
