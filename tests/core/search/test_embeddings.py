"""Texts as vectors."""

import asyncio
import logging
import sys
from collections.abc import AsyncIterator

import numpy as np
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bottega.core.readers.embedding_models import make_embedder
from bottega.core.readers.wordllama import WordLlamaEmbedder
from bottega.errors import ConfigurationError, Unavailable


async def test_the_default_needs_no_network_and_says_who_it_is(
    embedder: WordLlamaEmbedder,
) -> None:
    vectors = await embedder.embed(["a race condition in login", "baking a cake", "auth race bug"])
    assert vectors.shape == (3, embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[2] > vectors[0] @ vectors[1]
    assert embedder.name.startswith("wordllama:")


async def test_a_text_has_the_same_vector_alone_and_in_any_company(
    embedder: WordLlamaEmbedder,
) -> None:
    """Both the short way on the loop and the long one in a thread give the same."""
    alone = (await embedder.embed(["one short text"]))[0]
    long = ["much longer " * n for n in range(1, 300)]
    among = await embedder.embed([*long, "one short text", *long])
    assert np.array_equal(among[len(long)], alone)


async def test_half_of_a_surrogate_pair_is_a_text_too(embedder: WordLlamaEmbedder) -> None:
    """As JSON may bring it; no tokenizer takes it."""
    assert (await embedder.embed(["half of \ud800 a pair"])).any()


async def test_nothing_to_embed_is_a_vector_without_direction(embedder: WordLlamaEmbedder) -> None:
    vectors = await embedder.embed(["", "text"])
    assert not vectors[0].any()
    assert np.isfinite(vectors).all()
    assert (await embedder.embed([])).shape == (0, 256)


async def test_vectors_are_those_of_the_library_itself(embedder: WordLlamaEmbedder) -> None:
    from pathlib import Path

    import wordllama

    library = wordllama.WordLlama.load(
        cache_dir=Path(wordllama.__file__).parent, disable_download=True
    )
    texts = ["def main(): return 1", "Ünïcode and 😀", "one"]
    theirs = library.embed(texts, norm=True)
    assert np.allclose(await embedder.embed(texts), theirs, atol=1e-5)


async def test_loading_leaves_the_log_as_it_was() -> None:
    sys.modules.pop("wordllama.inference", None)
    sys.modules.pop("wordllama", None)
    before = logging.getLogger().level, list(logging.getLogger().handlers)
    await asyncio.gather(*(WordLlamaEmbedder().warm() for _ in range(2)))
    assert (logging.getLogger().level, logging.getLogger().handlers) == before


@pytest.mark.parametrize("spec", ["", "bert", "openai", "fastembed:", "wordllama:512"])
def test_an_unknown_embedder_ends_the_start_with_what_would_be_right(spec: str) -> None:
    with pytest.raises(ConfigurationError, match="BOTTEGA_EMBEDDER"):
        make_embedder(spec)


def test_an_embedder_without_its_package_or_key_says_what_it_needs() -> None:
    with pytest.raises(ConfigurationError, match="pip install fastembed"):
        make_embedder("fastembed:BAAI/bge-small-en-v1.5")
    with pytest.raises(ConfigurationError, match="pip install sentence-transformers"):
        make_embedder("sentence-transformers:all-MiniLM-L6-v2")
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        make_embedder("openai:text-embedding-3-small")


@pytest.fixture
async def embeddings_api() -> AsyncIterator[str]:
    """The part of OpenAI's API that is asked for, on loopback, for the real SDK."""

    async def embeddings(request: Request) -> Response:
        body = await request.json()
        if request.headers["authorization"] != "Bearer secret" or "" in body["input"]:
            return JSONResponse({"error": {"message": "no"}}, status_code=400)
        data = [
            {"object": "embedding", "index": index, "embedding": [len(text), 1.0, 0.0]}
            for index, text in enumerate(body["input"])
        ]
        data.reverse()
        return JSONResponse({"object": "list", "data": data, "model": body["model"], "usage": {}})

    app = Starlette(routes=[Route("/v1/embeddings", embeddings, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/v1"
    server.should_exit = True
    await serving


async def test_an_api_embeds_in_order_and_is_spared_empty_texts(embeddings_api: str) -> None:
    embedder = make_embedder(
        "openai:small", openai_api_key="secret", openai_base_url=embeddings_api
    )
    with pytest.raises(ConfigurationError, match="warm"):
        _ = embedder.dimension
    vectors = await embedder.embed(["xx", " ", *("y" * n for n in range(1, 200))])
    assert embedder.dimension == 3
    assert not vectors[1].any()
    assert np.allclose(vectors[0], np.array([2, 1, 0]) / np.sqrt(5))
    assert np.allclose(vectors[-1][0] / vectors[-1][1], 199, rtol=1e-4)


async def test_an_api_that_refuses_is_unavailable(embeddings_api: str) -> None:
    embedder = make_embedder("openai:small", openai_api_key="no", openai_base_url=embeddings_api)
    with pytest.raises(Unavailable, match="openai:small"):
        await embedder.embed(["text"])
