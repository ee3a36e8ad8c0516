"""Teaches the reader of citations: `python -m bench.entailment.fit`, an hour on two processors.

Needs PyTorch and transformers, which nothing else here does (`pip install torch transformers`), the
weights of the extra `entailment`, and the documents of `bench/entailment/claims.py`. It writes
`core/readers/adapter.npz`: for each linear part of a layer a product of two thin matrices
that is added to it ("LoRA"), and new norms and a new head. Held-out and blind claims are not
touched. Every run draws other examples and learns something else: `python -m bench library_judge`
says whether it is better than what ships.
"""

import random
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR
from transformers import DebertaV2Config, DebertaV2ForSequenceClassification

from bench.entailment.claims import Example, learned_from, repeated, set_aside
from bottega.core.readers import entailment as reader
from bottega.core.readers.onnx_file import Tensors
from bottega.core.readers.weights import MODEL

BATCH, WARM = 16, 0.06
RANK, SCALE = 16, 2.0


def main() -> None:
    torch.manual_seed(0)
    found = reader.find_reader()
    assert found is not None, "pip install 'bottega[entailment]'"
    model = adapted(base(Tensors(found.folder / MODEL)))
    teach(model, learned_from(), found.tokenizer, epochs=3, rate=5e-4)
    before = learned(model)
    teach(model, repeated(), found.tokenizer, epochs=1, rate=2e-4)
    average(model, before)
    print(f"{centre(model, set_aside(), found.tokenizer):.3f} right of those set aside")
    save(model)


def base(tensors: Tensors) -> nn.Module:
    """The model as the wheel has it."""
    model = DebertaV2ForSequenceClassification(
        DebertaV2Config(
            vocab_size=128_100,
            hidden_size=384,
            intermediate_size=1536,
            num_attention_heads=6,
            num_hidden_layers=reader.LAYERS,
            relative_attention=True,
            position_buckets=256,
            share_att_key=True,
            pos_att_type="p2c|c2p",
            norm_rel_ebd="layer_norm",
            position_biased_input=False,
            type_vocab_size=0,
            pooler_dropout=0,
        )
    )
    state = {
        name.removeprefix("m."): tensors.plain(name)
        for name in tensors
        if name.startswith("m.") and not name.endswith(("_quantized", "_scale", "_zero_point"))
    }
    for name, weight in reader.linear_weights(tensors):
        state[f"deberta.encoder.layer.{name}.weight"] = weight.T
    for name in ("pooler.dense", "classifier"):
        state[f"{name}.weight"] = tensors.quantized(f"m.{name}.weight").rows(...).T
    words = "deberta.embeddings.word_embeddings.weight"
    state[words] = tensors.quantized(f"m.{words}").rows(...)
    model.load_state_dict({name: torch.tensor(value.copy()) for name, value in state.items()})
    return model


class Corrected(nn.Module):  # type: ignore[misc]
    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.linear = linear
        self.a = nn.Parameter(torch.randn(RANK, linear.in_features) / linear.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(linear.out_features, RANK))
        self.drop = nn.Dropout(0.05)

    def forward(self, values: torch.Tensor) -> Any:
        return self.linear(values) + (self.drop(values) @ self.a.T) @ self.b.T * SCALE


def adapted(model: nn.Module) -> nn.Module:
    for parameter in model.parameters():
        parameter.requires_grad = False
    for name, module in list(model.named_modules()):
        if ".layer." in f"{name}.":
            for part, child in list(module.named_children()):
                if isinstance(child, nn.Linear):
                    setattr(module, part, Corrected(child))
    for name, parameter in model.named_parameters():
        is_norm = ".layer." in name and "LayerNorm" in name
        parameter.requires_grad |= is_norm or name.startswith(("pooler", "classifier"))
    return model


def teach(
    model: nn.Module, examples: Sequence[Example], tokenizer: Tokenizer, *, epochs: int, rate: float
) -> None:
    print(f"{len(examples)} examples")
    chance = random.Random(0)
    learning = [each for each in model.parameters() if each.requires_grad]
    optimizer = AdamW(learning, lr=rate, weight_decay=0.01)
    steps = epochs * (len(examples) // BATCH + 1)
    schedule = LambdaLR(optimizer, partial(_rate, steps=steps))
    model.train()
    for _ in range(epochs):
        for step, batch in enumerate(_batches(examples, chance)):
            labels = torch.tensor([0 if each.is_true else 1 for each in batch])
            loss = functional.cross_entropy(
                _ask(model, batch, tokenizer), labels, label_smoothing=0.05
            )
            loss.backward()
            nn.utils.clip_grad_norm_(learning, 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            if step % 50 == 0:
                print(f"step {schedule.last_epoch} of {steps}: {loss.item():.3f}", flush=True)


def _rate(step: int, *, steps: int) -> float:
    return min(1.0, (step + 1) / (WARM * steps)) * max(0.0, 1 - step / steps)


def _batches(examples: Sequence[Example], chance: random.Random) -> Iterator[list[Example]]:
    """Of about the same length each, in any order."""
    shuffled = chance.sample(examples, len(examples))
    batches = [
        batch
        for some in _by(BATCH * 8, shuffled)
        for batch in _by(BATCH, sorted(some, key=lambda each: len(each.text + each.claim)))
    ]
    chance.shuffle(batches)
    yield from batches


def _by(size: int, examples: Sequence[Example]) -> list[list[Example]]:
    return [list(examples[at : at + size]) for at in range(0, len(examples), size)]


def _ask(model: nn.Module, batch: Sequence[Example], tokenizer: Tokenizer) -> torch.Tensor:
    encoded = [tokenizer.encode(each.text, each.claim).ids for each in batch]
    longest = max(map(len, encoded))
    ids = torch.tensor([each + [0] * (longest - len(each)) for each in encoded])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits: torch.Tensor = model(input_ids=ids, attention_mask=(ids != 0).long()).logits
    return logits.float()


def learned(model: nn.Module) -> dict[str, torch.Tensor]:
    return {
        name: value.detach().clone()
        for name, value in model.named_parameters()
        if value.requires_grad
    }


def average(model: nn.Module, before: dict[str, torch.Tensor]) -> None:
    """Of what was learned before and after the last round: it carries over better than either."""
    for name, value in model.named_parameters():
        if value.requires_grad:
            value.data = (value.data + before[name]) / 2


def centre(model: nn.Module, examples: Sequence[Example], tokenizer: Tokenizer) -> float:
    """Put the line between true and false where it divides claims best that were not learned
    from. How many of them are right."""
    model.eval()
    with torch.no_grad():
        said = torch.cat([_ask(model, batch, tokenizer) for batch in _by(BATCH, examples)])
    sure = (said[:, 0] - said[:, 1]).numpy()
    truth = np.array([each.is_true for each in examples])
    line = LogisticRegression(C=100).fit(sure[:, None], truth)
    shift = float(line.intercept_[0] / line.coef_[0, 0])
    model.classifier.bias.data += torch.tensor([shift / 2, -shift / 2])
    return float(((sure + shift > 0) == truth).mean())


def save(model: nn.Module) -> None:
    parts = {
        name.removeprefix("deberta.encoder.layer."): value.half().numpy()
        for name, value in learned(model).items()
    }
    for name in parts:
        if name.endswith(".b"):
            parts[name] *= np.float16(SCALE)
    np.savez(reader.ADAPTER, **parts)


if __name__ == "__main__":
    main()
