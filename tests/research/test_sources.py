"""Sources: how they are found, described, switched on and shown."""

import json
from pathlib import Path

import pytest

from bottega.core.definitions import DocumentError
from bottega.errors import Conflict, Forbidden, NotFound
from bottega.research.sources.definition import StdioConfig
from bottega.research.sources.folders import SHIPPED, load_source
from bottega.research.sources.launch import NeedsAuth
from bottega.research.sources.service import Sources
from bottega.research.sources.views import ResearchHealth
from tests.research.builders import ME, PEER, open_sources


@pytest.mark.requirement("RS-501")
async def test_later_places_win_and_all_are_listed_in_order(tmp_path: Path) -> None:
    async with open_sources(tmp_path) as app:
        app.put("pdf", type="stdio", command="mine")
        app.put("zebra", type="http", url="https://zebra.example/mcp")
        app.put("zebra", place=app.projects, type="stdio", command="theirs")
        (app.own / "Not A Slug").mkdir()
        (app.own / "Not A Slug" / "config.json").write_text("{}")

        zebra = await app.sources.source("zebra")
        assert zebra.origin == "own"
        app.core.trust.add("sources/zebra", ME)
        found = {each.slug: each for each in await app.sources.list(user_id=ME)}
        assert list(found) == ["example", "pdf", "web-search", "zebra"]
        assert found["pdf"].origin == "own"
        assert found["web-search"].origin == "shipped"
        zebra = await app.sources.source("zebra")
        assert isinstance(zebra.config, StdioConfig)
        assert zebra.config.command == "theirs"

        with pytest.raises(NotFound, match=r"no source 'lion'\. There are: example, pdf"):
            await app.sources.get("lion", user_id=ME)
        with pytest.raises(NotFound):
            await app.sources.get("../../etc", user_id=ME)


@pytest.mark.requirement("RS-502")
async def test_a_broken_file_is_told_with_its_places_and_hides_nothing(tmp_path: Path) -> None:
    """With line and column; the list goes on; what it replaces stays unused."""
    async with open_sources(tmp_path) as app:
        path = app.put("pdf", type="stdio")
        path.write_text(
            '{\n  "type": "stdio",\n  "name": "",\n  "comand": "x",\n'
            '  "args": ["fine", 7],\n  "timeout": -1\n}\n'
        )
        app.put("fine", type="stdio", command="x")
        listed = {each.slug: each for each in await app.sources.list(user_id=ME)}
        assert listed["fine"].problems == []
        assert listed["pdf"].health is ResearchHealth.FAILING
        assert [problem.split(": ")[0] for problem in listed["pdf"].problems] == [
            "1:1",
            "3:3",
            "4:3",
            "5:20",
            "6:3",
        ]
        assert "unknown key 'comand'; did you mean 'command'?" in listed["pdf"].problems[2]
        with pytest.raises(DocumentError, match=r"config\.json:1:1: missing key 'command'"):
            await app.sources.call("pdf", "pdf_text", {}, user_id=ME)

        path.write_text('{"type": "stdio",\n "name" "x"}')
        with pytest.raises(DocumentError, match=r"config\.json:2:9: not valid JSON"):
            await app.sources.get("pdf", user_id=ME)
        path.write_text('{"name": "x"}')
        with pytest.raises(DocumentError, match="'stdio' or 'http'"):
            await app.sources.get("pdf", user_id=ME)
        path.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(DocumentError, match="UTF-8"):
            await app.sources.get("pdf", user_id=ME)
        path.write_text(" " * 300_000)
        with pytest.raises(DocumentError, match="larger than 256 KB"):
            await app.sources.get("pdf", user_id=ME)


@pytest.mark.requirement("RS-503", "RS-505")
@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        (
            {"type": "stdio", "command": "x", "args": ["--key", "${credential:key}"]},
            "args.1: credentials reach a source by 'env', 'headers' or 'auth' only",
        ),
        (
            {"type": "http", "url": "https://x.example/${credential:key}"},
            "url: credentials reach a source",
        ),
        ({"type": "stdio", "command": "x", "env": {"KEY": "${secret}"}}, "unknown placeholder"),
        ({"type": "stdio", "command": "x", "env": {"A B": "1"}}, "env.A B"),
        ({"type": "http", "url": "file:///etc/passwd"}, "url: "),
        ({"type": "http", "url": "https://me:pass@x.example/"}, "url: "),
        (
            {"type": "http", "url": "http://x.example", "auth": {"type": "bearer"}},
            "needs the name of a 'credential'",
        ),
        (
            {"type": "http", "url": "https://x.example", "auth": {"credentials": "x"}},
            "unknown key 'auth.credentials'; did you mean 'credential'?",
        ),
        (
            {
                "type": "http",
                "url": "http://x.example/mcp",
                "auth": {"type": "bearer", "credential": "k"},
            },
            "credentials go over https only",
        ),
    ],
)
def test_a_credential_can_stand_only_where_it_stays_secret(
    tmp_path: Path, config: dict[str, object], complaint: str
) -> None:
    """Not in arguments or addresses, and over the network only encrypted."""
    (tmp_path / "config.json").write_text(json.dumps({"name": "X", **config}))
    with pytest.raises(DocumentError) as error:
        load_source(tmp_path)
    assert complaint in error.value.message


@pytest.mark.requirement("RS-504")
def test_no_message_repeats_a_value_that_may_be_a_pasted_secret(tmp_path: Path) -> None:
    auth = {"type": "bearer", "credential": "sk live/4242424242"}
    config = {"type": "http", "name": "X", "url": "https://x.example", "auth": auth}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(DocumentError) as error:
        load_source(tmp_path)
    assert "auth.credential" in error.value.message
    assert "4242" not in error.value.message


@pytest.mark.requirement("RS-567")
def test_three_sources_ship_and_are_valid() -> None:
    """Web search, PDF and an example, which is off until somebody wants it."""
    shipped = {path.parent.name: load_source(path.parent) for path in SHIPPED.glob("*/config.json")}
    assert sorted(shipped) == ["example", "pdf", "web-search"]
    assert [slug for slug, source in shipped.items() if not source.config.enabled] == ["example"]
    assert shipped["pdf"].guide.startswith("# PDF")


@pytest.mark.requirement("RS-507")
async def test_a_missing_credential_is_named_before_anything_is_started(tmp_path: Path) -> None:
    """`needs_auth` with the name; a person's own goes before the house's."""
    async with open_sources(tmp_path) as app:
        app.put_peer(env={"KEY": "${credential:peer-key}", "PLAIN": "1"})
        with pytest.raises(NeedsAuth, match="needs the credential 'peer-key'") as error:
            await app.call("environment")
        assert error.value.details["credential"] == "peer-key"
        assert not app.diary.exists()
        view = await app.sources.get("peer", user_id=ME)
        assert (view.health, view.credentials) == (ResearchHealth.NEEDS_AUTH, ["peer-key"])

        await app.core.secrets.set("peer-key", "the-house-has-this")
        assert json.loads(await app.call("environment"))["KEY"] == "the-house-has-this"
        await app.core.secrets.set(f"{ME}/peer-key", "mine-alone-is-this")
        assert json.loads(await app.call("environment"))["KEY"] == "mine-alone-is-this"


@pytest.mark.requirement("RS-524")
async def test_people_and_sessions_switch_sources_on_and_off(tmp_path: Path) -> None:
    """Per person, per session, and still so when the house opens again."""
    async with open_sources(tmp_path) as app:
        app.put_peer()
        assert (await app.sources.disable("peer", user_id=ME)).enabled is False
        with pytest.raises(Conflict, match="'peer' is switched off"):
            await app.call("echo")
        await app.sources.enable("peer", user_id=ME, session_id="s1")
        assert "peer" in await app.sources.enabled(user_id=ME, session_id="s1")
        assert "peer" not in await app.sources.enabled(user_id=ME, session_id="s2")
        assert "peer" in await app.sources.enabled(user_id="somebody-else")

        again = Sources(app.core)
        assert "peer" in await again.enabled(user_id=ME, session_id="s1")
        assert "peer" not in await again.enabled(user_id=ME)
        [file] = (tmp_path / "data" / "research" / "source-choices").glob("*.json")
        file.write_text("not what we wrote")
        assert "peer" in await again.enabled(user_id=ME)


@pytest.mark.requirement("RS-525")
async def test_nothing_that_came_with_a_project_runs_before_a_person_enables_it(
    tmp_path: Path,
) -> None:
    """Nor by a test, nor for an agent; a changed file must be enabled again."""
    async with open_sources(tmp_path) as app:
        args = [str(PEER), "none", str(app.diary)]
        app.put("peer", place=app.projects, type="stdio", command="{python}", args=args)
        assert not (await app.sources.get("peer", user_id=ME)).trusted
        with pytest.raises(Forbidden, match="came with the project"):
            await app.call("echo")
        with pytest.raises(Forbidden):
            await app.sources.test("peer", user_id=ME)
        with pytest.raises(Forbidden):
            await app.sources.ensure(["peer"], user_id=ME)
        assert not app.diary.exists()

        with pytest.raises(Forbidden):
            await app.sources.enable("peer", user_id=ME)
        await app.sources.enable("peer", user_id=ME, is_owner=True)
        assert await app.call("echo", text="hello") == "hello"
        args[1] = "greets"
        app.put("peer", place=app.projects, type="stdio", command="{python}", args=args)
        with pytest.raises(Forbidden):
            await app.call("echo")


@pytest.mark.requirement("RS-526")
async def test_what_an_agent_requires_is_switched_on(tmp_path: Path) -> None:
    """And a source that is not there is named, with nothing switched on."""
    async with open_sources(tmp_path) as app:
        with pytest.raises(NotFound, match="no source 'lion'"):
            await app.sources.ensure(["example", "lion"], user_id=ME, session_id="s1")
        assert "example" not in await app.sources.enabled(user_id=ME, session_id="s1")
        turned_on = await app.sources.ensure(["example", "pdf"], user_id=ME, session_id="s1")
        assert turned_on == ["example"]
        assert "example" in await app.sources.enabled(user_id=ME, session_id="s1")
        assert "example" not in await app.sources.enabled(user_id=ME)


@pytest.mark.requirement("RS-527")
async def test_a_test_says_step_by_step_what_works_and_what_to_do(tmp_path: Path) -> None:
    """Connect, initialise, list tools, credentials, advice; also for one that is off."""
    async with open_sources(tmp_path) as app:
        app.put_peer("good", enabled=False)
        app.put_peer("poor", env={"KEY": "${credential:poor-key}"})
        app.put("lost", type="stdio", command="no-such-program-here")
        app.put_peer("slow", "hangs", startTimeout=0.2)

        good = await app.sources.test("good", user_id=ME)
        assert good.passed
        assert [check.name for check in good.checks] == [
            "configuration",
            "credentials",
            "connection",
            "tools",
        ]
        assert "peer 1" in good.checks[2].message
        assert "echo" in good.tools

        poor = await app.sources.test("poor", user_id=ME)
        assert (poor.health, poor.checks[-1].name) == (ResearchHealth.NEEDS_AUTH, "credentials")
        assert poor.advice == ["Enter the credential 'poor-key', then test again."]
        lost = await app.sources.test("lost", user_id=ME)
        assert lost.health is ResearchHealth.FAILING
        assert "no-such-program-here" in lost.checks[-1].message
        assert "by hand" in lost.advice[0]
        slow = await app.sources.test("slow", user_id=ME)
        assert "startTimeout" in slow.advice[0]


@pytest.mark.requirement("RS-528")
async def test_the_list_shows_how_each_source_does(tmp_path: Path) -> None:
    """Unknown, ok with its tools, failing with the last error, needs_auth."""
    async with open_sources(tmp_path) as app:
        app.put_peer()
        app.put("lost", type="stdio", command="no-such-program-here")
        await app.sources.tools("peer", user_id=ME)
        with pytest.raises(Exception, match="cannot be started"):
            await app.sources.tools("lost", user_id=ME)
        listed = {each.slug: each for each in await app.sources.list(user_id=ME)}
        assert listed["pdf"].health is ResearchHealth.UNKNOWN
        assert (listed["peer"].health, listed["peer"].tools) == (ResearchHealth.OK, 11)
        assert listed["lost"].health is ResearchHealth.FAILING
        assert "no-such-program-here" in (listed["lost"].last_error or "")
        assert listed["web-search"].health is ResearchHealth.NEEDS_AUTH
