"""A small model that reads a claim and a passage together: granite's six layers, taught to tell
whether the one is said by the other.

It is ours (`training/README.md` says what it learned from): the layers are in `cross_encoder.npz`,
words and tokenizer are those of granite's own pack. The vector of the first token tells whether the
passage supports the claim, contradicts it or says neither.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bottega.core.readers import granite
from bottega.core.readers.embedder import Vector
from bottega.core.readers.encoder import Encoder, Linear, Quantized

WEIGHTS = Path(__file__).with_name("cross_encoder.npz")
#: Tokens of both texts together: as many as it learned with.
LONGEST = 224

#: A claim and a passage.
TextPair = tuple[str, str]


@cache
def _about() -> dict[str, dict[str, tuple[float, float]]]:
    """How its scores become chances, and from where on these are sure; `training/` writes it."""
    held: dict[str, dict[str, tuple[float, float]]] = json.loads(
        WEIGHTS.with_suffix(".json").read_text("utf-8")
    )
    return held


def claim_bounds() -> tuple[float, float]:
    """Up to the first a claim is not supported, from the second on it is."""
    low, high = _about()["bounds"]["claim"]
    return low, high


class CrossEncoder:
    def __init__(self) -> None:
        base = granite.load()
        with np.load(WEIGHTS) as held:
            tensors = dict(_tensors(held))
        self._layers = granite.Granite(
            base.pack, _tokenizer(base.pack.tokenizer), Encoder(tensors), base.processors
        )
        self._pool, self._claim = (Linear.of(name, tensors) for name in ("pool", "claim"))

    def read_claims(self, pairs: Sequence[TextPair]) -> Vector:
        """One row a claim and passage: the chances of supported, contradicted and unknown."""
        scores = self._claim(np.tanh(self._pool(self._read(pairs))))
        scores -= scores.max(1, keepdims=True)
        shares = np.exp(scores)
        shares /= shares.sum(1, keepdims=True)
        slope, shift = _about()["calibration"]["claim"]
        supported = 1 / (1 + np.exp(-(slope * _logit(shares[:, 0]) + shift)))
        others = shares[:, 1:] / np.maximum(shares[:, 1:].sum(1, keepdims=True), 1e-9)
        return np.column_stack([supported, others * (1 - supported)[:, None]])

    def _read(self, pairs: Sequence[TextPair]) -> Vector:
        encoded = self._layers.tokenizer.encode_batch_fast(list(pairs))
        tokens = {row: each.ids for row, each in enumerate(encoded)}
        vectors = np.zeros((len(pairs), granite.GraniteEmbedder.dimension), np.float32)
        for rows in granite.batches(tokens):
            vectors[rows] = self._layers.read([tokens[row] for row in rows])
        return vectors


def _logit(share: NDArray[Any]) -> NDArray[np.float64]:
    clipped = np.clip(share.astype(np.float64), 1e-6, 1 - 1e-6)
    return np.asarray(np.log(clipped / (1 - clipped)), np.float64)


def _tokenizer(text: str) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST, strategy="longest_first")
    return tokenizer


def _tensors(held: Any) -> Any:
    for name in held.files:
        if name.endswith(":scales"):
            continue
        scales = f"{name}:scales"
        yield name, Quantized(held[name], held[scales]) if scales in held else held[name]


_loading = Lock()


def load() -> CrossEncoder:
    """The one copy of this process."""
    with _loading:
        return _load()


@cache
def _load() -> CrossEncoder:
    return CrossEncoder()
