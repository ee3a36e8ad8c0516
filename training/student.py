"""The student: granite's six layers read text and passage together: `python -m training.student
FOLDER` writes FOLDER/student.npz, and what it says of the documents left out in student.json.

In the first two passes it learns claims and answers from labels and teacher; their claim head is
what ships. In the third the answer head begins anew (`student_answers`): questions that were
written to be unanswerable had taught it their wording, so they are left out, and it learns from
passages that do not answer (`training.near`). What it holds of claims is kept by being its own
teacher. A second argument is the share of the time to take, for a trial.
"""

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

from bottega.core.readers import granite
from bottega.core.readers.encoder import EPSILON, HEADS, LAYERS, Quantized
from training.learning import (
    DEVICE,
    FLOAT,
    LONGEST,
    Scores,
    Targets,
    Tensor,
    fit,
    measure,
    predict,
    some,
    tokens_of,
)
from training.pair import (
    ANSWERED,
    CLAIM_LABELS,
    CONTRAST,
    NEAR,
    NEGATIVE,
    UNANSWERED,
    WRITTEN,
    Pair,
    label_weight,
    learned_pairs,
    left_out_pairs,
    read_pairs,
)

PADDING = 1
DROPPED = 0.1
#: Of the first two passes, and of the third.
RATE, LAST_RATE = 2e-4, 1.5e-4
SECONDS = (260.0, 310.0, 280.0)
#: How often pairs about manuals come in an epoch, and how many of each other kind at most.
REPEATED = 3
CONTRASTS, PUBLIC_PAIRS, NEAR_PAIRS = 70_000, 110_000, 130_000
LAST_CONTRASTS, LAST_PUBLIC_PAIRS = 40_000, 50_000


class Layer(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int) -> None:
        super().__init__()
        self.qkv, self.ao = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.f1, self.f2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.aln, self.fln = nn.LayerNorm(width, EPSILON), nn.LayerNorm(width, EPSILON)

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        texts, length, width = rows.shape
        looks = self.qkv(rows).view(texts, length, 3, HEADS, width // HEADS)
        query, key, value = looks.permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=DROPPED if self.training else 0
        )
        attended = self.ao(attended.transpose(1, 2).reshape(texts, length, width))
        rows = self.aln(rows + functional.dropout(attended, DROPPED, self.training))
        widened = functional.gelu(self.f1(rows), approximate="tanh")
        return self.fln(rows + functional.dropout(self.f2(widened), DROPPED, self.training))


class Student(nn.Module):  # type: ignore[misc]
    """Begins as granite; the vectors of words stay as they are, for granite's pack has them."""

    def __init__(self) -> None:
        super().__init__()
        held = {name: _plain(each) for name, each in granite.load().pack.tensors.items()}
        self.width = held["word_emb"].shape[1]
        for name in ("word_emb", "pos_emb", "type_emb"):
            self.register_buffer(name, held[name], persistent=False)
        self.emb_ln = nn.LayerNorm(self.width, EPSILON)
        self.layers = nn.ModuleList(Layer(self.width) for _ in range(LAYERS))
        named = {"emb_ln": self.emb_ln} | {
            f"l{number}.{part}": module
            for number, layer in enumerate(self.layers)
            for part, module in layer.named_children()
        }
        for name, module in named.items():
            module.weight.data, module.bias.data = held[f"{name}.w"], held[f"{name}.b"]
        self.pool = nn.Linear(self.width, self.width)
        self.claim = nn.Linear(self.width, len(CLAIM_LABELS))
        nn.init.normal_(self.claim.weight, std=0.02)
        self.inner, self.answer = nn.Linear(self.width, self.width), nn.Linear(self.width, 1)

    def forget_answers(self) -> None:
        nn.init.xavier_uniform_(self.inner.weight)
        nn.init.normal_(self.answer.weight, std=0.02)
        for head in (self.inner, self.answer):
            nn.init.zeros_(head.bias)

    def read(self, ids: Tensor) -> Tensor:
        """The vectors of all tokens after the last layer."""
        places = torch.arange(ids.shape[1], device=ids.device) + granite.FIRST_POSITION
        words = self.word_emb[ids] + self.pos_emb[places] + self.type_emb[0]
        rows = functional.dropout(self.emb_ln(words.float()), DROPPED, self.training)
        number = FLOAT if torch.is_autocast_enabled() else rows.dtype
        mask = torch.where(ids != PADDING, 0.0, -1e4)[:, None, None, :].to(number)
        for layer in self.layers:
            rows = layer(rows, mask)
        return rows

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        first = self.read(ids)[:, 0]
        claims = self.claim(torch.tanh(self.pool(first)))
        answers = self.answer(torch.tanh(self.inner(first)))
        return claims.float(), answers.float().squeeze(-1)


def _plain(tensor: Quantized | np.ndarray[Any, Any]) -> Tensor:
    if isinstance(tensor, Quantized):
        tensor = tensor.rows(np.arange(len(tensor.numbers)))
    return torch.tensor(np.array(tensor, np.float32))


def granite_tokenizer() -> Any:
    tokenizer = Tokenizer.from_str(granite.load().pack.tokenizer)
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    return tokenizer


def main() -> None:
    folder = Path(sys.argv[1])
    share_of_time = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    torch.manual_seed(0)
    random.seed(0)
    student = Student().to(DEVICE)
    learn_from_teacher(student, folder, [each * share_of_time for each in SECONDS[:2]])
    save(student, folder, "student", left_out_pairs(folder))
    measured = learn_from_passages(student, folder, SECONDS[2] * share_of_time)
    save(student, folder, "student_answers", measured)


def save(student: Student, folder: Path, name: str, left_out: Sequence[Pair]) -> None:
    """Its weights, and what it says of pairs that it did not learn from."""
    held = {name: each.detach().cpu().numpy() for name, each in student.state_dict().items()}
    np.savez(folder / f"{name}.npz", **held)
    scores = predict(student, tokens_of(left_out, granite_tokenizer(), PADDING))
    rows = [
        asdict(pair) | {"claim": claim.tolist(), "answer": float(answer)}
        for pair, claim, answer in zip(left_out, scores.claims, scores.answers, strict=True)
    ]
    (folder / f"{name}.json").write_text(json.dumps(rows), "utf-8")


def learn_from_teacher(student: Student, folder: Path, passes: Sequence[float]) -> None:
    labelled, near = learned_pairs(folder), list(read_pairs(folder / "near.jsonl"))
    pairs = [*labelled, *near]
    with np.load(folder / "teacher.npz") as held:
        taught = Scores(held["claims"], held["answers"])
    if len(taught.answers) != len(pairs):
        raise ValueError(
            f"teacher.npz is of {len(taught.answers)} pairs, here are {len(pairs)}: "
            "run training.teacher again"
        )
    left_out = left_out_pairs(folder)
    tokenizer = granite_tokenizer()
    tokens = tokens_of(pairs, tokenizer, PADDING)
    left_out_tokens = tokens_of(left_out, tokenizer, PADDING)
    weights = [1.0 if pair.origin == NEAR else label_weight(pair) for pair in pairs]
    # A contrast is what it was made to be; of what is near only the teacher knows.
    trusts = {CONTRAST: 1.0, NEAR: 0.0}
    targets = Targets.of(pairs, weights, taught, [trusts.get(each.origin, 0.5) for each in pairs])
    rows = Rows(labelled)
    unlabelled = range(len(labelled), len(pairs))

    def epoch() -> list[int]:
        drawn = [*some(rows.contrasts, CONTRASTS), *some(rows.public, PUBLIC_PAIRS)]
        return rows.own * REPEATED + drawn + some(unlabelled, NEAR_PAIRS)

    def after() -> None:
        measure("student", left_out, predict(student, left_out_tokens))

    for seconds in passes:
        fit(student, tokens, targets, epoch=epoch, seconds=seconds, rate=RATE, after=after)


def learn_from_passages(student: Student, folder: Path, seconds: float) -> list[Pair]:
    """What it is measured by: claims and questions left out, with passages that do not answer."""
    labelled, left_out = learned_pairs(folder), left_out_pairs(folder)
    negatives = list(read_pairs(folder / "negatives.jsonl"))
    claims = [pair for pair in labelled if not pair.is_question]
    questions = [
        *(pair for pair in labelled if pair.is_question and not _is_worded_unanswerable(pair)),
        *(pair for pair in negatives if not pair.is_left_out),
    ]
    pairs = [*claims, *questions]
    measured = [
        *(pair for pair in left_out if not pair.is_question or pair.label == ANSWERED),
        *(pair for pair in negatives if pair.is_left_out),
    ]
    tokenizer = granite_tokenizer()
    tokens, measured_tokens = (tokens_of(each, tokenizer, PADDING) for each in (pairs, measured))
    own_opinion = predict(student, tokens)
    student.forget_answers()
    trust = [1.0 if pair.is_question or pair.origin == CONTRAST else 0.4 for pair in pairs]
    targets = Targets.of(pairs, [_last_weight(pair) for pair in pairs], own_opinion, trust)
    rows = Rows(claims)
    asked = list(range(len(claims), len(pairs)))
    asked_of_manuals = [row for row in asked if WRITTEN in (pairs[row].origin, pairs[row].kind)]

    def epoch() -> list[int]:
        drawn = [*some(rows.contrasts, LAST_CONTRASTS), *some(rows.public, LAST_PUBLIC_PAIRS)]
        return rows.own * REPEATED + drawn + asked + asked_of_manuals * (REPEATED - 1)

    def after() -> None:
        measure("student", measured, predict(student, measured_tokens))

    fit(student, tokens, targets, epoch=epoch, seconds=seconds, rate=LAST_RATE, after=after)
    return measured


def _is_worded_unanswerable(pair: Pair) -> bool:
    return pair.origin == WRITTEN and pair.label == UNANSWERED


def _last_weight(pair: Pair) -> float:
    if not pair.is_question:
        return label_weight(pair)
    return {WRITTEN: 3.0, NEGATIVE: 1.0}.get(pair.origin, 0.4)


class Rows:
    """Where pairs of each origin are."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.own = [row for row, pair in enumerate(pairs) if pair.is_about_manuals]
        self.contrasts = [row for row, pair in enumerate(pairs) if pair.origin == CONTRAST]
        known = {*self.own, *self.contrasts}
        self.public = [row for row in range(len(pairs)) if row not in known]


if __name__ == "__main__":
    main()
