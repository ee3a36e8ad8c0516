"""Six layers of a BERT in NumPy, from weights of a byte in groups of 64.

All tokens of a batch go through a layer as the rows of one matrix, without padding; only attention
looks at each text by itself. ONNX Runtime is half as fast again, and reports to its makers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bottega.core.readers.embedder import Vector

HEADS, LAYERS, GROUP = 12, 6, 64
EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class Quantized:
    """Rows of bytes; each group of 64 is multiplied by its scale."""

    numbers: NDArray[np.int8]
    scales: NDArray[np.float32]

    def rows(self, places: NDArray[np.int64]) -> Vector:
        groups = self.numbers[places].astype(np.float32).reshape(*places.shape, -1, GROUP)
        groups *= self.scales[places][..., None]
        return groups.reshape(*places.shape, -1)


class Encoder:
    """Given the vectors of texts' tokens, what they are after all layers."""

    def __init__(self, tensors: Mapping[str, Any]) -> None:
        self._begin = Norm.of("emb_ln", tensors)
        self._layers = [Layer.of(f"l{number}", tensors) for number in range(LAYERS)]

    def __call__(self, words: Vector, lengths: NDArray[np.int32]) -> tuple[Vector, list[int]]:
        """The tokens of all texts, one row each, and the row at which each text begins.

        `words` has a text in each row, filled up behind its length.
        """
        is_token = np.arange(words.shape[1]) < lengths[:, None]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        rows = self._begin(words[is_token])
        for layer in self._layers:
            rows = layer(rows, starts)
        return rows, starts[:-1].tolist()


@dataclass(frozen=True, slots=True)
class Norm:
    weight: Vector
    bias: Vector

    @classmethod
    def of(cls, name: str, tensors: Mapping[str, Any]) -> "Norm":
        return cls(tensors[f"{name}.w"], tensors[f"{name}.b"])

    def __call__(self, rows: Vector) -> Vector:
        rows = rows - rows.mean(1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[1]
        rows *= (1 / np.sqrt(variance + EPSILON))[:, None]
        rows *= self.weight
        rows += self.bias
        return rows


@dataclass(frozen=True, slots=True)
class Linear:
    #: One column an output.
    weight: Vector
    bias: Vector

    @classmethod
    def of(cls, name: str, tensors: Mapping[str, Any]) -> "Linear":
        packed: Quantized = tensors[f"{name}.w"]
        rows = packed.rows(np.arange(len(packed.numbers)))
        return cls(np.ascontiguousarray(rows.T), tensors[f"{name}.b"])

    def __call__(self, rows: Vector) -> Vector:
        out: Vector = rows @ self.weight
        out += self.bias
        return out


@dataclass(frozen=True, slots=True)
class Layer:
    looks: Linear
    attended: Linear
    attended_norm: Norm
    widened: Linear
    narrowed: Linear
    narrowed_norm: Norm

    @classmethod
    def of(cls, name: str, tensors: Mapping[str, Any]) -> "Layer":
        return cls(
            Linear.of(f"{name}.qkv", tensors),
            Linear.of(f"{name}.ao", tensors),
            Norm.of(f"{name}.aln", tensors),
            Linear.of(f"{name}.f1", tensors),
            Linear.of(f"{name}.f2", tensors),
            Norm.of(f"{name}.fln", tensors),
        )

    def __call__(self, rows: Vector, starts: NDArray[np.int64]) -> Vector:
        change = self.attended(_attend(self.looks(rows), starts))
        change += rows
        rows = self.attended_norm(change)
        change = self.narrowed(_gelu(self.widened(rows)))
        change += rows
        return self.narrowed_norm(change)


def _attend(looks: Vector, starts: NDArray[np.int64]) -> Vector:
    """What each token takes from the others of its text."""
    width = looks.shape[1] // 3
    out = np.empty((len(looks), width), np.float32)
    for start, end in pairwise(starts):
        parts = looks[start:end].reshape(end - start, 3, HEADS, -1).transpose(1, 2, 0, 3)
        shares = parts[0] @ parts[1].transpose(0, 2, 1)
        shares *= np.float32((width // HEADS) ** -0.5)
        shares -= shares.max(-1, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(-1, keepdims=True)
        out[start:end] = (shares @ parts[2]).transpose(1, 0, 2).reshape(end - start, width)
    return out


def _gelu(rows: Vector) -> Vector:
    """By its usual approximation: a tenth of the time of the exact one."""
    inner = rows * rows
    inner *= np.float32(0.044715)
    inner += 1
    inner *= rows
    inner *= np.float32(np.sqrt(2 / np.pi))
    np.tanh(inner, out=inner)
    inner += 1
    inner *= rows
    inner *= np.float32(0.5)
    return inner
