"""Words and meaning together."""

import pytest

from bottega.core.db.database import Database
from bottega.core.readers.wordllama import WordLlamaEmbedder
from bottega.core.search.backends import choose_store, make_text_index
from bottega.core.search.hybrid import HybridSearch, SearchPath, SearchType, VectorIndex, Weights
from bottega.core.search.text_index import TextDocument
from bottega.errors import Unavailable

TEXTS = {
    "oauth": "Race condition in the OAuth callback loses the login",
    "signin": "Two requests at once break authentication of the person",
    "css": "The grid of the settings page overflows on a phone",
    "invoice": "Invoice INV-2231 was paid twice",
    "cake": "Bake the sponge for forty minutes",
}
NAME = "notes"


async def searching(
    database: Database,
    embedder: WordLlamaEmbedder,
    chromadb_url: str | None = None,
    weights: Weights | None = None,
) -> HybridSearch:
    texts = make_text_index(database)
    metadata = {key: {"long": len(text) > 45} for key, text in TEXTS.items()}
    await texts.put(NAME, [TextDocument(key, TEXTS[key], metadata[key]) for key in TEXTS])
    store = choose_store(database, chromadb_url)
    await store.start()
    vectors = VectorIndex(store, embedder, NAME)
    if chromadb_url is None:
        await vectors.add(list(TEXTS), list(TEXTS.values()), list(metadata.values()))
    return HybridSearch(texts, vectors, NAME, weights=weights)


async def test_what_words_find_and_what_meaning_finds_are_both_there(
    database: Database, embedder: WordLlamaEmbedder
) -> None:
    search = await searching(database, embedder)
    result = await search.search("race condition when users log in", limit=5)
    assert result.search_type is SearchType.HYBRID
    assert result.degraded is None
    by_id = {hit.id: hit for hit in result.hits}
    assert result.hits[0].id == "oauth"
    assert by_id["oauth"].paths == (SearchPath.KEYWORD, SearchPath.VECTOR)
    assert by_id["signin"].keyword_rank is None
    assert by_id["signin"].paths == (SearchPath.VECTOR,)
    assert by_id["signin"].score > by_id["cake"].score


async def test_the_score_weighs_both_halves_and_the_rank_fusion_stands_beside_it(
    database: Database, embedder: WordLlamaEmbedder
) -> None:
    search = await searching(database, embedder)
    [best, *_] = (await search.search("INV-2231")).hits
    assert (best.id, best.keyword_rank, best.vector_rank) == ("invoice", 1, 1)
    assert best.score == pytest.approx(0.8 * 1 + 0.2 * 1)
    assert best.rrf_score == pytest.approx(1 / 61 + 1 / 61)
    only_meaning = await searching(database, embedder, weights=Weights(0, 1))
    scores = [hit.score for hit in (await only_meaning.search("INV-2231")).hits]
    assert (scores[0], scores[-1]) == (1, 0)


async def test_one_half_alone_can_be_asked_for(
    database: Database, embedder: WordLlamaEmbedder
) -> None:
    search = await searching(database, embedder)
    words = await search.search("grid of the invoice", search_type=SearchType.KEYWORD)
    assert {hit.id for hit in words.hits} >= {"css", "invoice"}
    assert {path for hit in words.hits for path in hit.paths} == {SearchPath.KEYWORD}
    meaning = await search.search("dessert recipe", search_type=SearchType.VECTOR, limit=1)
    assert [(hit.id, hit.paths) for hit in meaning.hits] == [("cake", (SearchPath.VECTOR,))]


async def test_a_filter_holds_for_both_halves(
    database: Database, embedder: WordLlamaEmbedder
) -> None:
    search = await searching(database, embedder)
    for search_type in SearchType:
        result = await search.search(
            "invoice of the grid", where={"long": False}, search_type=search_type
        )
        assert {hit.id for hit in result.hits} <= {"invoice", "cake"}
        assert result.hits[0].id == "invoice"


@pytest.mark.requirement("EC-49")
async def test_a_query_without_words_is_no_error(
    database: Database, embedder: WordLlamaEmbedder
) -> None:
    """An empty query is passed on as it is."""
    search = await searching(database, embedder)
    for search_type in SearchType:
        assert len((await search.search("", search_type=search_type)).hits) <= len(TEXTS)


async def test_without_vectors_words_still_answer_and_the_result_says_so(
    sqlite: Database, embedder: WordLlamaEmbedder
) -> None:
    search = await searching(sqlite, embedder, chromadb_url="http://127.0.0.1:9")
    result = await search.search("oauth callback")
    assert [hit.id for hit in result.hits][:1] == ["oauth"]
    assert result.search_type is SearchType.KEYWORD
    assert result.degraded is not None
    assert "http://127.0.0.1:9" in result.degraded
    with pytest.raises(Unavailable):
        await search.search("oauth", search_type=SearchType.VECTOR)
