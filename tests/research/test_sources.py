"""Sources: how they are found, described, switched on and shown."""

import json
from pathlib import Path

import pytest

from bottega.core.documents import DocumentError
from bottega.errors import Conflict, Forbidden, NotFound
from bottega.research.sources.definition import StdioConfig
from bottega.research.sources.failures import NeedsAuth
from bottega.research.sources.loading import SHIPPED, load_source
from bottega.research.sources.service import Sources
from bottega.research.sources.views import Health
from tests.research.servers.source_house import ME, PEER, open_sources


async def test_later_places_win_and_all_are_listed_in_order(tmp_path: Path) -> None:
    """RS-501."""
    async with open_sources(tmp_path) as house:
        house.put("pdf", type="stdio", command="mine")
        house.put("zebra", type="http", url="https://zebra.example/mcp")
        house.put("zebra", place=house.projects, type="stdio", command="theirs")
        (house.own / "Not A Slug").mkdir()
        (house.own / "Not A Slug" / "config.json").write_text("{}")

        found = {each.slug: each for each in await house.sources.list(user_id=ME)}
        assert list(found) == ["example", "pdf", "web-search", "zebra"]
        assert found["pdf"].origin == "own"
        assert found["web-search"].origin == "shipped"
        zebra = await house.sources.source("zebra")
        assert isinstance(zebra.config, StdioConfig)
        assert zebra.config.command == "theirs"

        with pytest.raises(NotFound, match=r"no source 'lion'\. Known are: example, pdf"):
            await house.sources.get("lion", user_id=ME)
        with pytest.raises(NotFound):
            await house.sources.get("../../etc", user_id=ME)


async def test_a_broken_file_is_told_with_its_places_and_hides_nothing(tmp_path: Path) -> None:
    """RS-502: with line and column; the list goes on; what it replaces stays unused."""
    async with open_sources(tmp_path) as house:
        path = house.put("pdf", type="stdio")
        path.write_text(
            '{\n  "type": "stdio",\n  "name": "",\n  "comand": "x",\n'
            '  "args": ["fine", 7],\n  "timeout": -1\n}\n'
        )
        house.put("fine", type="stdio", command="x")
        listed = {each.slug: each for each in await house.sources.list(user_id=ME)}
        assert listed["fine"].problems == []
        assert listed["pdf"].health is Health.FAILING
        assert [problem.split(": ")[0] for problem in listed["pdf"].problems] == [
            "1:1",
            "3:3",
            "4:3",
            "5:20",
            "6:3",
        ]
        assert "unknown key 'comand'; did you mean 'command'?" in listed["pdf"].problems[2]
        with pytest.raises(DocumentError, match=r"config\.json:1:1: missing key 'command'"):
            await house.sources.call("pdf", "pdf_text", {}, user_id=ME)

        path.write_text('{"type": "stdio",\n "name" "x"}')
        with pytest.raises(DocumentError, match=r"config\.json:2:9: not valid JSON"):
            await house.sources.get("pdf", user_id=ME)
        path.write_text('{"name": "x"}')
        with pytest.raises(DocumentError, match="'stdio' or 'http'"):
            await house.sources.get("pdf", user_id=ME)
        path.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(DocumentError, match="UTF-8"):
            await house.sources.get("pdf", user_id=ME)
        path.write_text(" " * 300_000)
        with pytest.raises(DocumentError, match="larger than 256 KB"):
            await house.sources.get("pdf", user_id=ME)


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
    """RS-503, RS-505: not in arguments or addresses, and over the network only encrypted."""
    (tmp_path / "config.json").write_text(json.dumps({"name": "X", **config}))
    with pytest.raises(DocumentError) as error:
        load_source(tmp_path)
    assert complaint in error.value.message


def test_no_message_repeats_a_value_that_may_be_a_pasted_secret(tmp_path: Path) -> None:
    """RS-504."""
    auth = {"type": "bearer", "credential": "sk live/4242424242"}
    config = {"type": "http", "name": "X", "url": "https://x.example", "auth": auth}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(DocumentError) as error:
        load_source(tmp_path)
    assert "auth.credential" in error.value.message
    assert "4242" not in error.value.message


def test_three_sources_ship_and_are_valid() -> None:
    """RS-567: web search, PDF and an example, which is off until somebody wants it."""
    shipped = {path.parent.name: load_source(path.parent) for path in SHIPPED.glob("*/config.json")}
    assert sorted(shipped) == ["example", "pdf", "web-search"]
    assert [slug for slug, source in shipped.items() if not source.config.enabled] == ["example"]
    assert shipped["pdf"].guide.startswith("# PDF")


async def test_a_missing_credential_is_named_before_anything_is_started(tmp_path: Path) -> None:
    """RS-507: `needs_auth` with the name; a person's own goes before the house's."""
    async with open_sources(tmp_path) as house:
        house.put_peer(env={"KEY": "${credential:peer-key}", "PLAIN": "1"})
        with pytest.raises(NeedsAuth, match="needs the credential 'peer-key'") as error:
            await house.call("environment")
        assert error.value.details["credential"] == "peer-key"
        assert not house.diary.exists()
        view = await house.sources.get("peer", user_id=ME)
        assert (view.health, view.credentials) == (Health.NEEDS_AUTH, ["peer-key"])

        await house.core.secrets.set("peer-key", "the-house-has-this")
        assert json.loads(await house.call("environment"))["KEY"] == "the-house-has-this"
        await house.core.secrets.set(f"{ME}/peer-key", "mine-alone-is-this")
        assert json.loads(await house.call("environment"))["KEY"] == "mine-alone-is-this"


async def test_people_and_sessions_switch_sources_on_and_off(tmp_path: Path) -> None:
    """RS-524: per person, per session, and still so when the house opens again."""
    async with open_sources(tmp_path) as house:
        house.put_peer()
        assert (await house.sources.disable("peer", user_id=ME)).enabled is False
        with pytest.raises(Conflict, match="'peer' is switched off"):
            await house.call("echo")
        await house.sources.enable("peer", user_id=ME, session_id="s1")
        assert "peer" in await house.sources.enabled(user_id=ME, session_id="s1")
        assert "peer" not in await house.sources.enabled(user_id=ME, session_id="s2")
        assert "peer" in await house.sources.enabled(user_id="somebody-else")

        again = Sources(house.core)
        assert "peer" in await again.enabled(user_id=ME, session_id="s1")
        assert "peer" not in await again.enabled(user_id=ME)
        [file] = (tmp_path / "data" / "research" / "source-choices").iterdir()
        file.write_text("not what we wrote")
        assert "peer" in await again.enabled(user_id=ME)


async def test_nothing_that_came_with_a_project_runs_before_a_person_enables_it(
    tmp_path: Path,
) -> None:
    """RS-525: nor by a test, nor for an agent; a changed file must be enabled again."""
    async with open_sources(tmp_path) as house:
        args = [str(PEER), "none", str(house.diary)]
        house.put("peer", place=house.projects, type="stdio", command="{python}", args=args)
        assert not (await house.sources.get("peer", user_id=ME)).trusted
        with pytest.raises(Forbidden, match="came with the project"):
            await house.call("echo")
        with pytest.raises(Forbidden):
            await house.sources.test("peer", user_id=ME)
        with pytest.raises(Forbidden):
            await house.sources.ensure(["peer"], user_id=ME)
        assert not house.diary.exists()

        await house.sources.enable("peer", user_id=ME)
        assert await house.call("echo", text="hello") == "hello"
        args[1] = "greets"
        house.put("peer", place=house.projects, type="stdio", command="{python}", args=args)
        with pytest.raises(Forbidden):
            await house.call("echo")


async def test_what_an_agent_requires_is_switched_on(tmp_path: Path) -> None:
    """RS-526: and a source that is not there is named, with nothing switched on."""
    async with open_sources(tmp_path) as house:
        with pytest.raises(NotFound, match="no source 'lion'"):
            await house.sources.ensure(["example", "lion"], user_id=ME, session_id="s1")
        assert "example" not in await house.sources.enabled(user_id=ME, session_id="s1")
        turned_on = await house.sources.ensure(["example", "pdf"], user_id=ME, session_id="s1")
        assert turned_on == ["example"]
        assert "example" in await house.sources.enabled(user_id=ME, session_id="s1")
        assert "example" not in await house.sources.enabled(user_id=ME)


async def test_a_test_says_step_by_step_what_works_and_what_to_do(tmp_path: Path) -> None:
    """RS-527: connect, initialise, list tools, credentials, advice; also for one that is off."""
    async with open_sources(tmp_path) as house:
        house.put_peer("good", enabled=False)
        house.put_peer("poor", env={"KEY": "${credential:poor-key}"})
        house.put("lost", type="stdio", command="no-such-program-here")
        house.put_peer("slow", "hangs", startTimeout=0.2)

        good = await house.sources.test("good", user_id=ME)
        assert good.passed
        assert [check.name for check in good.checks] == [
            "configuration",
            "credentials",
            "connection",
            "tools",
        ]
        assert "peer 1" in good.checks[2].message
        assert "echo" in good.tools

        poor = await house.sources.test("poor", user_id=ME)
        assert (poor.health, poor.checks[-1].name) == (Health.NEEDS_AUTH, "credentials")
        assert poor.advice == ["Enter the credential 'poor-key', then test again."]
        lost = await house.sources.test("lost", user_id=ME)
        assert lost.health is Health.FAILING
        assert "no-such-program-here" in lost.checks[-1].message
        assert "by hand" in lost.advice[0]
        slow = await house.sources.test("slow", user_id=ME)
        assert "startTimeout" in slow.advice[0]


async def test_the_list_shows_how_each_source_does(tmp_path: Path) -> None:
    """RS-528: unknown, ok with its tools, failing with the last error, needs_auth."""
    async with open_sources(tmp_path) as house:
        house.put_peer()
        house.put("lost", type="stdio", command="no-such-program-here")
        await house.sources.tools("peer", user_id=ME)
        with pytest.raises(Exception, match="cannot be started"):
            await house.sources.tools("lost", user_id=ME)
        listed = {each.slug: each for each in await house.sources.list(user_id=ME)}
        assert listed["pdf"].health is Health.UNKNOWN
        assert (listed["peer"].health, listed["peer"].tools) == (Health.OK, 11)
        assert listed["lost"].health is Health.FAILING
        assert "no-such-program-here" in (listed["lost"].last_error or "")
        assert listed["web-search"].health is Health.NEEDS_AUTH
