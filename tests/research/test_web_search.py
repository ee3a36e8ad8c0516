"""Web search: by the API with its key, by the provider, or not at all with the reason."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.providers import Models, choose
from bottega.core.llm.testing import LoopbackApi
from bottega.errors import InvalidInput
from bottega.library.service import WebSearch
from bottega.research.sources.web_search import WebSearcher, clean, is_web_page
from tests.research.builders import ME, SourcesApp, open_sources
from tests.research.servers.search_api import SearchApi, serve_search


@asynccontextmanager
async def searching(root: Path) -> AsyncIterator[tuple[SourcesApp, SearchApi, WebSearcher]]:
    """A house whose web search goes to a loopback API, for which it has the key."""
    async with open_sources(root) as app, serve_search() as api:
        put_search(app, api.url)
        await app.core.secrets.set("brave-search", api.key)
        yield app, api, WebSearcher(app.sources, WebSearch(app.core.gateway))


def put_search(app: SourcesApp, url: str) -> None:
    app.put(
        "web-search",
        type="stdio",
        command="{python}",
        args=["-m", "bottega.research.sources.servers.web_search"],
        env={"SEARCH_API_KEY": "${credential:brave-search}", "SEARCH_URL": url},
    )


@pytest.mark.requirement("RS-561")
async def test_the_api_is_asked_and_its_results_are_clean(tmp_path: Path) -> None:
    """No tags, only pages of the web, not more than asked for."""
    async with searching(tmp_path) as (_, api, web):
        api.results += [
            {"title": "Bad", "url": "javascript:alert(1)", "description": ""},
            {"title": "Bad", "url": "https://me:pass@x.example/", "description": ""},
            {"title": "x" * 900, "url": "http://other.example/a", "description": "&lt;script&gt;x"},
            "not even a result",  # type: ignore[list-item]
        ]
        found = await web.search(["harbour dues", "  "], max_results_per_query=5, user_id=ME)
        assert (found.skipped, found.skip_reason, found.queries) == (False, None, ["harbour dues"])
        assert [page.url for page in found.results] == [
            "https://harbour.example/tariffs",
            "http://other.example/a",
        ]
        first, second = found.results
        assert (first.title, first.excerpt) == (
            "Harbour tariffs & dues",
            "What a berth costs a night.",
        )
        assert len(second.title) == 200
        assert second.excerpt == "x"
        assert len((await web.search(["dues"], max_results_per_query=1)).results) == 1


@pytest.mark.requirement("RS-562")
async def test_without_a_key_the_providers_search_is_used(tmp_path: Path) -> None:
    """Cleaned as the other is."""
    async with open_sources(tmp_path) as app, LoopbackApi() as api:
        access = api.access()
        gateway = Gateway(Models(choose("anthropic", access), access), app.core.ledger)
        pages = ("https://a.example/", "ftp://b.example/")
        said = {"query": "dues", "title": "<b>A</b> title", "excerpt": "So &amp; so."}
        api.reply(
            search=tuple((url, "A title") for url in pages),
            json={"pages": [{**said, "url": url} for url in pages]},
        )
        found = await WebSearcher(app.sources, WebSearch(gateway)).search(["dues"], user_id=ME)
        assert not found.skipped
        [page] = found.results
        assert (page.url, page.title, page.excerpt) == (pages[0], "A title", "So & so.")
        await gateway.close()


@pytest.mark.requirement("RS-562")
async def test_without_a_key_and_a_model_the_search_is_skipped_with_the_reason(
    tmp_path: Path,
) -> None:
    async with open_sources(tmp_path) as app:
        offline = WebSearcher(app.sources, WebSearch(app.core.gateway))
        found = await offline.search(["harbour dues"], user_id=ME)
        assert found.skipped
        assert "No model is configured" in (found.skip_reason or "")
        with pytest.raises(InvalidInput):
            await offline.search([], user_id=ME)


@pytest.mark.requirement("RS-568")
async def test_a_search_that_is_switched_off_is_not_used(tmp_path: Path) -> None:
    async with searching(tmp_path) as (app, api, web):
        await app.sources.disable("web-search", user_id=ME, session_id="s1")
        assert (await web.search(["dues"], user_id=ME, session_id="s1")).skipped
        assert api.queries == []
        assert not (await web.search(["dues"], user_id=ME, session_id="s2")).skipped


@pytest.mark.requirement("RS-563")
async def test_a_short_limit_is_waited_for_and_a_long_one_is_a_reason(tmp_path: Path) -> None:
    """And what other queries found is kept."""
    async with searching(tmp_path) as (_, api, web):
        api.script = [(429, {"X-RateLimit-Reset": "0, 86400"})]
        assert not (await web.search(["dues"], user_id=ME)).skipped
        api.script = [(429, {"Retry-After": "3600"})]
        found = await web.search(["first", "second"], user_id=ME)
        assert not found.skipped
        assert "limit is reached (HTTP 429)" in (found.skip_reason or "")
        assert {page.query for page in found.results} == {"second"}
        assert api.queries == ["dues", "dues", "first", "second"]


@pytest.mark.requirement("RS-564")
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ((500, {}), "answered with HTTP 500"),
        ((302, {"Location": "http://elsewhere.example/"}), "answered with HTTP 302"),
        ("<html>no JSON</html>", "something that is no result"),
        ("[1, 2]", "something that is no result"),
        ("x" * 5_000_000, "more than 4 MB"),
    ],
)
async def test_a_failure_of_the_api_is_a_reason_and_no_crash(
    tmp_path: Path, script: tuple[int, dict[str, str]] | str, reason: str
) -> None:
    async with searching(tmp_path) as (_, api, web):
        api.script = [script]
        found = await web.search(["dues"], user_id=ME)
        assert found.skipped
        assert reason in (found.skip_reason or "")


@pytest.mark.requirement("RS-564")
async def test_a_wrong_key_and_an_absent_api_are_reasons_without_the_key(tmp_path: Path) -> None:
    async with searching(tmp_path) as (app, api, web):
        await app.core.secrets.set("brave-search", "a-wrong-key-it-is")
        refused = await web.search(["dues"], user_id=ME)
        assert "does not accept the key (HTTP 422)" in (refused.skip_reason or "")
        put_search(app, "http://127.0.0.1:1/search")
        absent = await web.search(["dues"], user_id=ME)
        assert "cannot be used: ConnectError" in (absent.skip_reason or "")
        assert "a-wrong-key" not in f"{refused} {absent}"
        assert len(api.queries) == 1


@pytest.mark.requirement("RS-565")
async def test_the_shipped_server_searches_as_a_source(tmp_path: Path) -> None:
    """Its key comes by the environment."""
    async with searching(tmp_path) as (app, api, _):
        said = await app.call("web_search", "web-search", query="harbour dues", max_results=99)
        assert "https://harbour.example/tariffs" in said
        assert "Harbour tariffs & dues" in said
        assert api.queries == ["harbour dues"]
        assert (await app.sources.test("web-search", user_id=ME)).tools == ["web_search"]


@pytest.mark.requirement("RS-561")
def test_text_is_cleaned_and_cut() -> None:
    assert clean("a <b>bold</b>\u202e\x00 &amp; <img src=x onerror=y>tag", 50) == "a bold & tag"
    assert clean("word " * 100, 20) == "word word word word…"
    assert clean(None, 20) == ""
    assert is_web_page("https://example.org/a?b=c#d")
    for bad in (
        "ftp://x.example",
        "https://",
        "data:text/html,x",
        'https://x.example/"',
        "http://[",
    ):
        assert not is_web_page(bad)
