"""The tensors of an ONNX file, without the packages that would run it.

Only what is wanted is copied out of the file, which is mapped into memory: the table of words alone
is half of it, and a claim needs a hundred rows of that. The format is protobuf's: fields of a
number, a kind and a value, within each other.
"""

import mmap
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float32]

#: ONNX's numbers of the types that are in use.
TYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype("<f4"),
    2: np.dtype("u1"),
    3: np.dtype("i1"),
}
#: Protobuf's numbers of the fields that are read.
GRAPH, TENSOR = 7, 5
DIMENSIONS, TYPE, FLOATS, INTEGERS, NAME, RAW = 1, 2, 4, 5, 8, 9

_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class Quantized:
    """Bytes that stand for numbers."""

    values: Array
    scale: Array
    zero: Array

    def rows(self, places: Any) -> Floats:
        """Those at some places, as the numbers that they stand for."""
        numbers = self.values[places].astype(np.float32) - self.zero.astype(np.float32)
        return np.asarray(numbers * self.scale, np.float32)


class Tensors:
    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._tensors = dict(_read(memoryview(self._file)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def plain(self, name: str) -> Floats:
        return np.array(self._tensors[name], np.float32)

    def quantized(self, name: str) -> Quantized:
        parts = (self._tensors[f"{name}_{part}"] for part in ("quantized", "scale", "zero_point"))
        return Quantized(*parts)


def _read(model: memoryview) -> Iterator[tuple[str, Array]]:
    """All tensors of a type that is in use, by name."""
    graphs = (value for number, value in _fields(model) if number == GRAPH)
    for graph in graphs:
        for number, tensor in _fields(graph):
            if number == TENSOR:
                yield from _tensor(tensor)


def _tensor(message: memoryview) -> Iterator[tuple[str, Array]]:
    found: dict[int, list[Any]] = defaultdict(list)
    for number, value in _fields(message):
        found[number].append(value)
    kind = TYPES.get(found[TYPE][0])
    if kind is None:
        return
    if raw := found[RAW] or found[FLOATS]:
        values = np.frombuffer(raw[0], kind)
    else:
        values = np.array(_numbers(found[INTEGERS])).astype(kind)
    yield bytes(found[NAME][0]).decode(), values.reshape(_numbers(found[DIMENSIONS]))


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _varint(message, place)
            yield number, value
            continue
        if kind == _BYTES:
            size, place = _varint(message, place)
        else:
            size = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}[kind]
        yield number, message[place : place + size]
        place += size


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where the next begins."""
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place


def _numbers(values: list[Any]) -> list[int]:
    """Of a field that is there once for each, or once for all."""
    numbers: list[int] = []
    for value in values:
        if isinstance(value, int):
            numbers.append(value)
            continue
        place = 0
        while place < len(value):
            number, place = _varint(value, place)
            numbers.append(number)
    return numbers
