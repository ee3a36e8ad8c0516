"""The eleven tools that an agent from outside has in a session, called as the MCP door does."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bottega.core.events import Event
from bottega.core.operations import Bound, operations_of
from bottega.core.rooms import Caller, Door, Tool
from bottega.core.services import Core
from bottega.core.trust.permissions import PermissionMode
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, Forbidden, InvalidInput, NotFound, TooLarge, TooMany
from bottega.library.service import open_library
from bottega.research.external_agents import operations
from bottega.research.external_agents.gate_store import GateKey
from bottega.research.external_agents.requests import PauseAsked, PlanAsked
from bottega.research.external_agents.service import ExternalAgents, open_external_agents
from bottega.research.external_agents.tables import AgentNote
from bottega.research.pipeline.context import StageServices
from bottega.research.sessions.service import ResearchSessions
from bottega.research.sources.service import Sources
from bottega.research.sources.web_search import WebSearcher
from bottega.server.mcp.arguments import check_arguments
from tests.app import App, open_app
from tests.library.builders import put_library
from tests.research.servers.oauth_server import Grants, protected_peer
from tests.research.servers.serving import free_port, serve

AGENT = "deep-research"
FEES = """---
number: 12
---

# Harbour fees

1. A visiting vessel pays 40 euros for each night.
2. The harbour master may waive the fee in an emergency.
"""


@dataclass
class Bench:
    core: Core
    desk: ExternalAgents
    session_id: str
    app: App
    tools: dict[str, Tool[Any]]
    heard: list[Event] = field(default_factory=list)

    async def call(self, tool_name: str, *, user_id: str = LOCAL_USER, **arguments: Any) -> Any:
        """As an agent does: raw arguments, checked."""
        tool = self.tools[tool_name]
        if "session_id" in tool.arguments.model_fields:
            arguments = {"session_id": self.session_id, **arguments}
        result = await tool.run(check_arguments(tool, arguments), Caller(Door.MCP, user_id=user_id))
        return result if isinstance(result, dict) else result.model_dump(mode="json")

    async def gate(self, action: str, **arguments: Any) -> Any:
        return await self.call("agent_stage_gate", agent=AGENT, action=action, **arguments)

    async def state(self, action: str, **arguments: Any) -> Any:
        return await self.call("agent_state", agent=AGENT, action=action, **arguments)

    async def run_to(self, stage: int) -> None:
        """Until `stage` may be started, with a person's word at every pause."""
        for each in range(stage):
            await self.gate("start", stage=each)
            shown = await self.gate("complete", stage=each, output=OUTPUTS[each])
            if shown["pause_request"]:
                await self.desk.requests.reply(shown["pause_request"], "go on", user_id=LOCAL_USER)
                await self.gate("resume")


OUTPUTS: list[dict[str, Any]] = [
    {"query_plan": {}},
    {"websearch_calibration": {"skipped": False}},
    {"retrieval_summary": {}},
    {"synthesis": "…", "citations_used": []},
    {"verification_scores": {}, "all_passed": False, "source_texts": {}},
    {"answer_delivered": True, "total_citations": 0},
]


@asynccontextmanager
async def opened(
    root: Path, database_url: str | None = None, oauth_callback: str | None = None
) -> AsyncIterator[Bench]:
    async with open_app(root, database_url=database_url) as app:
        core = app.core
        libraries, sources = open_library(core), Sources(core)
        web = WebSearcher(sources, libraries.web)
        parts = StageServices(core, libraries, web)
        sessions = ResearchSessions(core)
        desk = open_external_agents(parts, sessions, sources, oauth_callback=oauth_callback)
        made = await sessions.create(user_id=LOCAL_USER)
        tools = {tool.name: tool for tool in Bound(desk, operations_of(operations)).tools()}
        yield Bench(core, desk, made.id, app, tools, app.events)
        await sources.stop()


@pytest.fixture
async def bench(tmp_path: Path, database_url: str) -> AsyncIterator[Bench]:
    async with opened(tmp_path, database_url) as bench:
        yield bench


@pytest.fixture
async def lone(tmp_path: Path) -> AsyncIterator[Bench]:
    """Where the database makes no difference."""
    async with opened(tmp_path) as bench:
        yield bench


@pytest.mark.requirement("RS-674")
def test_all_eleven_tools_are_there(lone: Bench) -> None:
    """Under the names that agents know."""
    assert sorted(lone.tools) == [
        "agent_render_research_output",
        "agent_stage_gate",
        "agent_state",
        "agent_validate",
        "config_validate",
        "credential_prompt",
        "mermaid_validate",
        "skill_validate",
        "source_oauth",
        "source_test",
        "submit_plan",
    ]


@pytest.mark.requirement("RS-660", "RS-665")
async def test_stages_are_started_and_completed_in_their_order(bench: Bench) -> None:
    """Neither skipped nor doubled; every step is an event."""
    fresh = await bench.gate("status")
    assert (fresh["status"], fresh["next_stage"], fresh["version"]) == ("ready", 0, 0)
    for wrong in ({"action": "complete", "output": {}}, {"action": "start", "stage": 2}):
        with pytest.raises(Conflict):
            await bench.gate(**wrong)
    started = await bench.gate("start")
    assert (started["status"], started["running"]) == ("running", 0)
    with pytest.raises(Conflict, match=r"stage 0 \(analyze_query\) is running"):
        await bench.gate("start")
    with pytest.raises(Conflict, match="not running"):
        await bench.gate("complete", stage=3, output={})
    await bench.gate("complete", output=OUTPUTS[0])
    await bench.gate("reset")
    await bench.run_to(6)
    done = await bench.gate("status")
    assert done["status"] == "completed"
    assert all(stage["is_complete"] for stage in done["stages"])
    with pytest.raises(Conflict, match="reset to begin anew"):
        await bench.gate("start")
    types = [event["type"] for event in done["events"]]
    assert types[:4] == ["stage_started", "stage_completed", "paused", "reset"]
    assert types.count("stage_completed") == 7
    assert all(event["at"].endswith("Z") for event in done["events"])


@pytest.mark.requirement("RS-661")
async def test_a_stage_without_its_required_keys_is_blocked(bench: Bench) -> None:
    """It says which, stays running, and can be completed again."""
    await bench.run_to(3)
    await bench.gate("start")
    with pytest.raises(InvalidInput, match="citations_used") as refused:
        await bench.gate("complete", output={"synthesis": "…"})
    assert refused.value.details["missing"] == ["citations_used"]
    status = await bench.gate("status")
    assert (status["running"], status["events"][-1]["type"]) == (3, "stage_blocked")
    assert (await bench.gate("complete", output=OUTPUTS[3]))["next_stage"] == 4


@pytest.mark.requirement("RS-662")
async def test_only_a_person_lets_an_agent_past_a_pause(bench: Bench) -> None:
    """The agent can ask, wait and see, and not answer itself."""
    await bench.gate("start")
    paused = await bench.gate("complete", output=OUTPUTS[0], message="Three searches. Go on?")
    request_id = paused["pause_request"]
    assert paused["status"] == "paused"
    for action in ("start", "resume", "repair"):
        with pytest.raises(Conflict):
            await bench.gate(action)
    [waiting] = await bench.desk.requests.list(user_id=LOCAL_USER)
    assert (waiting.id, waiting.kind) == (request_id, "pause")
    assert isinstance(waiting.asked, PauseAsked)
    assert waiting.asked.message == "Three searches. Go on?"
    assert "research.asked" in {event.topic for event in bench.heard}
    with pytest.raises(InvalidInput, match="reply"):
        await bench.desk.requests.reply(request_id, "  ", user_id=LOCAL_USER)
    await bench.desk.requests.reply(request_id, "only the fees", user_id=LOCAL_USER)
    with pytest.raises(Conflict, match="answered already"):
        await bench.desk.requests.reply(request_id, "no, all", user_id=LOCAL_USER)
    resumed = await bench.gate("resume")
    assert (resumed["status"], resumed["next_stage"]) == ("ready", 1)
    assert resumed["events"][-1]["reply"] == "only the fees"
    with pytest.raises(Conflict):
        await bench.gate("resume")


@pytest.mark.requirement("RS-662")
async def test_a_person_who_declines_does_not_let_the_agent_go_on(bench: Bench) -> None:
    """Then it can only begin anew, and a question that nobody needs is withdrawn."""
    await bench.gate("start")
    paused = await bench.gate("complete", output=OUTPUTS[0])
    await bench.desk.requests.decline(paused["pause_request"], user_id=LOCAL_USER)
    with pytest.raises(Conflict, match="does not want"):
        await bench.gate("resume")
    await bench.gate("reset")
    await bench.gate("start")
    again = await bench.gate("complete", output=OUTPUTS[0])
    await bench.gate("reset")
    withdrawn = await bench.desk.requests.get(again["pause_request"], user_id=LOCAL_USER)
    assert withdrawn.status == "withdrawn"


@pytest.mark.requirement("RS-662")
async def test_a_calibration_that_was_skipped_does_not_pause(lone: Bench) -> None:
    """There is nothing to show."""
    await lone.run_to(1)
    await lone.gate("start")
    skipped = {"websearch_calibration": {"skipped": True, "skip_reason": "quick"}}
    assert (await lone.gate("complete", output=skipped))["status"] == "ready"


@pytest.mark.requirement("RS-663")
async def test_repairs_go_back_to_the_units_first_stage_as_often_as_the_depth_allows(
    bench: Bench,
) -> None:
    """After verification only, twice at the standard depth."""
    await bench.run_to(4)
    with pytest.raises(Conflict, match="repair unit"):
        await bench.gate("repair", failures=["x"])
    await bench.gate("start")
    await bench.gate("complete", output=OUTPUTS[4])
    for iteration in (1, 2):
        back = await bench.gate("repair", failures=["claim 2 is not borne out"])
        assert (back["next_stage"], back["repairs"]) == (3, iteration)
        assert back["events"][-1]["failures"] == ["claim 2 is not borne out"]
        for stage in (3, 4):
            await bench.gate("start", stage=stage)
            await bench.gate("complete", output=OUTPUTS[stage])
    with pytest.raises(Conflict, match="All 2 repairs"):
        await bench.gate("repair")
    assert (await bench.gate("start"))["running"] == 5


@pytest.mark.requirement("RS-663")
async def test_a_quick_depth_has_no_repairs(lone: Bench) -> None:
    """The depth mode wins over the unit's own number; it is chosen once."""
    await lone.gate("start", depth="quick")
    paused = await lone.gate("complete", output=OUTPUTS[0])
    assert paused["repair_limit"] == 0
    await lone.desk.requests.reply(paused["pause_request"], "yes", user_id=LOCAL_USER)
    await lone.gate("resume")
    assert (await lone.gate("start", depth="deep"))["repair_limit"] == 0


@pytest.mark.requirement("RS-664")
async def test_of_two_changes_at_once_one_is_refused(bench: Bench) -> None:
    """By the version that was seen, and without one too."""
    results = await asyncio.gather(
        *(bench.gate("start", stage=0) for _ in range(5)), return_exceptions=True
    )
    refused = [each for each in results if isinstance(each, Conflict)]
    assert len(refused) == 4
    version = (await bench.gate("status"))["version"]
    with pytest.raises(Conflict, match="changed meanwhile"):
        await bench.gate("complete", output=OUTPUTS[0], version=version - 1)
    done = await bench.gate("complete", output=OUTPUTS[0], version=version)
    assert done["version"] == version + 1
    assert [event["type"] for event in done["events"]].count("stage_started") == 1


@pytest.mark.requirement("RS-660", "RS-666")
async def test_stages_belong_to_a_session_and_an_agent(bench: Bench) -> None:
    """Another session begins at the start; another user sees none."""
    await bench.gate("start")
    other = await bench.desk.sessions.create(user_id=LOCAL_USER)
    assert (await bench.gate("status", session_id=other.id))["status"] == "ready"
    ada = (await bench.core.users.create("Ada")).id
    with pytest.raises(NotFound):
        await bench.gate("status", user_id=ada)
    with pytest.raises(NotFound, match="'nobody'"):
        await bench.call("agent_stage_gate", agent="nobody", action="start")


@pytest.mark.requirement("RS-666")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"action": "finish"}, "action"),
        ({"action": "complete"}, "output"),
        ({"action": "start", "stage": -1}, "stage"),
        ({"action": "start", "stage": 2**40}, "stage"),
        ({"action": "start", "depth": "abyssal"}, "depth"),
        ({"action": "start", "agent": "../x"}, "agent"),
        ({"action": "start", "notes": 1}, "notes"),
        ({"action": "repair", "failures": ["x" * 2_001]}, "failures"),
    ],
)
async def test_what_an_agent_sends_to_its_stages_is_checked(
    lone: Bench, arguments: dict[str, Any], problem: str
) -> None:
    """Like any input, and nothing has happened then."""
    with pytest.raises(InvalidInput, match=f"`{problem}|{problem}"):
        await lone.call("agent_stage_gate", **{"agent": AGENT, **arguments})
    assert (await lone.gate("status"))["events"] == []


@pytest.mark.requirement("RS-666")
async def test_an_output_has_limits(bench: Bench) -> None:
    """Its size, and that it is JSON which both databases keep."""
    await bench.gate("start")
    with pytest.raises(TooLarge):
        await bench.gate("complete", output={"query_plan": "x" * 300_000})
    with pytest.raises(InvalidInput, match="number"):
        await bench.gate("complete", output={"query_plan": float("nan")})
    kept = await bench.gate("complete", output={"query_plan": "nul \0 and \ud800 half"})
    assert kept["events"][-2]["type"] == "stage_completed"


@pytest.mark.requirement("RS-665")
async def test_stages_that_were_changed_meanwhile_are_begun_anew(
    lone: Bench, tmp_path: Path
) -> None:
    """Events of other stages are not taken for these."""
    await lone.run_to(2)
    shipped = Path(__file__).parents[2] / "src/bottega/research/shipped/agents" / AGENT
    own = tmp_path / "data" / "agents" / AGENT
    (own / "prompts").mkdir(parents=True)
    for path in shipped.rglob("*.*"):
        (own / path.relative_to(shipped)).write_text(path.read_text())
    config = json.loads((own / "config.json").read_text())
    config["stages"] = [
        {**stage, "id": place}
        for place, stage in enumerate(config["stages"][:1] + config["stages"][2:])
    ]
    config["pauseAfterStages"], config["repairUnits"] = [0], []
    (own / "config.json").write_text(json.dumps(config))
    with pytest.raises(Conflict, match="Reset"):
        await lone.gate("start")
    assert (await lone.gate("reset"))["status"] == "ready"
    assert (await lone.gate("start"))["running"] == 0


@pytest.mark.requirement("RS-667")
async def test_an_agent_keeps_values_from_turn_to_turn(bench: Bench) -> None:
    """Set, get, list, delete; of any JSON."""
    for key, value in (("plan", {"steps": [1, 2]}), ("none", None), ("text", "ü \0")):
        await bench.state("set", key=key, value=value)
    assert (await bench.state("get", key="plan"))["value"] == {"steps": [1, 2]}
    assert (await bench.state("get", key="none"))["value"] is None
    await bench.state("set", key="plan", value=[])
    assert (await bench.state("get", key="plan"))["value"] == []
    assert await bench.state("list") == {"keys": ["none", "plan", "text"]}
    assert await bench.state("delete", key="plan") == {"deleted": True}
    assert await bench.state("delete", key="plan") == {"deleted": False}
    with pytest.raises(NotFound, match="'plan'"):
        await bench.state("get", key="plan")


@pytest.mark.requirement("RS-667")
async def test_values_have_limits_and_stay_with_their_agent_and_session(bench: Bench) -> None:
    """Size, number, name; nobody sees another's."""
    with pytest.raises(TooLarge, match="64,000"):
        await bench.state("set", key="big", value="x" * 70_000)
    with pytest.raises(InvalidInput):
        await bench.state("set", key="nan", value=[float("inf")])
    for wrong in ({"key": "a b", "value": 1}, {"key": "x"}, {"value": 1}):
        with pytest.raises(InvalidInput):
            await bench.state("set", **wrong)
    place = {"session_id": bench.session_id, "agent": AGENT}
    async with bench.core.database.write() as session:
        session.add_all(AgentNote(**place, key=f"key{n}", value=n) for n in range(200))
    with pytest.raises(TooMany, match="200"):
        await bench.state("set", key="one-more", value=1)
    await bench.state("set", key="key7", value="changed")
    other = await bench.call("agent_state", agent="another", action="list")
    assert other == {"keys": []}
    ada = (await bench.core.users.create("Ada")).id
    with pytest.raises(NotFound):
        await bench.state("list", user_id=ada)


@pytest.mark.requirement("RS-668")
async def test_a_document_is_written_from_claims_that_hold(lone: Bench, tmp_path: Path) -> None:
    """The reference that does not exist is named, and its claim is not delivered."""
    await put_library(lone.app, "harbour", {"fees.md": FEES})
    library = await lone.desk.rendering._services.libraries.libraries.get("harbour")
    paragraph = await lone.desk.rendering._services.libraries.libraries.paragraph(library, "12.1")
    good = {
        "text": "A visiting vessel pays 40 euros for each night.",
        "citations": [paragraph.ref],
    }
    written = await lone.call(
        "agent_render_research_output",
        library="harbour",
        question="What does a visiting vessel pay?",
        title="Fees",
        summary=[good],
        sections=[
            {
                "heading": "Details",
                "claims": [
                    good,
                    {"text": "Yachts over 99 metres pay triple.", "citations": ["99.9"]},
                ],
            }
        ],
        sub_queries=["fees of visiting vessels"],
    )
    assert written["status"] == "unverified"
    assert written["invented"] == ["99.9"]
    assert [each["text"] for each in written["removed"]] == ["Yachts over 99 metres pay triple."]
    assert "40 euros" in written["markdown"]
    assert "99.9" not in written["markdown"]
    file = Path(written["output_file_path"])
    assert file.read_text() == written["markdown"]
    assert tmp_path / "data" / "research" / "sessions" / lone.session_id in file.parents
    verified = await lone.call(
        "agent_render_research_output",
        library="harbour",
        question="What does a visiting vessel pay?",
        title="Fees",
        summary=[good],
    )
    assert (verified["status"], verified["removed"]) == ("verified", [])


@pytest.mark.requirement("RS-668")
@pytest.mark.parametrize(
    "wrong",
    [
        {"library": "nowhere"},
        {"summary": []},
        {"summary": [{"text": "x" * 2_001}]},
        {"web_sources": [{"url": "javascript:alert(1)", "title": "x"}]},
        {"question": ""},
    ],
)
async def test_a_document_of_bad_input_is_refused(lone: Bench, wrong: dict[str, Any]) -> None:
    """Nothing is written then."""
    await put_library(lone.app, "harbour", {"fees.md": FEES})
    good = {
        "library": "harbour",
        "question": "What?",
        "title": "T",
        "summary": [{"text": "A.", "citations": ["12.1"]}],
    }
    with pytest.raises((InvalidInput, NotFound)):
        await lone.call("agent_render_research_output", **{**good, **wrong})
    assert not (lone.core.choices.data_dir / "research").exists()


@pytest.mark.requirement("RS-669")
async def test_an_agents_files_are_validated_with_their_places(lone: Bench, tmp_path: Path) -> None:
    """The shipped one is fine, a broken one is told where."""
    assert await lone.call("agent_validate", agent=AGENT) == {
        "agent": AGENT,
        "valid": True,
        "problems": [],
    }
    broken = tmp_path / "data" / "agents" / "broken"
    broken.mkdir(parents=True)
    (broken / "AGENT.md").write_text("---\nname: Broken\n---\nText\n")
    (broken / "config.json").write_text('{\n  "stages": 3\n}')
    found = await lone.call("agent_validate", agent="broken")
    places = {(each["file"], each["line"]) for each in found["problems"]}
    assert not found["valid"]
    assert {("AGENT.md", 1), ("config.json", 2)} <= places
    with pytest.raises(NotFound):
        await lone.call("agent_validate", agent="missing")


@pytest.mark.requirement("RS-670")
async def test_a_source_is_tested_from_a_session(lone: Bench) -> None:
    """The shipped example, for real."""
    report = await lone.call("source_test", source="example")
    assert report["passed"]
    assert report["tools"]
    with pytest.raises(NotFound, match="'missing'"):
        await lone.call("source_test", source="missing")


@pytest.mark.requirement("RS-670")
async def test_an_agent_gets_the_address_where_a_person_signs_in(tmp_path: Path) -> None:
    """And a house that does not know its own address says what to do."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    peer = protected_peer(Grants(), address)
    callback = "http://127.0.0.1:3000/callback"
    config = {"type": "http", "name": "Far", "url": f"{address}/mcp", "auth": {"type": "oauth"}}
    folder = tmp_path / "data" / "sources" / "far"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    async with opened(tmp_path, oauth_callback=callback) as bench, serve(peer.app, port):
        begun = await bench.call("source_oauth", source="far")
        assert begun["authorization_url"].startswith(f"{address}/authorize?")
        assert begun["signed_in"] is False
        await bench.desk.sessions.change(
            bench.session_id, permission_mode=PermissionMode.EXPLORE, user_id=LOCAL_USER
        )
        with pytest.raises(Forbidden, match="source_oauth"):
            await bench.call("source_oauth", source="far")


@pytest.mark.requirement("RS-671")
async def test_configuration_is_validated_with_its_places(lone: Bench, tmp_path: Path) -> None:
    """All of it at once, or one kind; files that are not there are fine."""
    fine = await lone.call("config_validate")
    assert fine["valid"]
    assert "sources/example/config.json" in fine["checked"]
    data = tmp_path / "data"
    for name, content in (
        ("config.json", '{\n "permissionMode": "root"\n}'),
        ("statuses/config.json", '{"statuses": [\n  {"id": "a"}]}'),
        ("labels/config.json", "{"),
        ("sources/bad/config.json", '{\n "type": "carrier-pigeon", "name": "Bad"}'),
    ):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text(content)
    found = await lone.call("config_validate")
    places = {(each["file"], each["line"]) for each in found["problems"]}
    assert places == {
        ("config.json", 2),
        ("statuses/config.json", 2),
        ("labels/config.json", 1),
        ("sources/bad/config.json", 2),
    }
    labels = await lone.call("config_validate", target="labels")
    assert [each["file"] for each in labels["problems"]] == ["labels/config.json"]


@pytest.mark.requirement("RS-672")
async def test_a_credential_goes_from_the_person_into_the_secrets_and_nowhere_else(
    bench: Bench,
) -> None:
    """Not to the agent, not into the request, not into an event."""
    asked = await bench.call("credential_prompt", source="web-search", reason="to search")
    assert (asked["status"], asked["asked"]["name"]) == ("pending", "brave-search")
    again = await bench.call("credential_prompt", source="web-search", reason="to search")
    assert again["id"] == asked["id"]
    waiting = asyncio.create_task(
        bench.call(
            "credential_prompt", source="web-search", request_id=asked["id"], wait_seconds=20
        )
    )
    given = await bench.desk.requests.give_credential(
        asked["id"], " hunter2-secret ", user_id=LOCAL_USER
    )
    told = await asyncio.wait_for(waiting, 10)
    assert told["status"] == "answered"
    assert told["answer"] == {"stored": True}
    assert await bench.core.secrets.get(f"{LOCAL_USER}/brave-search") == "hunter2-secret"
    view = await bench.desk.sources.get("web-search", user_id=LOCAL_USER)
    assert view.health != "needs_auth"
    everything = [str(told), given.model_dump_json(), *(str(event) for event in bench.heard)]
    assert not [text for text in everything if "hunter2" in text]
    with pytest.raises(Conflict, match="answered already"):
        await bench.desk.requests.give_credential(asked["id"], "other", user_id=LOCAL_USER)


@pytest.mark.requirement("RS-672")
async def test_a_credential_is_asked_only_as_its_source_names_it(
    lone: Bench, tmp_path: Path
) -> None:
    """No name of the agent's choosing, none for a source that nobody trusts."""
    with pytest.raises(InvalidInput, match="no credential 'github'") as refused:
        await lone.call("credential_prompt", source="web-search", name="github")
    assert refused.value.details["valid_options"] == ["brave-search"]
    with pytest.raises(InvalidInput, match="needs no credential"):
        await lone.call("credential_prompt", source="pdf")
    folder = tmp_path / "project" / ".bottega" / "sources" / "theirs"
    folder.mkdir(parents=True)
    auth = {"type": "bearer", "credential": "brave-search"}
    config = {"type": "http", "name": "T", "url": "https://far.example/mcp", "auth": auth}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(Forbidden, match="came with the project"):
        await lone.call("credential_prompt", source="theirs")
    assert await lone.desk.requests.list(user_id=LOCAL_USER) == []


@pytest.mark.requirement("RS-672")
async def test_a_person_may_decline_and_only_the_owner_is_asked(bench: Bench) -> None:
    """The agent is told; another user neither sees nor answers."""
    asked = await bench.call("credential_prompt", source="web-search")
    ada = (await bench.core.users.create("Ada")).id
    assert await bench.desk.requests.list(user_id=ada) == []
    with pytest.raises(NotFound):
        await bench.desk.requests.give_credential(asked["id"], "hers", user_id=ada)
    with pytest.raises(InvalidInput, match="of the kind 'credential'"):
        await bench.desk.requests.reply(asked["id"], "words", user_id=LOCAL_USER)
    with pytest.raises(InvalidInput, match="nothing was stored"):
        await bench.desk.requests.give_credential(asked["id"], " ", user_id=LOCAL_USER)
    declined = await bench.desk.requests.decline(asked["id"], user_id=LOCAL_USER)
    assert (declined.status, declined.answer) == ("declined", None)
    assert await bench.core.secrets.names() == []


@pytest.mark.requirement("RS-673")
async def test_a_plan_is_approved_or_sent_back_by_a_person(bench: Bench) -> None:
    """Kept with its session, told on the bus, answered once."""
    plan = {"title": "Find the fees", "plan": "1. Search\n2. Verify"}
    first = await bench.call("submit_plan", **plan)
    assert first["status"] == "pending"
    assert ("research.asked", "plan") in {
        (event.topic, event.payload.get("kind")) for event in bench.heard
    }
    with pytest.raises(InvalidInput, match="changed"):
        await bench.desk.requests.judge_plan(first["id"], approved=False, user_id=LOCAL_USER)
    await bench.desk.requests.judge_plan(
        first["id"], approved=False, comment="Ask about nights too.", user_id=LOCAL_USER
    )
    answered = await bench.call("submit_plan", **plan)
    assert answered["id"] == first["id"]
    assert answered["answer"] == {"approved": False, "comment": "Ask about nights too."}
    better = {**plan, "plan": "1. Search, nights too\n2. Verify"}
    second = await bench.call("submit_plan", **better)
    waiting = asyncio.create_task(bench.call("submit_plan", **better, wait_seconds=20))
    await bench.desk.requests.judge_plan(second["id"], approved=True, user_id=LOCAL_USER)
    assert (await asyncio.wait_for(waiting, 10))["answer"]["approved"] is True
    kept = await bench.desk.requests.list(
        user_id=LOCAL_USER, session_id=bench.session_id, open_only=False
    )
    assert [each.asked for each in kept] == [PlanAsked(**plan), PlanAsked(**better)]


@pytest.mark.requirement("RS-673")
async def test_an_agent_that_asks_without_end_is_not_heard_for_ever(lone: Bench) -> None:
    """So many plans wait, and no more."""
    for number in range(20):
        await lone.call("submit_plan", title=f"Plan {number}", plan="…")
    with pytest.raises(TooMany, match="20"):
        await lone.call("submit_plan", title="One more", plan="…")


@pytest.mark.requirement("RS-652")
async def test_the_sessions_mode_decides_what_its_tools_may_do(lone: Bench) -> None:
    """In explore no credential is asked for; keeping notes and testing goes on."""
    await lone.desk.sessions.change(
        lone.session_id, permission_mode=PermissionMode.EXPLORE, user_id=LOCAL_USER
    )
    with pytest.raises(Forbidden, match="'explore'"):
        await lone.call("credential_prompt", source="web-search")
    assert await lone.desk.requests.list(user_id=LOCAL_USER) == []
    await lone.state("set", key="note", value=1)
    await lone.gate("start")


@pytest.mark.requirement("RS-607")
async def test_deleting_a_session_takes_stages_notes_and_requests_with_it(bench: Bench) -> None:
    """Nothing of an agent's stays behind."""
    await bench.gate("start")
    await bench.state("set", key="note", value=1)
    plan = await bench.call("submit_plan", title="P", plan="…")
    await bench.desk.sessions.delete(bench.session_id, user_id=LOCAL_USER)
    with pytest.raises(NotFound):
        await bench.desk.requests.get(plan["id"], user_id=None)
    with pytest.raises(NotFound):
        await bench.desk.gates.status(GateKey(bench.session_id, AGENT, LOCAL_USER))


@pytest.mark.requirement("RS-680")
async def test_a_diagram_is_checked_through_its_tool(lone: Bench) -> None:
    """As agents call it."""
    report = await lone.call("mermaid_validate", diagram="flowchart TD\n  A[Open --> B")
    assert (report["valid"], report["diagram"]) == (False, "flowchart")
    assert report["problems"][0]["line"] == 2


@pytest.mark.requirement("RS-691")
async def test_a_skill_is_checked_through_its_tool(lone: Bench) -> None:
    """One that is stored, and one that is not yet."""
    stored = await lone.call("skill_validate", skill="check-an-answer")
    assert stored == {"skill": "check-an-answer", "valid": True, "problems": []}
    draft = await lone.call("skill_validate", skill="draft", text="---\nname: Draft\n---\nx\n")
    assert {each["line"] for each in draft["problems"]} == {1, 2}
