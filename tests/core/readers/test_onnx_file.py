"""Reading the tensors of an ONNX file."""

from pathlib import Path

import numpy as np
import pytest

from bottega.core.readers.onnx_file import Tensors


def varint(number: int) -> bytes:
    head, rest = number & 0x7F, number >> 7
    return bytes([head | 0x80]) + varint(rest) if rest else bytes([head])


def field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name: str, kind: int, shape: list[int], *values: bytes) -> bytes:
    dimensions = b"".join(field(1, size) for size in shape)
    return field(5, dimensions + field(2, kind) + field(8, name.encode()) + b"".join(values))


@pytest.fixture
def tensors(tmp_path: Path) -> Tensors:
    path = tmp_path / "model.onnx"
    graph = [
        field(1, b"a node, which is skipped" * 20),
        tensor("plain", 1, [2], field(9, np.array([0.5, -2], "<f4").tobytes())),
        tensor("words_quantized", 2, [3, 2], field(9, bytes([10, 12, 14, 16, 18, 20]))),
        tensor("words_scale", 1, [], field(4, np.array([0.5], "<f4").tobytes())),
        tensor("words_zero_point", 2, [], field(5, varint(10))),
        tensor("shape", 7, [1], field(9, bytes(8))),
    ]
    path.write_bytes(field(1, 8) + field(7, b"".join(graph)))
    return Tensors(path)


@pytest.mark.requirement("LB-249")
def test_tensors_are_found_by_name(tensors: Tensors) -> None:
    """Of the types in use, whichever way their values are written."""
    assert list(tensors) == ["plain", "words_quantized", "words_scale", "words_zero_point"]
    assert tensors.plain("plain").tolist() == [0.5, -2.0]


@pytest.mark.requirement("LB-249")
def test_bytes_stand_for_numbers(tensors: Tensors) -> None:
    words = tensors.quantized("words")
    assert words.rows([2, 0]).tolist() == [[4.0, 5.0], [0.0, 1.0]]
    assert words.rows(...).shape == (3, 2)
