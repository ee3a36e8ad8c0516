"""The graph of a library: edges out of words, numbering and meaning, and walks along them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from bottega.core.readers.embedder import Vector
from bottega.core.search.vector_store import VectorHit
from bottega.errors import InvalidInput, NotFound, Unavailable
from bottega.library.documents.service import Libraries
from bottega.library.documents.tables import Library, LibraryEdge, LibraryParagraph
from bottega.library.graph import nearness, service
from bottega.library.graph import traversal as graph_queries
from bottega.library.graph.edges import BELONGING, CONTAINING, EXACT, Edge, edges_of
from bottega.library.graph.schemas import EdgeKind, Hops, StepVerdict
from bottega.library.graph.service import Graph
from bottega.library.graph.traversal import BACKWARDS
from bottega.library.ingest.service import Ingest
from bottega.library.parsers.reader import read_document
from bottega.library.parsers.references import resolve_ref
from tests.app import App, open_app
from tests.library.builders import STANDARDS, put_library, put_standards

CARGO = """---
number: 315
title: Cargo
kind: standard
---

1. Goods are declared as paragraph 2(a) says.

2. The agent shall declare dangerous goods:

    (a) 72 hours before they arrive by sea (see paragraphs 1 and 3(z));

    (b) a day before they arrive by road.

3. Paragraph 3 applies to lamps. Standard 210, paragraph 7 and paragraph 99 apply, too.
"""
BERTHS = """---
number: 210
title: Berths
kind: standard
---

7. Shelter is given to everybody.
"""
GUIDE = """---
number: 900
title: Guide
kind: guide
---

1. Ask the agent (see paragraph 315.2(a)), and read section 2.

2. Sail well.
"""


@pytest.fixture
async def app(tmp_path: Path, database_url: str) -> AsyncIterator[App]:
    async with open_app(tmp_path, database_url=database_url) as app:
        yield app


def refs(hops: Hops) -> list[str]:
    return [each.paragraph.ref for each in hops.hops]


def found_edges(text: str, known: Sequence[str]) -> set[Edge]:
    document = read_document(text.encode(), "document.md")
    own = [each.ref for each in document.paragraphs]
    return set(edges_of(document, lambda ref: resolve_ref(ref, {*own, *known})))


@pytest.mark.requirement("LB-401")
def test_citations_become_edges_once_each_and_weaker_where_only_the_container_is_there() -> None:
    """Within and across documents; to itself or to nowhere there is no edge."""
    assert found_edges(CARGO, ["210.7"]) == {
        Edge("315.1", "315.2(a)", EdgeKind.CITES, EXACT),
        Edge("315.2(a)", "315.1", EdgeKind.CITES, EXACT),
        Edge("315.2(a)", "315.3", EdgeKind.CITES, CONTAINING),
        Edge("315.3", "210.7", EdgeKind.CITES, EXACT),
    }


@pytest.mark.requirement("LB-402")
def test_a_guide_maps_to_what_it_explains_and_cites_itself() -> None:
    """Out of a guide an edge is maps_to, within it cites."""
    assert found_edges(GUIDE, ["315.2(a)"]) == {
        Edge("900.1", "315.2(a)", EdgeKind.MAPS_TO, EXACT),
        Edge("900.1", "900.2", EdgeKind.CITES, EXACT),
    }


@pytest.mark.requirement("LB-403", "LB-407", "LB-408")
async def test_hops_follow_citations_both_ways_and_the_numbering(app: App) -> None:
    """With scores, the backward way weaker, and the path to each."""
    library = await put_library(app, "small", {"cargo.md": CARGO, "b.md": BERTHS, "g.md": GUIDE})
    found = await Graph(app.core).hop(library, "315.2(a)", max_hops=1)
    steps = {each.paragraph.ref: each.path[0] for each in found.hops if each.hops == 1}
    assert found.start.ref == "315.2(a)"
    for ref, kind, weight, backwards in (
        ("315.1", EdgeKind.CITES, EXACT, False),
        ("315.3", EdgeKind.CITES, CONTAINING, False),
        ("900.1", EdgeKind.MAPS_TO, EXACT * BACKWARDS, True),
        ("315.2", EdgeKind.BELONGS_TO, BELONGING, False),
    ):
        step = steps[ref]
        assert (step.kind, step.backwards) == (kind, backwards)
        assert step.weight == pytest.approx(weight)
        assert step.score == pytest.approx(0.7 * weight)
    down = await Graph(app.core).hop(library, "315.2", max_hops=1)
    below = [each.paragraph.ref for each in down.hops if each.path[0].kind is EdgeKind.BELONGS_TO]
    assert below == ["315.2(a)", "315.2(b)"]


@pytest.mark.requirement("LB-403")
async def test_a_path_tells_every_step_from_the_start(app: App) -> None:
    """The score of a paragraph two hops away is the product along its path."""
    library = await put_library(app, "small", {"cargo.md": CARGO, "b.md": BERTHS})
    found = await Graph(app.core).hop(library, "315.2")
    far = next(each for each in found.hops if each.paragraph.ref == "210.7")
    assert [(step.source_ref, step.target_ref) for step in far.path] == [
        ("315.2", "315.2(a)"),
        ("315.2(a)", "315.3"),
        ("315.3", "210.7"),
    ]
    assert far.score == pytest.approx(0.7**3 * BELONGING * CONTAINING * EXACT)
    assert far.score == far.path[-1].score


@pytest.mark.requirement("LB-404", "LB-406")
async def test_cyclic_citations_do_no_harm_and_walks_repeat(app: App) -> None:
    """The same walk twice, in another library of the same documents, too."""
    one = await put_library(app, "one", {"cargo.md": CARGO, "b.md": BERTHS})
    two = await put_library(app, "two", {"cargo.md": CARGO, "b.md": BERTHS})
    graph = Graph(app.core)
    first = await graph.hop(one, "315.1", max_hops=6)
    assert len(refs(first)) == len(set(refs(first)))
    assert "315.1" not in refs(first)
    assert first == await graph.hop(one, "315.1", max_hops=6)
    other = await graph.hop(two, "315.1", max_hops=6)
    assert [(h.paragraph.ref, h.path) for h in other.hops] == [
        (h.paragraph.ref, h.path) for h in first.hops
    ]


@pytest.mark.requirement("LB-403", "LB-409")
async def test_the_example_standards_lead_from_a_rule_to_its_penalty(app: App) -> None:
    """From the speed limit to its penalty; from the guide only to standards."""
    library = await put_standards(app)
    graph = Graph(app.core)
    assert "450.13" in refs(await graph.hop(library, "100.21"))[:3]
    around = await graph.hop(library, "100.21", max_hops=1)
    section = next(each.paragraph for each in around.hops if each.paragraph.kind == "guide")
    found = await graph.guide_to_standard(library, section.id)
    assert set(refs(found)[:2]) == {"100.21", "450.13"}
    assert {each.paragraph.kind for each in found.hops} == {"standard"}
    assert all(each.hops <= 2 for each in found.hops)
    with pytest.raises(InvalidInput, match=r"'100\.21' is in a standard"):
        await graph.guide_to_standard(library, "100.21")


@pytest.mark.requirement("LB-410")
async def test_the_trace_shows_what_the_walk_considered(app: App) -> None:
    """Every step with its verdict, and the same result as the walk's."""
    library = await put_library(app, "small", {"cargo.md": CARGO, "b.md": BERTHS})
    graph = Graph(app.core)
    trace = await graph.trace(library, "315.1")
    back = next(
        each for each in trace.steps if (each.source_ref, each.target_ref) == ("315.2(a)", "315.1")
    )
    assert (back.verdict, back.hops) == (StepVerdict.KNOWN_BETTER, 2)
    assert trace.hops == (await graph.hop(library, "315.1")).hops
    followed = {each.target_ref for each in trace.steps if each.verdict is StepVerdict.FOLLOWED}
    assert {each.paragraph.ref for each in trace.hops} <= followed


@pytest.mark.requirement("LB-411")
async def test_edges_by_meaning_are_made_when_first_needed_and_again_after_a_change(
    app: App,
) -> None:
    """None before the first walk, none computed twice, none left of an older version."""
    library = await put_standards(app)
    graph = Graph(app.core)
    assert await near(app, library) == set()
    assert (await graph.hop(library, "210.13")).linked
    before = await near(app, library)
    assert ("100.17", "100.4(e)") in before
    async with app.core.database.write() as session:
        await session.execute(
            update(LibraryEdge).where(LibraryEdge.kind == EdgeKind.HOP).values(weight=0.123)
        )
    await graph.hop(library, "210.13")
    assert await weights(app, library) == {0.123}
    changed = (STANDARDS / "100-roles-and-terms.md").read_text("utf-8")
    obey = "The skipper shall obey the signals of the lock keeper while the vessel is in the lock."
    assert obey in changed
    changed = changed.replace(obey, "Marmalade is made of oranges.")
    library = await put_library(app, "harbour", {"100-roles-and-terms.md": changed})
    await graph.hop(library, "210.13")
    assert await weights(app, library) != {0.123}
    assert ("100.17", "100.4(e)") not in await near(app, library)


@pytest.mark.requirement("LB-411")
async def test_a_change_while_edges_are_computed_makes_them_anew(app: App) -> None:
    """What was begun for an older version is never marked as the newer one's."""
    library = await put_library(app, "small", {"cargo.md": CARGO})
    embed = app.core.embedder.embed
    calls = 0

    async def embed_while_it_changes(texts: Sequence[str]) -> Vector:
        nonlocal calls
        calls += 1
        if calls == 1:
            async with app.core.database.write() as session:
                await session.execute(update(Library).values(version=Library.version + 1))
        return await embed(texts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app.core.embedder, "embed", embed_while_it_changes)
        assert await Graph(app.core).link(library)
    assert calls == 2
    async with app.core.database.read() as session:
        now = await session.get_one(Library, library.id)
    assert now.linked_version == now.version == library.version + 1


@pytest.mark.requirement("LB-603")
async def test_a_walk_does_not_wait_until_a_large_library_is_linked(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks around for itself, says so, and a run links the library meanwhile."""
    monkeypatch.setattr(service, "WHILE_WAITING", 10)
    library = await put_standards(app)
    Ingest(app.core, Libraries(app.core))
    graph = Graph(app.core)
    async with app.core.bus.subscribe("run.completed") as news:
        at_once = await graph.hop(library, "100.17", max_hops=1)
        assert not at_once.linked
        assert "100.4(e)" in refs(at_once)
        assert {each.path[0].kind for each in at_once.hops} == {EdgeKind.HOP}
        assert "315.12" in refs(await graph.hop(library, "315.A6", max_hops=1))
        assert (await anext(news)).payload["kind"] == service.KIND
    linked = await graph.hop(library, "100.17", max_hops=1)
    assert linked.linked
    by_meaning = {
        each.paragraph.ref: round(each.score, 4)
        for each in linked.hops
        if each.path[0].kind is EdgeKind.HOP
    }
    looked_up = {each.paragraph.ref: round(each.score, 4) for each in at_once.hops}
    assert by_meaning["100.4(e)"] == looked_up["100.4(e)"]


@pytest.mark.requirement("LB-603")
async def test_a_run_that_links_is_begun_once(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many walk, and a walk takes a few searches at most."""
    monkeypatch.setattr(service, "WHILE_WAITING", 10)
    monkeypatch.setattr(nearness, "MOST_PLACES", 2)
    library = await put_standards(app)
    Ingest(app.core, Libraries(app.core))
    graph = Graph(app.core)
    searches = 0
    query = app.core.vectors.query

    async def count(*args: Any, **options: Any) -> list[VectorHit]:
        nonlocal searches
        searches += 1
        return await query(*args, **options)

    async with app.core.bus.subscribe("run.completed") as news:
        monkeypatch.setattr(app.core.vectors, "query", count)
        await graph.hop(library, "100.17")
        assert searches == 2
        await asyncio.gather(*(graph.hop(library, ref) for ref in ("210.7", "210.13")))
        await anext(news)
    assert len(await app.core.runs.list(kind=service.KIND)) == 1


@pytest.mark.requirement("LB-414")
async def test_without_an_embedder_walks_follow_what_is_written(app: App) -> None:
    """An embedder that does not answer costs the edges by meaning, not the walk."""
    library = await put_library(app, "small", {"cargo.md": CARGO, "b.md": BERTHS})

    async def away(texts: Sequence[str]) -> Vector:
        raise Unavailable("The embedder does not answer.")

    graph = Graph(app.core)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app.core.embedder, "embed", away)
        found = await graph.hop(library, "315.3")
    assert not found.linked
    assert "210.7" in refs(found)
    assert (await graph.hop(library, "315.3")).linked


@pytest.mark.requirement("LB-415")
async def test_a_start_is_an_id_or_any_spelling_of_a_reference(app: App) -> None:
    """And one that is not there is named."""
    library = await put_library(app, "small", {"cargo.md": CARGO})
    graph = Graph(app.core)
    start = (await graph.hop(library, "315.2(a)")).start
    assert (await graph.hop(library, start.id)).start == start
    assert (await graph.hop(library, "ISA 315, para. 2 (a)")).start == start
    with pytest.raises(NotFound, match=r"'small' has no paragraph '7\.77'"):
        await graph.hop(library, "7.77")


@pytest.mark.requirement("LB-416")
async def test_a_paragraph_that_everything_cites_does_not_flood_the_walk(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ways on from one paragraph are bounded, the strongest are kept."""
    monkeypatch.setattr(graph_queries, "MAX_WAYS", 10)
    items = "\n\n".join(f"{n}. See paragraph 1, case {n}." for n in range(2, 60))
    head = "---\nnumber: 700\nkind: standard\n---\n\n1. Everything hangs on this.\n\n"
    library = await put_library(app, "hub", {"hub.md": head + items})
    found = await Graph(app.core).hop(library, "700.1", max_hops=1, max_results=100)
    assert len(found.hops) == 10
    weights = [each.path[0].weight for each in found.hops]
    assert weights == sorted(weights, reverse=True)


async def near(app: App, library: Library) -> set[tuple[str, str]]:
    """The references of each pair that is near, in their order."""
    async with app.core.database.read() as session:
        known = {each.id: each.ref for each in await session.scalars(select(LibraryParagraph))}
        edges = await session.scalars(
            select(LibraryEdge).where(
                LibraryEdge.library_id == library.id, LibraryEdge.kind == EdgeKind.HOP
            )
        )
        pairs = [sorted((known[edge.source_id], known[edge.target_id])) for edge in edges]
    return {(one, other) for one, other in pairs}


async def weights(app: App, library: Library) -> set[float]:
    async with app.core.database.read() as session:
        found = await session.scalars(
            select(func.round(LibraryEdge.weight * 1000)).where(
                LibraryEdge.library_id == library.id, LibraryEdge.kind == EdgeKind.HOP
            )
        )
        return {float(each) / 1000 for each in found}
