"""The default embedder: a table of token vectors, shipped in its wheel.

A text is the mean of its tokens. WordLlama's own `embed` pads each text of a batch to the longest;
adding up only what is there is five times as fast.
"""

import asyncio
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bottega.core.readers.embedder import Vector, readable, unit

#: More text than this takes over a millisecond and goes to a thread.
INLINE_CHARACTERS = 2_000
BATCH = 256
MODEL = "l2_supercat"

Table: TypeAlias = NDArray[np.float16]


class WordLlamaEmbedder:
    name: ClassVar[str] = "wordllama:l2_supercat:256"
    dimension: ClassVar[int] = 256

    def __init__(self) -> None:
        self._tokenizer: Any = None  # a Rust extension without types
        #: As shipped, in half precision: half the memory, and sums are made in full.
        self._table: Table = np.empty((0, self.dimension), dtype=np.float16)
        self._loading = asyncio.Lock()

    async def warm(self) -> None:
        async with self._loading:
            if self._tokenizer is None:
                self._tokenizer, self._table = await asyncio.to_thread(_load)

    async def embed(self, texts: Sequence[str]) -> Vector:
        if self._tokenizer is None:
            await self.warm()
        if sum(map(len, texts)) <= INLINE_CHARACTERS:
            return self.embed_here(texts)
        return await asyncio.to_thread(self.embed_here, texts)

    def embed_here(self, texts: Sequence[str]) -> Vector:
        """For those who are in a thread already, after `warm()`."""
        means = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            batch = [readable(text) for text in texts[start : start + BATCH]]
            encoded = self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)
            for row, tokens in enumerate(encoded, start):
                if ids := tokens.ids:
                    means[row] = self._table[ids].mean(axis=0, dtype=np.float32)
        return unit(means)


def _load() -> tuple[Any, Table]:
    """Read the model's files without its package, which would double the memory they take."""
    from tokenizers import Tokenizer

    package = importlib.util.find_spec("wordllama")
    assert package is not None
    assert package.origin is not None
    files = Path(package.origin).parent
    tokenizer = Tokenizer.from_file(str(files / "tokenizers" / f"{MODEL}_tokenizer_config.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, map_table(files / "weights" / f"{MODEL}_256.safetensors")


def map_table(path: Path) -> Table:
    """The token vectors where they lie: only those of words that are met are ever in memory.

    A safetensors file is the length of its header, the header as JSON, then the numbers.
    """
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        about = json.loads(file.read(length))["embedding.weight"]
    assert about["dtype"] == "F16"
    offset = 8 + length + about["data_offsets"][0]
    return np.asarray(np.memmap(path, np.float16, "r", offset, tuple(about["shape"])))
