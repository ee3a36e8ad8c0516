"""The sixteen tools, by a library's name and with it as an argument."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from bottega.core.operations import NoArguments
from bottega.core.rooms import Caller, Door
from bottega.errors import NotFound
from bottega.library.room import bind, named_tools, own_rooms
from bottega.server.mcp import McpDoor
from bottega.server.mcp.schemas import describe_tool, tool_listing_tokens
from tests.library.builders import HARBOUR, LibraryApp, open_library_app
from tests.mcp_serving import serve_door

#: With what they take beside what they need, as DESIGN says.
TOOLS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "isa_hybrid_search": (["query"], {"max_results": 20, "search_type": "hybrid"}),
    "isa_hop_retrieve": (
        ["paragraph_id"],
        {"max_hops": 3, "decay": 0.7, "min_score": 0.01, "max_results": 30},
    ),
    "isa_list_standards": ([], {}),
    "isa_get_paragraph": (["identifier"], {}),
    "isa_entity_verify": (["entities", "source_paragraph_ids"], {}),
    "isa_citation_verify": (["citations"], {}),
    "isa_relation_verify": (["relations"], {}),
    "isa_contradiction_check": (["paragraph_ids"], {"synthesis_claims": []}),
    "isa_format_context": (["paragraphs", "query"], {"max_tokens": 8000, "group_by_role": True}),
    "isa_web_search": (["queries"], {"max_results_per_query": 5}),
    "isa_guide_search": (["query"], {"max_results": 10, "search_type": "hybrid"}),
    "isa_guide_to_isa_hop": (["guide_section_id"], {"max_hops": 2, "decay": 0.7}),
    "isa_list_guides": ([], {}),
    "isa_multi_tier_search": (["query"], {"max_results": 20, "tiers": [1, 2]}),
    "isa_kb_status": ([], {}),
    "isa_debug_hop_trace": (["start_id"], {"max_hops": 3}),
}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[LibraryApp]:
    async with open_library_app(tmp_path) as app:
        await app.fill()
        yield app


@pytest.mark.requirement("LB-511")
async def test_a_library_has_sixteen_tools_named_after_it(app: LibraryApp) -> None:
    """By the name pattern, with the inputs and defaults of the design."""
    described = {tool.name: describe_tool(tool) for tool in named_tools(app.service, "isa")}
    assert described.keys() == TOOLS.keys()
    for name, (required, defaults) in TOOLS.items():
        schema = described[name]["inputSchema"]
        assert schema.get("required", []) == required, name
        for argument, default in defaults.items():
            assert schema["properties"][argument]["default"] == default, (name, argument)
    assert "filter" in described["isa_hybrid_search"]["inputSchema"]["properties"]
    assert "guide_filter" in described["isa_guide_search"]["inputSchema"]["properties"]
    assert "roles" in described["isa_format_context"]["inputSchema"]["properties"]


@pytest.mark.requirement("LB-512")
async def test_the_generic_tools_take_the_library_and_are_terse(app: LibraryApp) -> None:
    """The same sixteen with a required `library`, in 2,000 tokens altogether."""
    tools = bind(app.service).tools()
    assert {tool.name for tool in tools} == {name.replace("isa", "library") for name in TOOLS}
    for tool in tools:
        assert describe_tool(tool)["inputSchema"]["required"][0] == "library"
    assert tool_listing_tokens(tools) <= 2_000


@pytest.mark.requirement("LB-513")
async def test_every_hit_has_its_scores_and_the_paths_that_found_it(app: LibraryApp) -> None:
    """The search tools, each within its own documents; a filter holds to one."""
    agent = app.own_agent()
    found = await agent("harbour_hybrid_search", query="declare dangerous goods", max_results=5)
    assert len(found["hits"]) == 5
    best = found["hits"][0]
    assert best["paragraph"]["ref"].startswith("315.")
    assert best["score"] > 0
    assert best["rrf_score"] > 0
    assert set(best["paths"]) >= {"keyword", "vector"}
    only = await agent("harbour_hybrid_search", query="declare dangerous goods", filter="450")
    assert only["hits"]
    assert all(hit["paragraph"]["ref"].startswith("450.") for hit in only["hits"])
    words = await agent("harbour_hybrid_search", query="crane", search_type="keyword")
    assert all("vector" not in hit["paths"] for hit in words["hits"])
    guides = await agent("harbour_guide_search", query="dangerous goods")
    assert {hit["paragraph"]["kind"] for hit in guides["hits"]} == {"guide"}
    standards = await agent("harbour_multi_tier_search", query="dangerous goods", tiers=[1])
    assert {hit["paragraph"]["kind"] for hit in standards["hits"]} == {"standard"}
    both = await agent("harbour_multi_tier_search", query="dangerous goods", max_results=100)
    assert {hit["paragraph"]["kind"] for hit in both["hits"]} == {"standard", "guide"}


@pytest.mark.requirement("LB-514")
async def test_paragraphs_are_looked_up_and_walked_from_by_id_or_reference(
    app: LibraryApp,
) -> None:
    """Get_paragraph, hop_retrieve, the guide's hop and the trace."""
    agent = app.own_agent()
    paragraph = await agent("harbour_get_paragraph", identifier="para. 315.12 (a)")
    assert paragraph["ref"] == "315.12(a)"
    again = await agent("harbour_get_paragraph", identifier=paragraph["id"])
    assert again == paragraph
    around = await agent("harbour_hop_retrieve", paragraph_id=paragraph["id"], max_hops=1)
    assert "315.12" in {hop["paragraph"]["ref"] for hop in around["hops"]}
    guides = await agent("harbour_guide_search", query="dangerous goods declaration")
    section = guides["hits"][0]["paragraph"]["ref"]
    reached = await agent("harbour_guide_to_harbour_hop", guide_section_id=section)
    assert {hop["paragraph"]["kind"] for hop in reached["hops"]} == {"standard"}
    trace = await agent("harbour_debug_hop_trace", start_id="315.12", max_hops=1)
    assert {step["verdict"] for step in trace["steps"]} >= {"followed"}


@pytest.mark.requirement("LB-515")
async def test_the_tools_list_documents_and_say_what_is_there(app: LibraryApp) -> None:
    """List_standards, list_guides and kb_status."""
    agent = app.own_agent()
    standards = (await agent("harbour_list_standards"))["standards"]
    assert [each["prefix"] for each in standards] == ["100", "210", "315", "450"]
    guides = (await agent("harbour_list_guides"))["guides"]
    assert [each["kind"] for each in guides] == ["guide"]
    status = await agent("harbour_kb_status")
    assert (status["standards"], status["guides"]) == (4, 1)
    assert status["paragraphs"] >= 150
    assert status["indexed_words"] == status["indexed_vectors"] == status["paragraphs"]


@pytest.mark.requirement("LB-516")
async def test_a_context_is_made_of_paragraphs_by_their_references(app: LibraryApp) -> None:
    """Format_context takes ids and references, and roles by either."""
    asked = {
        "paragraphs": ["315.7", "para. 315.12 (a)"],
        "query": "May I stand there?",
        "roles": {"para. 315.12 (a)": "context"},
    }
    made = await app.own_agent()("harbour_format_context", **asked)
    assert "Nobody shall stand under a load." in made["context"]
    primary, context = made["context"].split('<group role="context">')
    assert "315.7" in primary
    assert "315.12(a)" in context
    assert 0 < made["tokens"] <= 8000


@pytest.mark.requirement("LB-522")
async def test_the_four_verifiers_answer_with_score_passed_and_details(app: LibraryApp) -> None:
    """Each as a tool, with what the design says a citation's detail carries."""
    agent = app.own_agent()
    citation = {"paragraph_ref": "315.7", "claim": "Nobody shall stand under a load."}
    missing = {"paragraph_id": "par_0", "claim": "Anything."}
    cited = await agent("harbour_citation_verify", citations=[citation, missing])
    assert (cited["score"], cited["passed"]) == (0.5, False)
    assert (
        cited["details"][0]
        | {
            "exists": True,
            "supports_claim": True,
            "source_text": "Nobody shall stand under a load.",
            "match_level": "exact",
            "error_category": None,
        }
        == cited["details"][0]
    )
    assert cited["details"][1]["error_category"] == "NOT_FOUND"
    named = await agent("harbour_entity_verify", entities=["load"], source_paragraph_ids=["315.7"])
    related = await agent(
        "harbour_relation_verify",
        relations=[
            {
                "source_paragraph": "315.12(a)",
                "target_paragraph": "315.12",
                "relation_type": "belongs_to",
            }
        ],
    )
    opposed = await agent("harbour_contradiction_check", paragraph_ids=["315.7", "315.5"])
    for report in (named, related, opposed):
        assert (report["score"], report["passed"]) == (1.0, True)
    assert [len(each["details"]) for each in (named, related, opposed)] == [1, 1, 0]


@pytest.mark.requirement("LB-517")
async def test_the_generic_tools_do_the_same_in_the_library_they_are_told(
    app: LibraryApp,
) -> None:
    """One result, whichever way the library is named."""
    own = await app.own_agent()("harbour_hybrid_search", query="pilot on board")
    generic = await app.agent()("library_hybrid_search", library=HARBOUR, query="pilot on board")
    assert generic == own
    paragraph = await app.agent()("library_get_paragraph", library=HARBOUR, identifier="315.7")
    assert paragraph["text"] == "Nobody shall stand under a load."


@pytest.mark.requirement("LB-518")
async def test_what_is_wrong_comes_back_as_a_typed_error(app: LibraryApp) -> None:
    """An unknown library, paragraph, document or argument, and a citation of nothing."""
    agent = app.agent()
    kind, message = await agent.refused("library_kb_status", library="nowhere")
    assert (kind, HARBOUR in message) == ("not_found", True)
    kind, message = await agent.refused(
        "library_get_paragraph", library=HARBOUR, identifier="315.12(z)"
    )
    assert (kind, "315.12" in message) == ("not_found", True)
    own = app.own_agent()
    kind, message = await own.refused("harbour_hybrid_search", query="x", filter=["999"])
    assert (kind, "315" in message) == ("validation_error", True)
    kind, message = await own.refused("harbour_hybrid_search", query="x", max_results=0)
    assert (kind, "max_results" in message) == ("validation_error", True)
    kind, message = await own.refused("harbour_citation_verify", citations=[{"claim": "x"}])
    assert (kind, "paragraph_ref" in message) == ("validation_error", True)


@pytest.mark.requirement("LB-519")
async def test_another_users_library_is_not_there(app: LibraryApp) -> None:
    """Neither by argument, nor at its own endpoint, nor by its own tools."""
    stranger = (await app.core.users.create("stranger")).id
    kind, message = await app.agent(stranger).refused("library_kb_status", library=HARBOUR)
    assert kind == "not_found"
    assert HARBOUR not in message.replace(repr(HARBOUR), "")
    with pytest.raises(NotFound):
        await own_rooms(app.service)(HARBOUR, Caller(Door.MCP, stranger))
    (tool,) = [each for each in named_tools(app.service, HARBOUR) if each.name.endswith("status")]
    with pytest.raises(NotFound):
        await tool.run(NoArguments(), Caller(Door.MCP, stranger))


@pytest.mark.requirement("LB-520")
async def test_searching_the_web_without_a_key_is_skipped_with_its_reason(
    app: LibraryApp,
) -> None:
    """Offline there is nobody to ask, and that is an answer, not an error."""
    answer = await app.own_agent()("harbour_web_search", queries=["harbour rules"])
    assert answer["skipped"] is True
    assert answer["skip_reason"]


async def names_at(url: str) -> set[str]:
    async with Client(url) as client:
        return {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.requirement("LB-521")
async def test_a_library_has_an_endpoint_of_its_own_as_soon_as_it_is_there(
    app: LibraryApp,
) -> None:
    """At `/mcp/library/{name}` its own tools, at `/mcp` and `/mcp/library` the generic."""
    door = McpDoor(app.rooms, within={"library": own_rooms(app.service)})
    async with serve_door(door) as url, httpx.AsyncClient() as http:
        generic = {name.replace("isa", "library") for name in TOOLS}
        assert await names_at(url) == await names_at(f"{url}/library") == generic
        assert "harbour_hybrid_search" in await names_at(f"{url}/library/harbour")
        assert (await http.post(f"{url}/library/town")).status_code == 404
        await app.service.libraries.create("town")
        assert "town_hybrid_search" in await names_at(f"{url}/library/town")
        async with Client(f"{url}/library/harbour") as client:
            answer = await client.call_tool("harbour_get_paragraph", {"identifier": "315.7"})
        assert answer.structured_content["text"] == "Nobody shall stand under a load."
        await app.service.libraries.remove("town")
        gone = await http.post(f"{url}/library/town")
        assert gone.status_code == 404
        assert gone.json()["error"]["valid_options"] == [HARBOUR]
