"""Search: what finds a paragraph, what it is held to, and in which order it comes."""

import json
from pathlib import Path

import pytest

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.providers import Access, Models, choose
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel, ScriptedModels
from bottega.core.search.hybrid import SearchType
from bottega.errors import InvalidInput, ModelError, Unavailable
from bottega.library.documents.service import Terms
from bottega.library.documents.tables import Library
from bottega.library.parsers.document import Kind
from bottega.library.search.rerank import Judgements, PassageJudgement, Reranker
from bottega.library.search.service import SearchFilter, WebSearch
from tests.library.builders import LibraryApp, open_library_app

QUESTIONS = Path(__file__).parent / "data" / "questions.jsonl"


@pytest.fixture
async def library(app: LibraryApp) -> Library:
    made = await app.libraries.create("harbour")
    await app.take(made, app.standards)
    return await app.libraries.get("harbour")


@pytest.mark.requirement("LB-330")
async def test_questions_find_their_paragraphs_on_either_database(
    tmp_path: Path, database_url: str
) -> None:
    """Of the labelled questions, at least nine in ten have an answer among the first 5."""
    lines = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
    asked = [line for line in lines if line["answerable"] and line["refs"]]
    assert len(asked) >= 80
    async with open_library_app(tmp_path, database_url) as app:
        library = await app.libraries.create("harbour")
        await app.take(library, app.standards)
        found = 0
        for line in asked:
            refs = await app.refs(library, line["question"], max_results=5)
            found += any(ref in line["refs"] for ref in refs)
    assert found / len(asked) >= 0.9


@pytest.mark.requirement("LB-331")
async def test_every_hit_says_what_found_it(app: LibraryApp, library: Library) -> None:
    """The halves by name, and the rank fusion beside the score."""
    results = await app.search.search(library, "who may work the crane", expand=False)
    first, *others = results.hits
    assert (results.search_type, results.degraded) == (SearchType.HYBRID, None)
    assert first.paragraph.ref == "315.6"
    assert first.paths == ["keyword", "vector"]
    assert 0 < first.rrf_score <= 2 / 61
    assert len(results.hits) == 20
    assert [hit.score for hit in others] == sorted((hit.score for hit in others), reverse=True)
    more = await app.search.search(library, "who may work the crane", max_results=100)
    assert ["vector"] in [hit.paths for hit in more.hits]


@pytest.mark.requirement("LB-332")
async def test_one_half_can_be_searched_alone(app: LibraryApp, library: Library) -> None:
    for search_type in (SearchType.KEYWORD, SearchType.VECTOR):
        results = await app.search.search(
            library, "crane driver", search_type=search_type, expand=False
        )
        assert results.search_type is search_type
        assert {path for hit in results.hits for path in hit.paths} == {search_type.value}
    by_keyword = await app.refs(library, "zzyzx", search_type="keyword")
    assert by_keyword == []
    assert await app.refs(library, "zzyzx", search_type="vector", max_results=3)


@pytest.mark.requirement("LB-333")
@pytest.mark.parametrize(
    "named", ["450", "450-dues-records-and-appeals.md", "450-dues-records-and-appeals"]
)
async def test_a_search_is_held_to_documents(app: LibraryApp, library: Library, named: str) -> None:
    """By number, path or name; also by id and title."""
    [document] = [each for each in await app.libraries.documents(library) if each.prefix == "450"]
    for names in (named, [named], [document.id], [document.title.upper()]):
        results = await app.search.search(library, "dangerous goods 315.12", filter=names)
        assert results.hits
        assert {hit.paragraph.path for hit in results.hits} == {document.path}


@pytest.mark.requirement("LB-333")
async def test_a_filter_may_name_kinds_and_must_name_what_is_there(
    app: LibraryApp, library: Library
) -> None:
    guides = SearchFilter(kinds=(Kind.GUIDE,))
    results = await app.search.search(library, "the lock", filter=guides)
    assert {hit.paragraph.kind for hit in results.hits} == {Kind.GUIDE}
    both = SearchFilter(documents=("100", "210"), kinds=(Kind.STANDARD,))
    results = await app.search.search(library, "the lock", filter=both)
    assert {hit.paragraph.path[:3] for hit in results.hits} == {"100", "210"}
    with pytest.raises(InvalidInput, match=r"no document '999'.*There are: 100, 210"):
        await app.search.search(library, "the lock", filter="999")


@pytest.mark.requirement("LB-334")
async def test_a_reference_in_the_query_comes_first(app: LibraryApp, library: Library) -> None:
    for query in ("315.12(a)", "What does paragraph 315.12 (a) ask for?"):
        first = (await app.search.search(library, query)).hits[0]
        assert first.paragraph.ref == "315.12(a)"
        assert "reference" in first.paths
    both = await app.refs(library, "paragraphs 210.9 and 450.5", max_results=2)
    assert sorted(both) == ["210.9", "450.5"]


@pytest.mark.requirement("LB-335")
async def test_a_sub_paragraph_is_found_by_the_words_that_lead_to_it(
    app: LibraryApp, library: Library
) -> None:
    """`at least 72 hours before they arrive by sea` does not say what."""
    found = await app.refs(library, "declare dangerous goods that arrive by sea", max_results=3)
    assert "315.12(a)" in found


@pytest.mark.requirement("LB-336")
async def test_a_defined_term_widens_the_query(app: LibraryApp, library: Library) -> None:
    """Named or described, and only where it is asked for."""
    named = await app.search.search(library, "rules for dangerous goods")
    assert named.expanded_by == ["dangerous goods"]
    by_term = [hit for hit in named.hits if "term:dangerous goods" in hit.paths]
    assert "315.1(a)" in [hit.paragraph.ref for hit in by_term]
    described = await app.search.search(library, "person with a crane licence")
    assert "crane driver" in described.expanded_by
    plain = await app.search.search(library, "rules for dangerous goods", expand=False)
    assert plain.expanded_by == []
    assert not any("term:" in path for hit in plain.hits for path in hit.paths)


@pytest.mark.requirement("LB-336")
def test_terms_are_matched_whole_and_in_either_number() -> None:
    terms = Terms(
        [
            ("ship", "a vessel of more than 24 metres"),
            ("ship's agent", "whoever acts for the owner in port"),
            ("berths", "places at which a vessel lies"),
        ]
    )
    assert [each.term for each in terms.expand("Which ships need a berth?")] == ["berths", "ship"]
    assert terms.expand("May a ship's agent sign?")[0].term == "ship's agent"
    assert terms.expand("shipping and birth rates") == []
    assert [each.term for each in terms.expand("who acts for an owner in port")] == ["ship's agent"]


@pytest.mark.requirement("LB-337")
async def test_standards_outweigh_guides(app: LibraryApp, library: Library) -> None:
    """1.0 to 0.85 over one search, so that the scores can be compared."""
    query = "call the watch two hours before"
    plain = await app.search.search(library, query, max_results=50)
    weighed = await app.search.multi_tier(library, query, max_results=50)
    before = {hit.paragraph.id: hit.score for hit in plain.hits}
    assert {hit.paragraph.kind for hit in weighed.hits} == {Kind.STANDARD, Kind.GUIDE}
    for hit in weighed.hits:
        weight = 1.0 if hit.paragraph.kind is Kind.STANDARD else 0.85
        assert hit.score == pytest.approx(before[hit.paragraph.id] * weight)
    only = await app.search.multi_tier(library, query, tiers=[1])
    assert {hit.paragraph.kind for hit in only.hits} == {Kind.STANDARD}
    with pytest.raises(InvalidInput, match="1 is standards, 2 guides"):
        await app.search.multi_tier(library, query, tiers=[3])


@pytest.mark.requirement("LB-338")
async def test_guides_are_searched_alone(app: LibraryApp, library: Library) -> None:
    results = await app.search.guides(library, "alone on board in the lock", max_results=3)
    assert results.hits[0].paragraph.text.startswith("If you are alone on board")
    assert {hit.paragraph.kind for hit in results.hits} == {Kind.GUIDE}


@pytest.mark.requirement("LB-339")
async def test_reranking_offline_prefers_words_that_stand_together(
    app: LibraryApp, library: Library
) -> None:
    """The same hits in an order of its own, the same every time."""
    query = "half of the wind force"
    plain = await app.refs(library, query, max_results=50)
    again = await app.search.search(library, query, rerank=True, max_results=50)
    assert sorted(hit.paragraph.ref for hit in again.hits) == sorted(plain)
    scores = [hit.score for hit in again.hits]
    assert scores == sorted(scores, reverse=True)
    assert again == await app.search.search(library, query, rerank=True, max_results=50)


@pytest.mark.requirement("LB-339")
async def test_a_model_reranks_and_its_failure_costs_nothing(
    app: LibraryApp, library: Library
) -> None:
    hits = (await app.search.search(library, "crane", max_results=5)).hits
    last = Judgements(judgements=[PassageJudgement(passage=4, relevance=1)])
    model = ScriptedModel(last, ModelError("The model is away."))
    reranker = Reranker(Gateway(ScriptedModels(model), app.core.ledger))
    reranked = await reranker.rerank("crane", hits)
    assert reranked[0].paragraph == hits[4].paragraph
    assert hits[4].paragraph.text in str(model.conversations[0])
    assert await reranker.rerank("crane", hits) == list(hits)


@pytest.mark.requirement("LB-340")
async def test_without_vectors_words_are_searched_and_that_is_said(
    app: LibraryApp, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def away(*_: object, **__: object) -> None:
        raise Unavailable("The vector store does not answer.")

    monkeypatch.setattr(app.core.vectors, "query", away)
    results = await app.search.search(library, "who may work the crane")
    assert results.search_type is SearchType.KEYWORD
    assert results.degraded == "The vector store does not answer."
    assert results.hits[0].paragraph.ref == "315.6"


@pytest.mark.requirement("LB-341")
@pytest.mark.parametrize("query", ['"crane" AND (NOT', "crane*", "NEAR(crane, 2)", "'; --crane"])
async def test_a_query_is_words_and_never_a_language(
    app: LibraryApp, library: Library, query: str
) -> None:
    assert "crane" in (await app.search.search(library, query)).hits[0].paragraph.text.lower()


@pytest.mark.requirement("LB-341")
async def test_nothing_cannot_be_searched_for_and_nowhere_is_empty(
    app: LibraryApp, library: Library
) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        await app.search.search(library, "  ")
    empty = await app.libraries.create("empty")
    assert (await app.search.search(empty, "crane")).hits == []


@pytest.mark.requirement("LB-342")
async def test_without_a_model_a_web_search_is_skipped_with_its_reason(app: LibraryApp) -> None:
    found = await WebSearch(app.core.gateway).search(["lock hours"])
    assert (found.skipped, found.results) == (True, [])
    assert found.skip_reason is not None
    assert "BOTTEGA_MODEL" in found.skip_reason
    with pytest.raises(InvalidInput, match="1 to 10 queries"):
        await WebSearch(app.core.gateway).search([" "])


@pytest.mark.requirement("LB-343")
async def test_a_web_search_gives_only_pages_that_the_search_returned(app: LibraryApp) -> None:
    """None from a model's memory, and at most so many a query."""

    def page(url: str) -> dict[str, str]:
        return {"query": "lock hours", "url": url, "title": "Locks", "excerpt": "Open at eight."}

    real, more, invented = "https://a.example/", "https://b.example/", "https://invented.example/"
    async with LoopbackApi() as api:
        access = Access(anthropic_key="k", anthropic_url=api.url)
        gateway = Gateway(Models(choose("anthropic", access), access), app.core.ledger)
        api.reply(
            search=((real, "A"), (more, "B")),
            json={"pages": [page(invented), page(real), page(more)]},
        )
        found = await WebSearch(gateway).search(["lock hours"], max_results_per_query=1)
        assert [each.url for each in found.results] == [real]
        assert not found.skipped
        [tool] = api.requests[0].body["tools"]
        assert tool["name"] == "web_search"
        api.reply(json={"pages": [page(invented)]})
        found = await WebSearch(gateway).search(["lock hours"])
        assert (found.skipped, found.results) == (True, [])
        await gateway.close()
