"""Passages near to what a claim or question says, by granite: `python -m training.near FOLDER`.

FOLDER/near.jsonl: sentences, claims and questions with passages of elsewhere that are about nearly
the same. They have no label; the teacher says what they are.

FOLDER/negatives.jsonl: questions with passages that do not answer them. Questions that were written
to be unanswerable are worded in a way that gives them away, so the answer head learns what does not
answer from these: the same question, other passages.
"""

import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch.nn import functional

from training.learning import DEVICE, FLOAT, Tensor, Tokens
from training.pair import (
    ANSWERED,
    NEAR,
    NEGATIVE,
    PUBLIC,
    UNANSWERED,
    UNKNOWN,
    WRITTEN,
    Pair,
    learned_pairs,
    left_out_pairs,
    read_pairs,
    write_pairs,
)
from training.passages import Passage, read_passages
from training.student import PADDING, Student, granite_tokenizer

#: Pairs without a label, at most.
MOST = 260_000
#: Passages that are taken for a sentence, and for a claim or question.
OF_SENTENCE, OF_CLAIM = 2, 8
#: Characters of a passage that its vector is of.
BEGINNING = 700
#: Public questions that get negatives.
PUBLIC_QUESTIONS = 9000
ANSWERABLE = ("squad", "squad-train", "boolq")
#: The passages nearest to a question: the first may answer it, those up to the second place are
#: about its topic.
NEAREST, TOPIC = 40, 12


def main() -> None:
    folder = Path(sys.argv[1])
    chance = random.Random(0)
    search = Search(Student().to(DEVICE))
    passages = read_passages(folder)
    learned, left_out = learned_pairs(folder), left_out_pairs(folder)
    near = list(_near(folder, search, passages, learned))
    chance.shuffle(near)
    write_pairs(folder / "near.jsonl", near[:MOST])

    asked = [pair for pair in learned if pair.label == ANSWERED]
    written = [pair for pair in asked if pair.origin == WRITTEN]
    public = [pair for pair in asked if pair.origin == PUBLIC and pair.kind in ANSWERABLE]
    public = chance.sample(public, min(PUBLIC_QUESTIONS, len(public)))
    for_measuring = [pair for pair in left_out if pair.label == ANSWERED]
    negatives = Negatives(search, passages, chance)
    found = [
        *negatives.of(written, near=3, anywhere=2),
        *negatives.of(public, near=0, anywhere=1),
        *negatives.of(for_measuring, near=4, anywhere=3),
    ]
    write_pairs(folder / "negatives.jsonl", found)
    print(len(near[:MOST]), "near,", len(found), "negatives")


def taught_pairs(folder: Path) -> list[Pair]:
    """All that the teacher teaches: what is labelled, and what is near."""
    return [*learned_pairs(folder), *read_pairs(folder / "near.jsonl")]


class Search:
    """Texts by the nearness of granite's vectors, before it learned anything here."""

    def __init__(self, granite: Student) -> None:
        self._granite = granite.eval()
        self._tokenizer = granite_tokenizer()

    def vectors(self, texts: Sequence[str]) -> Tensor:
        tokens = Tokens([each.ids for each in self._tokenizer.encode_batch_fast(texts)], PADDING)
        vectors = torch.zeros(len(texts), self._granite.width, device=DEVICE)
        with torch.no_grad(), torch.autocast(DEVICE, FLOAT, enabled=DEVICE == "cuda"):
            for rows, ids in tokens.batches(range(len(texts)), shuffled=False):
                first = self._granite.read(ids)[:, 0].float()
                vectors[rows] = functional.normalize(first, dim=-1)
        return vectors

    @staticmethod
    def nearest(of: Tensor, among: Tensor, most: int) -> Iterator[list[int]]:
        for part in of.split(2048):
            found = (part @ among.T).topk(min(most, len(among)), -1).indices
            yield from found.cpu().tolist()


def _near(
    folder: Path, search: Search, passages: Sequence[Passage], learned: Sequence[Pair]
) -> Iterator[Pair]:
    texts = {passage.id: passage.text for passage in passages}
    lines = (folder / "sentences.jsonl").read_text("utf-8").splitlines()
    sentences: list[tuple[str, str]] = [tuple(json.loads(line)) for line in lines]
    vectors = search.vectors([sentence for sentence, _ in sentences])
    nearest = search.nearest(vectors, vectors, OF_CLAIM + 1)
    for (sentence, place), rows in zip(sentences, nearest, strict=True):
        elsewhere = [
            sentences[row][1]
            for row in rows[1:]
            if sentences[row][1] != place and sentences[row][0] != sentence
        ]
        for other in elsewhere[:OF_SENTENCE]:
            yield Pair(sentence, texts[other], UNKNOWN, NEAR, "sentence", "")
    own = [
        pair
        for pair in learned
        if pair.is_about_manuals and (not pair.is_question or pair.origin == WRITTEN)
    ]
    asked = search.vectors([pair.text for pair in own])
    for pair, rows in zip(own, search.nearest(asked, vectors, OF_CLAIM), strict=True):
        # The label is never looked at; it says which head the pair is for.
        label = UNANSWERED if pair.is_question else UNKNOWN
        for row in rows:
            yield Pair(pair.text, texts[sentences[row][1]], label, NEAR, "claim", "")


class Negatives:
    def __init__(self, search: Search, passages: Sequence[Passage], chance: random.Random) -> None:
        self._search, self._chance = search, chance
        self._texts = [passage.text for passage in passages]
        self._vectors = search.vectors([text[:BEGINNING] for text in self._texts])

    def of(self, questions: Sequence[Pair], *, near: int, anywhere: int) -> Iterator[Pair]:
        """For each some about its topic, one that is a little further, and some of anywhere."""
        asked = self._search.vectors([pair.text for pair in questions])
        nearest = self._search.nearest(asked, self._vectors, NEAREST)
        for pair, rows in zip(questions, nearest, strict=True):
            others = [row for row in rows if self._texts[row] != pair.passage]
            chosen = [
                *self._chance.sample(others[1:TOPIC], near),
                self._chance.choice(others[TOPIC:]),
                *(self._chance.randrange(len(self._texts)) for _ in range(anywhere)),
            ]
            kind = WRITTEN if pair.origin == WRITTEN else pair.kind
            for row in chosen:
                yield Pair(pair.text, self._texts[row], UNANSWERED, NEGATIVE, kind, pair.document)


if __name__ == "__main__":
    main()
