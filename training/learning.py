"""The loop in which teacher and student learn: pairs as tokens, in batches of about one length.

Time decides, not steps: the learning rate falls with the seconds that are left, so a run ends when
it should on any machine. Needs PyTorch, which nothing outside `training/` does.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from training.pair import ANSWERED, CLAIM_LABELS, Pair

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FLOAT = torch.bfloat16 if DEVICE == "cuda" else torch.float32
#: Tokens of text and passage together; characters of each that are looked at.
LONGEST, TEXT, PASSAGE = 224, 500, 1500
#: Tokens of a batch, padding counted.
BATCH = 49_152
#: Steps in which the learning rate rises, and the share of it that is left at the end.
WARM, LAST = 150, 0.02

Floats = NDArray[np.float32]
Tensor = Any  # torch has no types here


@dataclass(frozen=True, slots=True)
class Tokens:
    """Texts as numbers, and what fills a shorter one up."""

    ids: Sequence[Sequence[int]]
    padding: int

    def batches(self, rows: Sequence[int], *, shuffled: bool) -> Iterator[tuple[Tensor, Tensor]]:
        """The rows of each batch, and their tokens."""
        lengths = np.array([len(self.ids[row]) for row in rows])
        jitter = np.random.rand(len(rows)) * 16 if shuffled else 0
        batches: list[list[int]] = [[]]
        longest = 0
        for place in np.argsort(lengths + jitter):
            longest = max(longest, lengths[place])
            if batches[-1] and longest * (len(batches[-1]) + 1) > BATCH:
                batches.append([])
                longest = lengths[place]
            batches[-1].append(rows[place])
        if shuffled:
            random.shuffle(batches)
        for batch in filter(None, batches):
            yield torch.tensor(batch, device=DEVICE), self._padded(batch)

    def _padded(self, batch: Sequence[int]) -> Tensor:
        width = max(len(self.ids[row]) for row in batch)
        table = np.full((len(batch), width), self.padding, np.int64)
        for place, row in enumerate(batch):
            table[place, : len(self.ids[row])] = self.ids[row]
        return torch.from_numpy(table).to(DEVICE, non_blocking=True)


def tokens_of(
    pairs: Sequence[Pair], tokenizer: Any, padding: int, *, passage_first: bool = False
) -> Tokens:
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST, strategy="longest_first")
    texts = [(pair.text[:TEXT], pair.passage[:PASSAGE]) for pair in pairs]
    if passage_first:
        texts = [(passage, text) for text, passage in texts]
    return Tokens([each.ids for each in tokenizer.encode_batch_fast(texts)], padding)


@dataclass(frozen=True, slots=True)
class Targets:
    """What is to be learned of each pair, one row each."""

    claims: Tensor
    answers: Tensor
    is_question: Tensor
    weights: Tensor
    #: What a teacher says, and the share in which the label counts instead.
    taught_claims: Tensor
    taught_answers: Tensor
    trust: Tensor

    @classmethod
    def of(
        cls,
        pairs: Sequence[Pair],
        weights: Sequence[float],
        taught: "Scores | None" = None,
        trust: Sequence[float] | None = None,
    ) -> "Targets":
        """Without a teacher the labels alone count."""
        if taught is None:
            taught = Scores.nothing(len(pairs))
            trust = [1.0] * len(pairs)
        places = [0 if pair.is_question else CLAIM_LABELS.index(pair.label) for pair in pairs]
        return cls(
            torch.tensor(places, device=DEVICE),
            torch.tensor([float(pair.label == ANSWERED) for pair in pairs], device=DEVICE),
            torch.tensor([pair.is_question for pair in pairs], device=DEVICE),
            torch.tensor(weights, device=DEVICE, dtype=torch.float32),
            torch.tensor(taught.claims, device=DEVICE),
            torch.tensor(taught.answers, device=DEVICE),
            torch.tensor(trust, device=DEVICE, dtype=torch.float32),
        )

    def loss(self, rows: Tensor, claims: Tensor, answers: Tensor) -> Tensor:
        trust, weights = self.trust[rows], self.weights[rows]
        surprise = functional.binary_cross_entropy_with_logits
        of_claims = trust * functional.cross_entropy(claims, self.claims[rows], reduction="none")
        taught = -(self.taught_claims[rows] * functional.log_softmax(claims, -1)).sum(-1)
        of_claims = of_claims + (1 - trust) * taught
        of_answers = trust * surprise(answers, self.answers[rows], reduction="none")
        taught = surprise(answers, self.taught_answers[rows], reduction="none")
        of_answers = of_answers + (1 - trust) * taught
        of_pairs = torch.where(self.is_question[rows], of_answers, of_claims)
        return (of_pairs * weights).sum() / weights.sum()


@dataclass(frozen=True, slots=True)
class Scores:
    """For each pair the chances of a claim's labels, and that it is answered."""

    claims: Floats
    answers: Floats

    @classmethod
    def nothing(cls, pairs: int) -> "Scores":
        return cls(np.zeros((pairs, len(CLAIM_LABELS)), np.float32), np.zeros(pairs, np.float32))


def predict(model: nn.Module, tokens: Tokens) -> Scores:
    scores = Scores.nothing(len(tokens.ids))
    model.eval()
    with torch.no_grad(), torch.autocast(DEVICE, FLOAT, enabled=DEVICE == "cuda"):
        for rows, ids in tokens.batches(range(len(tokens.ids)), shuffled=False):
            claims, answers = model(ids)
            places = rows.cpu().numpy()
            scores.claims[places] = torch.softmax(claims, -1).cpu().numpy()
            scores.answers[places] = torch.sigmoid(answers).cpu().numpy()
    model.train()
    return scores


def fit(
    model: nn.Module,
    tokens: Tokens,
    targets: Targets,
    *,
    epoch: Callable[[], Sequence[int]],
    seconds: float,
    rate: float,
    epochs: int = 99,
    after: Callable[[], None] = lambda: None,
) -> None:
    """`epoch` draws the rows of the next one; `after` is called when it is over."""
    matrices = [each for each in model.parameters() if each.ndim > 1]
    others = [each for each in model.parameters() if each.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0}]
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=DEVICE == "cuda")
    started = time.monotonic()
    step = 0
    model.train()
    for number in range(epochs):
        loss = torch.zeros(())
        for rows, ids in tokens.batches(epoch(), shuffled=True):
            passed = (time.monotonic() - started) / seconds
            if passed >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (step + 1) / WARM) * max(LAST, 1 - passed)
            with torch.autocast(DEVICE, FLOAT, enabled=DEVICE == "cuda"):
                claims, answers = model(ids)
            loss = targets.loss(rows, claims, answers)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
        print(f"epoch {number + 1}: {step} steps, loss {loss.item():.3f}", flush=True)
        after()
        if time.monotonic() - started >= seconds:
            return


def some(rows: Sequence[int], most: int) -> list[int]:
    return random.sample(rows, min(len(rows), most))


def measure(name: str, pairs: Sequence[Pair], scores: Scores) -> None:
    """Prints how well claims and questions are told apart, and the share that is right by kind."""
    from sklearn.metrics import roc_auc_score

    claims = [row for row, pair in enumerate(pairs) if not pair.is_question]
    questions = [row for row, pair in enumerate(pairs) if pair.is_question]
    for what, rows, said in (
        ("claims", claims, scores.claims[:, 0]),
        ("questions", questions, scores.answers),
    ):
        truth = [pairs[row].label in (CLAIM_LABELS[0], ANSWERED) for row in rows]
        if len(set(truth)) == 2:
            print(f"{name}: {len(rows)} {what}, AUC {roc_auc_score(truth, said[rows]):.3f}")
    right: dict[str, list[bool]] = {}
    for row in claims:
        is_right = (scores.claims[row, 0] >= 0.5) == (pairs[row].label == CLAIM_LABELS[0])
        right.setdefault(f"{pairs[row].origin} {pairs[row].kind}", []).append(bool(is_right))
    print(
        {kind: round(float(np.mean(each)), 2) for kind, each in sorted(right.items())}, flush=True
    )
