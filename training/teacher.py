"""The teacher: DeBERTa-v3-xsmall, tuned on the labelled pairs: `python -m training.teacher FOLDER`.

It reads better than the student and is slower; what it says of each pair, also of those without a
label, is what the student learns. Writes FOLDER/teacher.npz, its chances for all pairs that are
learned, in the order of `taught_pairs`. FOLDER/deberta-v3-xsmall has the model as Hugging Face has
it, with `tokenizer.json`.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional
from transformers import DebertaV2Model

from training.learning import (
    DEVICE,
    Targets,
    Tensor,
    fit,
    measure,
    predict,
    some,
    tokens_of,
)
from training.near import taught_pairs
from training.pair import (
    CLAIM_LABELS,
    label_weight,
    learned_pairs,
    left_out_pairs,
)

MODEL = "deberta-v3-xsmall"
PADDING = 0
RATE = 8e-5
EPOCHS, SECONDS = 4, 200.0
#: Pairs of an epoch that are not about manuals; those that are come twice.
OTHERS, REPEATED = 120_000, 2


class Teacher(nn.Module):  # type: ignore[misc]
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.layers = DebertaV2Model.from_pretrained(folder, dtype=torch.float32)
        width = self.layers.config.hidden_size
        self.pool = nn.Linear(width, width)
        self.claim = nn.Linear(width, len(CLAIM_LABELS))
        self.answer = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        is_token = (ids != PADDING).long()
        first = self.layers(input_ids=ids, attention_mask=is_token).last_hidden_state[:, 0]
        claims = self.claim(functional.gelu(self.pool(first)))
        return claims.float(), self.answer(first).float().squeeze(-1)


def main() -> None:
    folder = Path(sys.argv[1])
    share_of_time = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    torch.manual_seed(0)
    tokenizer = Tokenizer.from_file(str(folder / MODEL / "tokenizer.json"))
    pairs, left_out = learned_pairs(folder), left_out_pairs(folder)
    # It learned to read the text first, then what is claimed of it.
    left_out_tokens = tokens_of(left_out, tokenizer, PADDING, passage_first=True)
    teacher = Teacher(folder / MODEL).to(DEVICE)
    own = [row for row, pair in enumerate(pairs) if pair.is_about_manuals]
    others = [row for row, pair in enumerate(pairs) if not pair.is_about_manuals]
    fit(
        teacher,
        tokens_of(pairs, tokenizer, PADDING, passage_first=True),
        Targets.of(pairs, [label_weight(pair) for pair in pairs]),
        epoch=lambda: own * REPEATED + some(others, OTHERS),
        seconds=SECONDS * share_of_time,
        rate=RATE,
        epochs=EPOCHS,
        after=lambda: measure("teacher", left_out, predict(teacher, left_out_tokens)),
    )
    taught = tokens_of(taught_pairs(folder), tokenizer, PADDING, passage_first=True)
    scores = predict(teacher, taught)
    np.savez(folder / "teacher.npz", claims=scores.claims, answers=scores.answers)


if __name__ == "__main__":
    main()
