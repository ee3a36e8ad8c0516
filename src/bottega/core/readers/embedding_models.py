"""The embedder that a setting names, and the optional ones: they need a package or a key."""

import asyncio
import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bottega.core.imports import load
from bottega.core.readers.embedder import Embedder, Vector, unit
from bottega.core.readers.wordllama import WordLlamaEmbedder
from bottega.errors import ConfigurationError, Unavailable

if TYPE_CHECKING:
    from openai import AsyncOpenAI

#: Static vectors at once, and finer ones behind (`core/search/refinement.py`).
DEFAULT = "granite"
#: Texts in one request to an API: under the limits of OpenAI and of its look-alikes.
TEXTS_AT_ONCE = 128


def make_embedder(
    spec: str, *, openai_api_key: str | None = None, openai_base_url: str | None = None
) -> Embedder:
    """The embedder of a setting such as `granite` or `fastembed:BAAI/bge-small-en-v1.5`."""
    kind, _, model = spec.partition(":")
    if spec in (DEFAULT, "wordllama"):
        return WordLlamaEmbedder()
    if model and kind == "fastembed":
        return FastEmbedEmbedder(model)
    if model and kind == "sentence-transformers":
        return SentenceTransformerEmbedder(model)
    if model and kind == "openai":
        return OpenAIEmbedder(model, api_key=openai_api_key, base_url=openai_base_url)
    raise ConfigurationError(
        f"BOTTEGA_EMBEDDER={spec!r}: use `granite`, `wordllama`, `fastembed:MODEL`, "
        "`sentence-transformers:MODEL` or `openai:MODEL`."
    )


class ModelEmbedder(ABC):
    """Loads on first use, asks the model once for its dimension, and spares it empty texts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._dimension: int | None = None
        self._loading = asyncio.Lock()

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            raise ConfigurationError(
                f"The dimension of the embedder {self.name!r} is known after `warm()`."
            )
        return self._dimension

    async def warm(self) -> None:
        async with self._loading:
            if self._dimension is None:
                self._dimension = (await self._encode(["dimension"])).shape[1]

    async def embed(self, texts: Sequence[str]) -> Vector:
        await self.warm()
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        filled = [row for row, text in enumerate(texts) if text.strip()]
        if filled:
            vectors[filled] = await self._encode([texts[row] for row in filled])
        return unit(vectors)

    @abstractmethod
    async def _encode(self, texts: list[str]) -> NDArray[Any]: ...


class FastEmbedEmbedder(ModelEmbedder):
    def __init__(self, model: str) -> None:
        super().__init__(f"fastembed:{model}")
        _require("fastembed", self.name)
        self._model = model
        self._encoder: Any = None  # an optional package

    async def _encode(self, texts: list[str]) -> NDArray[Any]:
        return await asyncio.to_thread(self._run, texts)

    def _run(self, texts: list[str]) -> NDArray[Any]:
        if self._encoder is None:
            self._encoder = importlib.import_module("fastembed").TextEmbedding(self._model)
        return np.stack(list(self._encoder.embed(texts)))


class SentenceTransformerEmbedder(ModelEmbedder):
    def __init__(self, model: str) -> None:
        super().__init__(f"sentence-transformers:{model}")
        _require("sentence-transformers", self.name)
        self._model = model
        self._encoder: Any = None  # an optional package

    async def _encode(self, texts: list[str]) -> NDArray[Any]:
        return await asyncio.to_thread(self._run, texts)

    def _run(self, texts: list[str]) -> NDArray[Any]:
        if self._encoder is None:
            package = importlib.import_module("sentence_transformers")
            self._encoder = package.SentenceTransformer(self._model)
        return np.asarray(self._encoder.encode(texts, show_progress_bar=False))


class OpenAIEmbedder(ModelEmbedder):
    """OpenAI's embeddings, or those of a server that speaks the same: Ollama, vLLM, llama.cpp."""

    def __init__(self, model: str, *, api_key: str | None, base_url: str | None) -> None:
        super().__init__(f"openai:{model}")
        if not api_key and not base_url:
            raise ConfigurationError(
                f"The embedder {self.name!r} needs OPENAI_API_KEY, or OPENAI_BASE_URL of a server "
                "that asks for none."
            )
        self._model = model
        # A compatible server may need no key, but the SDK insists on one.
        self._api_key = api_key or "none"
        self._base_url = base_url
        self._client: AsyncOpenAI | None = None

    async def _encode(self, texts: list[str]) -> NDArray[Any]:
        await load("openai")
        from openai import AsyncOpenAI, OpenAIError

        self._client = self._client or AsyncOpenAI(api_key=self._api_key, base_url=self._base_url)
        rows: list[list[float]] = []
        try:
            for start in range(0, len(texts), TEXTS_AT_ONCE):
                answer = await self._client.embeddings.create(
                    model=self._model,
                    input=texts[start : start + TEXTS_AT_ONCE],
                    encoding_format="float",
                )
                rows += [each.embedding for each in sorted(answer.data, key=lambda e: e.index)]
        except OpenAIError as error:
            raise Unavailable(f"The embedder {self.name!r} failed: {error}") from error
        return np.array(rows, dtype=np.float32)


def _require(package: str, name: str) -> None:
    if importlib.util.find_spec(package.replace("-", "_")) is None:
        raise ConfigurationError(
            f"The embedder {name!r} needs a package that is not installed: pip install {package}"
        )
