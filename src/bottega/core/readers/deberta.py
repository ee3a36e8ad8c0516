"""A small language model that reads two texts together: DeBERTa, of twelve layers, in NumPy.

In its attention a word looks at what the others are and, apart from that, at how far away they
stand ("disentangled": He, Gao and Chen, "DeBERTaV3", 2021). One pair of texts at a time: without
padding there is nothing to mask, and pairs go side by side in threads, for NumPy lets go of the
lock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray
from scipy.special import erf

from bottega.core.readers.onnx_file import Floats, Quantized

HEADS = 6
#: Distances up to half of this are told apart, greater ones in ever coarser steps.
BUCKETS = 256
FARTHEST = 512
#: What a word is, what it is for the distance, and what the distance is for it.
PARTS_OF_ATTENTION = 3


@dataclass(frozen=True, slots=True)
class Norm:
    weight: Floats
    bias: Floats

    def __call__(self, values: Floats) -> Floats:
        centred = values - values.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-7)
        return np.asarray(centred / spread * self.weight + self.bias, np.float32)


@dataclass(frozen=True, slots=True)
class Linear:
    #: One column an output.
    weight: Floats
    bias: Floats

    def __call__(self, values: Floats) -> Floats:
        return values @ self.weight + self.bias


@dataclass(frozen=True, slots=True)
class Layer:
    query: Linear
    key: Linear
    value: Linear
    attended: Linear
    attended_norm: Norm
    widened: Linear
    narrowed: Linear
    narrowed_norm: Norm


class Deberta:
    def __init__(
        self,
        words: Quantized,
        words_norm: Norm,
        distances: Floats,
        layers: Sequence[Layer],
        pooler: Linear,
        classifier: Linear,
    ) -> None:
        self._words = words
        self._words_norm = words_norm
        self._layers = layers
        self._pooler = pooler
        self._classifier = classifier
        # What a layer makes of distances does not depend on the text.
        self._distances = [
            (_by_head(layer.query(distances)), _by_head(layer.key(distances))) for layer in layers
        ]

    def __call__(self, tokens: Sequence[int]) -> Floats:
        """What the classifier says about the tokens of two texts, before any softmax."""
        values = self._words_norm(self._words.rows(np.asarray(tokens)))
        buckets = _buckets(len(tokens))
        for layer, (query, key) in zip(self._layers, self._distances, strict=True):
            values = _read(layer, values, query[:, buckets], key[:, buckets])
        return self._classifier(_gelu(self._pooler(values[0])))


def _read(layer: Layer, values: Floats, distance_query: Floats, distance_key: Floats) -> Floats:
    query, key, value = (_by_head(each(values)) for each in (layer.query, layer.key, layer.value))
    scores = query @ key.transpose(0, 2, 1)
    scores += _shifted(query @ distance_key.transpose(0, 2, 1))
    scores += _shifted(key @ distance_query.transpose(0, 2, 1)[:, :, ::-1]).transpose(0, 2, 1)
    scores /= np.sqrt(np.float32(query.shape[-1] * PARTS_OF_ATTENTION))
    attention = _softmax(scores) @ value
    joined = attention.transpose(1, 0, 2).reshape(values.shape)
    values = layer.attended_norm(layer.attended(joined) + values)
    return layer.narrowed_norm(layer.narrowed(_gelu(layer.widened(values))) + values)


def _by_head(values: Floats) -> Floats:
    return np.ascontiguousarray(values.reshape(len(values), HEADS, -1).transpose(1, 0, 2))


def _shifted(scores: Floats) -> Floats:
    """From one column a distance to one a word: the word at j is i - j away from that at i."""
    heads, length, _ = scores.shape
    scores = np.ascontiguousarray(scores)
    head, row, column = scores.strides
    return as_strided(
        scores[:, :, length - 1 :],
        (heads, length, length),
        (head, row + column, -column),
        writeable=False,
    )


def _softmax(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True), np.float32)


def _gelu(values: Floats) -> Floats:
    return np.asarray(values * 0.5 * (1 + erf(values / np.float32(np.sqrt(2)))), np.float32)


@lru_cache(maxsize=64)
def _buckets(length: int) -> NDArray[np.intp]:
    """Where each distance between two words of so many stands in the table of distances."""
    distance = np.arange(1 - length, length)
    middle = BUCKETS // 2
    far = np.maximum(np.abs(distance), middle)
    steps = np.log(far / middle) / np.log((FARTHEST - 1) / middle) * (middle - 1)
    coarse = (np.ceil(steps) + middle) * np.sign(distance)
    bucket = np.where(far == middle, distance, coarse).astype(np.intp)
    return np.clip(bucket + BUCKETS, 0, 2 * BUCKETS - 1)
