"""Texts as vectors. The default needs no network and no GPU; better models plug in by name."""

from bottega.core.embeddings.embedder import Embedder
from bottega.core.embeddings.models import (
    FastEmbedEmbedder,
    OpenAIEmbedder,
    SentenceTransformerEmbedder,
)
from bottega.core.embeddings.wordllama import WordLlamaEmbedder
from bottega.errors import ConfigurationError

__all__ = ["Embedder", "WordLlamaEmbedder", "make_embedder"]


def make_embedder(
    spec: str, *, openai_api_key: str | None = None, openai_base_url: str | None = None
) -> Embedder:
    """The embedder of a setting such as `wordllama` or `fastembed:BAAI/bge-small-en-v1.5`."""
    kind, _, model = spec.partition(":")
    if spec == "wordllama":
        return WordLlamaEmbedder()
    if model and kind == "fastembed":
        return FastEmbedEmbedder(model)
    if model and kind == "sentence-transformers":
        return SentenceTransformerEmbedder(model)
    if model and kind == "openai":
        return OpenAIEmbedder(model, api_key=openai_api_key, base_url=openai_base_url)
    raise ConfigurationError(
        f"BOTTEGA_EMBEDDER={spec!r}: use `wordllama`, `fastembed:MODEL`, "
        "`sentence-transformers:MODEL` or `openai:MODEL`."
    )
