"""The graph of a library: edges out of words, numbering and meaning, and walks along them."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from bottega.core.vectors.store import Vector
from bottega.errors import InvalidInput, NotFound, Unavailable
from bottega.library.filling.ingest import Ingest
from bottega.library.graph import links, nearby
from bottega.library.graph import queries as graph_queries
from bottega.library.graph.edges import BELONGING, CONTAINING, EXACT, Edge, EdgeKind, edges_of
from bottega.library.graph.graph import Graph
from bottega.library.graph.queries import BACKWARDS
from bottega.library.graph.traversal import Verdict
from bottega.library.graph.views import Hops
from bottega.library.libraries import Libraries
from bottega.library.reading import read_document, resolve_ref
from bottega.library.tables import Library, LibraryEdge, LibraryParagraph
from tests.library.bookcase import put_books, put_standards
from tests.library.house import House, open_house

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
async def house(tmp_path: Path, database_url: str) -> AsyncIterator[House]:
    async with open_house(tmp_path, database_url=database_url) as house:
        yield house


def refs(hops: Hops) -> list[str]:
    return [each.paragraph.ref for each in hops.hops]


def found_edges(text: str, known: Sequence[str]) -> set[Edge]:
    document = read_document(text.encode(), "document.md")
    own = [each.ref for each in document.paragraphs]
    return set(edges_of(document, lambda ref: resolve_ref(ref, {*own, *known})))


def test_citations_become_edges_once_each_and_weaker_where_only_the_container_is_there() -> None:
    """LB-401: within and across documents; to itself or to nowhere there is no edge."""
    assert found_edges(CARGO, ["210.7"]) == {
        Edge("315.1", "315.2(a)", EdgeKind.CITES, EXACT),
        Edge("315.2(a)", "315.1", EdgeKind.CITES, EXACT),
        Edge("315.2(a)", "315.3", EdgeKind.CITES, CONTAINING),
        Edge("315.3", "210.7", EdgeKind.CITES, EXACT),
    }


def test_a_guide_maps_to_what_it_explains_and_cites_itself() -> None:
    """LB-402: out of a guide an edge is maps_to, within it cites."""
    assert found_edges(GUIDE, ["315.2(a)"]) == {
        Edge("900.1", "315.2(a)", EdgeKind.MAPS_TO, EXACT),
        Edge("900.1", "900.2", EdgeKind.CITES, EXACT),
    }


async def test_hops_follow_citations_both_ways_and_the_numbering(house: House) -> None:
    """LB-403, LB-407, LB-408: with scores, the backward way weaker, and the path to each."""
    library = await put_books(house, "small", {"cargo.md": CARGO, "b.md": BERTHS, "g.md": GUIDE})
    found = await Graph(house.core).hop(library, "315.2(a)", max_hops=1)
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
    down = await Graph(house.core).hop(library, "315.2", max_hops=1)
    below = [each.paragraph.ref for each in down.hops if each.path[0].kind is EdgeKind.BELONGS_TO]
    assert below == ["315.2(a)", "315.2(b)"]


async def test_a_path_tells_every_step_from_the_start(house: House) -> None:
    """LB-403: the score of a paragraph two hops away is the product along its path."""
    library = await put_books(house, "small", {"cargo.md": CARGO, "b.md": BERTHS})
    found = await Graph(house.core).hop(library, "315.2")
    far = next(each for each in found.hops if each.paragraph.ref == "210.7")
    assert [(step.source_ref, step.target_ref) for step in far.path] == [
        ("315.2", "315.2(a)"),
        ("315.2(a)", "315.3"),
        ("315.3", "210.7"),
    ]
    assert far.score == pytest.approx(0.7**3 * BELONGING * CONTAINING * EXACT)
    assert far.score == far.path[-1].score


async def test_cyclic_citations_do_no_harm_and_walks_repeat(house: House) -> None:
    """LB-404, LB-406: the same walk twice, in another library of the same documents, too."""
    one = await put_books(house, "one", {"cargo.md": CARGO, "b.md": BERTHS})
    two = await put_books(house, "two", {"cargo.md": CARGO, "b.md": BERTHS})
    graph = Graph(house.core)
    first = await graph.hop(one, "315.1", max_hops=6)
    assert len(refs(first)) == len(set(refs(first)))
    assert "315.1" not in refs(first)
    assert first == await graph.hop(one, "315.1", max_hops=6)
    other = await graph.hop(two, "315.1", max_hops=6)
    assert [(h.paragraph.ref, h.path) for h in other.hops] == [
        (h.paragraph.ref, h.path) for h in first.hops
    ]


async def test_the_example_standards_lead_from_a_rule_to_its_penalty(house: House) -> None:
    """LB-403, LB-409: from the speed limit to its penalty; from the guide only to standards."""
    library = await put_standards(house)
    graph = Graph(house.core)
    assert "450.13" in refs(await graph.hop(library, "100.21"))[:3]
    around = await graph.hop(library, "100.21", max_hops=1)
    section = next(each.paragraph for each in around.hops if each.paragraph.kind == "guide")
    found = await graph.guide_to_standard(library, section.id)
    assert set(refs(found)[:2]) == {"100.21", "450.13"}
    assert {each.paragraph.kind for each in found.hops} == {"standard"}
    assert all(each.hops <= 2 for each in found.hops)
    with pytest.raises(InvalidInput, match=r"'100\.21' is in a standard"):
        await graph.guide_to_standard(library, "100.21")


async def test_the_trace_shows_what_the_walk_considered(house: House) -> None:
    """LB-410: every step with its verdict, and the same result as the walk's."""
    library = await put_books(house, "small", {"cargo.md": CARGO, "b.md": BERTHS})
    graph = Graph(house.core)
    trace = await graph.trace(library, "315.1")
    back = next(
        each for each in trace.steps if (each.source_ref, each.target_ref) == ("315.2(a)", "315.1")
    )
    assert (back.verdict, back.hops) == (Verdict.KNOWN_BETTER, 2)
    assert trace.hops == (await graph.hop(library, "315.1")).hops
    followed = {each.target_ref for each in trace.steps if each.verdict is Verdict.FOLLOWED}
    assert {each.paragraph.ref for each in trace.hops} <= followed


async def test_edges_by_meaning_are_made_when_first_needed_and_again_after_a_change(
    house: House,
) -> None:
    """LB-411: none before the first walk, none computed twice, none left of an older version."""
    library = await put_standards(house)
    graph = Graph(house.core)
    assert await near(house, library) == set()
    assert (await graph.hop(library, "210.13")).linked
    before = await near(house, library)
    assert ("100.17", "100.4(e)") in before
    async with house.core.database.write() as session:
        await session.execute(
            update(LibraryEdge).where(LibraryEdge.kind == EdgeKind.HOP).values(weight=0.123)
        )
    await graph.hop(library, "210.13")
    assert await weights(house, library) == {0.123}
    changed = (house.standards / "100-roles-and-terms.md").read_text("utf-8")
    obey = "The skipper shall obey the signals of the lock keeper while the vessel is in the lock."
    assert obey in changed
    changed = changed.replace(obey, "Marmalade is made of oranges.")
    library = await put_books(house, "harbour", {"100-roles-and-terms.md": changed})
    await graph.hop(library, "210.13")
    assert await weights(house, library) != {0.123}
    assert ("100.17", "100.4(e)") not in await near(house, library)


async def test_a_change_while_edges_are_computed_makes_them_anew(house: House) -> None:
    """LB-411: what was begun for an older version is never marked as the newer one's."""
    library = await put_books(house, "small", {"cargo.md": CARGO})
    embed = house.core.embedder.embed
    calls = 0

    async def embed_while_it_changes(texts: Sequence[str]) -> Vector:
        nonlocal calls
        calls += 1
        if calls == 1:
            async with house.core.database.write() as session:
                await session.execute(update(Library).values(version=Library.version + 1))
        return await embed(texts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(house.core.embedder, "embed", embed_while_it_changes)
        assert await Graph(house.core).link(library)
    assert calls == 2
    async with house.core.database.read() as session:
        now = await session.get_one(Library, library.id)
    assert now.linked_version == now.version == library.version + 1


async def test_a_walk_does_not_wait_until_a_large_library_is_linked(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LB-603: it looks around for itself, says so, and a run links the library meanwhile."""
    monkeypatch.setattr(links, "WHILE_WAITING", 10)
    library = await put_standards(house)
    Ingest(house.core, Libraries(house.core))
    graph = Graph(house.core)
    async with house.core.bus.subscribe("run.completed") as news:
        at_once = await graph.hop(library, "100.17", max_hops=1)
        assert not at_once.linked
        assert "100.4(e)" in refs(at_once)
        assert {each.path[0].kind for each in at_once.hops} == {EdgeKind.HOP}
        assert "315.12" in refs(await graph.hop(library, "315.A6", max_hops=1))
        assert (await anext(news)).payload["kind"] == links.KIND
    linked = await graph.hop(library, "100.17", max_hops=1)
    assert linked.linked
    by_meaning = {
        each.paragraph.ref: round(each.score, 4)
        for each in linked.hops
        if each.path[0].kind is EdgeKind.HOP
    }
    looked_up = {each.paragraph.ref: round(each.score, 4) for each in at_once.hops}
    assert by_meaning["100.4(e)"] == looked_up["100.4(e)"]


async def test_a_run_that_links_is_begun_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LB-603: however many walk, and a walk takes a few searches at most."""
    monkeypatch.setattr(links, "WHILE_WAITING", 10)
    monkeypatch.setattr(nearby, "MOST_PLACES", 2)
    library = await put_standards(house)
    Ingest(house.core, Libraries(house.core))
    graph = Graph(house.core)
    searches = 0
    nearest = house.core.vectors.nearest

    async def count(*args: Any, **options: Any) -> Mapping[str, float]:
        nonlocal searches
        searches += 1
        return await nearest(*args, **options)

    async with house.core.bus.subscribe("run.completed") as news:
        monkeypatch.setattr(house.core.vectors, "nearest", count)
        await graph.hop(library, "100.17")
        assert searches == 2
        await asyncio.gather(*(graph.hop(library, ref) for ref in ("210.7", "210.13")))
        await anext(news)
    assert len(await house.core.runs.list(kind=links.KIND)) == 1


async def test_without_an_embedder_walks_follow_what_is_written(house: House) -> None:
    """LB-414: an embedder that does not answer costs the edges by meaning, not the walk."""
    library = await put_books(house, "small", {"cargo.md": CARGO, "b.md": BERTHS})

    async def away(texts: Sequence[str]) -> Vector:
        raise Unavailable("The embedder does not answer.")

    graph = Graph(house.core)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(house.core.embedder, "embed", away)
        found = await graph.hop(library, "315.3")
    assert not found.linked
    assert "210.7" in refs(found)
    assert (await graph.hop(library, "315.3")).linked


async def test_a_start_is_an_id_or_any_spelling_of_a_reference(house: House) -> None:
    """LB-415: and one that is not there is named."""
    library = await put_books(house, "small", {"cargo.md": CARGO})
    graph = Graph(house.core)
    start = (await graph.hop(library, "315.2(a)")).start
    assert (await graph.hop(library, start.id)).start == start
    assert (await graph.hop(library, "ISA 315, para. 2 (a)")).start == start
    with pytest.raises(NotFound, match=r"'small' has no paragraph '7\.77'"):
        await graph.hop(library, "7.77")


async def test_a_paragraph_that_everything_cites_does_not_flood_the_walk(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LB-416: the ways on from one paragraph are bounded, the strongest are kept."""
    monkeypatch.setattr(graph_queries, "MAX_WAYS", 10)
    items = "\n\n".join(f"{n}. See paragraph 1, case {n}." for n in range(2, 60))
    head = "---\nnumber: 700\nkind: standard\n---\n\n1. Everything hangs on this.\n\n"
    library = await put_books(house, "hub", {"hub.md": head + items})
    found = await Graph(house.core).hop(library, "700.1", max_hops=1, max_results=100)
    assert len(found.hops) == 10
    weights = [each.path[0].weight for each in found.hops]
    assert weights == sorted(weights, reverse=True)


async def near(house: House, library: Library) -> set[tuple[str, str]]:
    """The references of each pair that is near, in their order."""
    async with house.core.database.read() as session:
        known = {each.id: each.ref for each in await session.scalars(select(LibraryParagraph))}
        edges = await session.scalars(
            select(LibraryEdge).where(
                LibraryEdge.library_id == library.id, LibraryEdge.kind == EdgeKind.HOP
            )
        )
        pairs = [sorted((known[edge.source_id], known[edge.target_id])) for edge in edges]
    return {(one, other) for one, other in pairs}


async def weights(house: House, library: Library) -> set[float]:
    async with house.core.database.read() as session:
        found = await session.scalars(
            select(func.round(LibraryEdge.weight * 1000)).where(
                LibraryEdge.library_id == library.id, LibraryEdge.kind == EdgeKind.HOP
            )
        )
        return {float(each) / 1000 for each in found}
