"""Connections to sources: kept, bounded, opened again, and safe from what comes through them."""

import asyncio
import json
import os
from pathlib import Path

import psutil
import pytest

from bottega.errors import InvalidInput, NotFound, Unavailable
from bottega.research.sources.launch import NeedsAuth, SourceFailed, SourceTimedOut
from bottega.research.sources.views import ResearchHealth
from tests.research.builders import ME, SourcesApp, open_sources
from tests.research.servers.http_peer import HttpPeer, refuse
from tests.research.servers.serving import free_port, serve


def started(app: SourcesApp) -> list[int]:
    """The processes that the peer was, in order."""
    lines = app.diary.read_text().splitlines()
    return [int(line.split()[1]) for line in lines if line.startswith("started")]


async def gone(*processes: int) -> None:
    found = [psutil.Process(pid) for pid in processes if psutil.pid_exists(pid)]
    _, alive = await asyncio.to_thread(psutil.wait_procs, found, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.requirement("RS-506", "RS-508")
async def test_credentials_reach_a_program_by_its_environment_and_nothing_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cache file, no other secret of ours, nothing in clear on the disk."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-for-sources")
    async with open_sources(tmp_path) as app:
        await app.core.secrets.set("peer-key", "s3cret-value-of-mine")
        app.put_peer(env={"KEY": "Bearer ${credential:peer-key}", "WHERE": "{folder}"})
        environment = json.loads(await app.call("environment"))
        assert environment["KEY"] == "Bearer s3cret-value-of-mine"
        assert environment["WHERE"] == str(app.own / "peer")
        assert "ANTHROPIC_API_KEY" not in environment
        command = psutil.Process(started(app)[0]).cmdline()
        assert not any("s3cret" in part for part in command)
        written = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert not [path for path in written if b"s3cret-value-of-mine" in path.read_bytes()]
        assert not [path for path in written if "credential-cache" in path.name]


@pytest.mark.requirement("RS-509")
async def test_a_connection_is_opened_once_and_kept(tmp_path: Path) -> None:
    """Two first calls at once start one program; later calls find it there."""
    async with open_sources(tmp_path) as app:
        app.put_peer()
        said = await asyncio.gather(*(app.call("echo", text=str(n)) for n in range(5)))
        assert said == ["0", "1", "2", "3", "4"]
        assert len(started(app)) == 1


@pytest.mark.requirement("RS-510")
async def test_each_person_has_a_connection_of_their_own(tmp_path: Path) -> None:
    async with open_sources(tmp_path) as app:
        app.put_peer()
        await app.call("echo")
        await app.sources.call("peer", "echo", {}, user_id="somebody-else")
        assert len(set(started(app))) == 2


@pytest.mark.requirement("RS-511")
async def test_a_source_that_hangs_at_its_start_keeps_nobody_waiting(tmp_path: Path) -> None:
    """A typed error in the time allowed; others go on; it is left alone for a while."""
    async with open_sources(tmp_path) as app:
        app.put_peer("slow", "hangs", startTimeout=0.5)
        app.put_peer()
        slow = asyncio.create_task(app.call("echo", "slow"))
        assert await app.call("echo", text="meanwhile") == "meanwhile"
        with pytest.raises(SourceTimedOut, match="'slow' took too long to answer"):
            await slow
        assert (await app.sources.get("slow", user_id=ME)).health is ResearchHealth.FAILING
        with pytest.raises(SourceTimedOut, match="tried again later"):
            await app.call("echo", "slow")
        app.put_peer("slow")
        assert await app.call("echo", "slow", text="mended") == "mended"


@pytest.mark.requirement("RS-512")
async def test_a_tool_that_never_answers_is_given_up_and_the_next_call_is_answered(
    tmp_path: Path,
) -> None:
    async with open_sources(tmp_path) as app:
        app.put_peer(timeout=1.5)
        with pytest.raises(SourceTimedOut, match=r"did not answer within 1\.5 seconds"):
            await app.call("wait")
        assert await app.call("echo", text="again") == "again"
        assert len(started(app)) == 2


@pytest.mark.requirement("RS-513")
async def test_a_program_that_died_is_started_again(tmp_path: Path) -> None:
    async with open_sources(tmp_path) as app:
        app.put_peer()
        await app.call("echo")
        [first] = started(app)
        os.kill(first, 9)
        await gone(first)
        assert await app.call("echo", text="back") == "back"
        assert len(started(app)) == 2


@pytest.mark.requirement("RS-514")
async def test_a_call_is_made_again_only_where_that_cannot_do_a_thing_twice(
    tmp_path: Path,
) -> None:
    """The peer does its work and dies before it answers."""
    async with open_sources(tmp_path) as app:
        app.put_peer()
        assert await app.call("look") == "look done"
        with pytest.raises(SourceFailed, match="not made again because it may have been done"):
            await app.call("book")
        assert app.diary.read_text().splitlines().count("book") == 1
        assert await app.call("book") == "book done"


@pytest.mark.requirement("RS-515")
async def test_a_session_that_the_far_side_forgot_is_opened_again(tmp_path: Path) -> None:
    """A 404 on an expired MCP session; the call is made once, though it books a seat."""
    port = free_port()
    async with open_sources(tmp_path) as app:
        app.put_address("peer", f"http://127.0.0.1:{port}/mcp")
        before, after = HttpPeer(), HttpPeer()
        async with serve(before.app, port):
            assert await app.call("look") == "seen"
        async with serve(after.app, port):
            assert await app.call("book", seat="12A") == "booked 12A"
        assert any("mcp-session-id" in request for request in before.requests)
        assert after.calls == {"book": 1}


@pytest.mark.requirement("RS-516")
@pytest.mark.parametrize("sessions", [True, False])
async def test_an_address_that_is_down_is_said_to_be_and_found_when_it_is_back(
    tmp_path: Path, sessions: bool
) -> None:
    """In either era of the protocol."""
    port = free_port()
    async with open_sources(tmp_path) as app:
        app.put_address("peer", f"http://127.0.0.1:{port}/mcp")
        with pytest.raises(SourceFailed, match=rf"cannot be reached at http://127.0.0.1:{port}"):
            await app.call("look")
        async with serve(HttpPeer(sessions=sessions).app, port):
            assert await app.call("book", seat="1") == "booked 1"
        with pytest.raises(SourceFailed, match="cannot be reached"):
            await app.call("book", seat="2")
        again = HttpPeer(sessions=sessions)
        async with serve(again.app, port):
            assert await app.call("book", seat="3") == "booked 3"
        assert again.calls == {"book": 1}


@pytest.mark.requirement("RS-517")
async def test_a_large_result_is_cut_with_a_note_and_what_is_no_text_is_named(
    tmp_path: Path,
) -> None:
    async with open_sources(tmp_path) as app:
        app.put_peer()
        giant = await app.sources.call("peer", "giant", {}, user_id=ME)
        assert giant.cut
        assert giant.text.endswith("[cut here: 140,000 more characters]")
        picture = await app.call("picture")
        assert picture.splitlines() == [
            "[image of type image/png: left out]",
            "[notes: file:///notes.md]",
            "in full",
        ]
        failed = await app.sources.call("peer", "fail", {}, user_id=ME)
        assert (failed.is_error, failed.text) == (True, "the tool itself failed")


@pytest.mark.requirement("RS-518")
async def test_a_flood_is_cut_off(tmp_path: Path) -> None:
    """A message over the limit ends there, over stdio and over HTTP, and is not asked for
    again."""
    async with open_sources(tmp_path) as app, serve(HttpPeer().app) as address:
        app.put_peer()
        app.put_address("far", f"{address}/mcp")
        with pytest.raises(SourceFailed, match="more than 4 MB at once"):
            await app.call("endless")
        assert len(started(app)) == 1
        with pytest.raises(SourceFailed, match="more than 4 MB at once"):
            await app.call("giant", "far")
        assert await app.call("look", "far") == "seen"


@pytest.mark.requirement("RS-519")
async def test_a_tool_that_is_gone_is_not_found(tmp_path: Path) -> None:
    """The list of tools is kept, and read again when a name is not in it."""
    async with open_sources(tmp_path) as app:
        app.put_peer()
        assert "vanish" in [tool.name for tool in await app.sources.tools("peer", user_id=ME)]
        with pytest.raises(NotFound, match=r"has no tool 'vanish'\. It has: echo"):
            await app.call("vanish")
        with pytest.raises(NotFound, match="has no tool 'roar'"):
            await app.call("roar")


@pytest.mark.requirement("RS-520")
async def test_what_is_no_message_is_passed_over_and_quoted_if_nothing_else_comes(
    tmp_path: Path,
) -> None:
    """A greeting does no harm; only noise, or nonsense for an answer, is an error."""
    async with open_sources(tmp_path) as app:
        app.put_peer("greeting", "greets")
        app.put_peer("babbling", "babbles")
        app.put_peer("nonsense", "nonsense")
        assert await app.call("echo", "greeting", text="fine") == "fine"
        with pytest.raises(SourceFailed, match="no message: Welcome! I speak no JSON"):
            await app.call("echo", "babbling")
        with pytest.raises(SourceFailed, match="something that is not MCP"):
            await app.call("echo", "nonsense")


@pytest.mark.requirement("RS-521")
async def test_an_answer_against_the_sources_own_schema_is_an_error(tmp_path: Path) -> None:
    async with open_sources(tmp_path) as app:
        app.put_peer()
        with pytest.raises(SourceFailed, match="'answer' is a required property"):
            await app.call("liar")


@pytest.mark.requirement("RS-522")
async def test_a_missing_program_and_a_dying_one_say_why(tmp_path: Path) -> None:
    """The program's own complaint is quoted, without the secrets in it."""
    async with open_sources(tmp_path) as app:
        app.put("lost", type="stdio", command="no-such-program-here")
        app.put_peer("dying", "complains")
        await app.core.secrets.set("other", "s3cret-value-in-a-log")
        with pytest.raises(SourceFailed, match=r"'no-such-program-here'.*correct 'command'"):
            await app.call("echo", "lost")
        with pytest.raises(SourceFailed, match="no licence found for key •••") as error:
            await app.call("echo", "dying")
        assert isinstance(error.value, Unavailable)


@pytest.mark.requirement("RS-523")
async def test_nothing_of_a_program_is_left_behind(tmp_path: Path) -> None:
    """Not by one that ignores every polite word, nor by one that nobody uses."""
    async with open_sources(tmp_path, idle_seconds=0.5) as app:
        app.put_peer()
        await app.call("echo")
        await gone(*started(app))
        assert await app.call("echo", text="woken") == "woken"
        app.put_peer("stubborn", "stubborn", startTimeout=0.3)
        with pytest.raises(SourceTimedOut):
            await app.call("echo", "stubborn")
    await gone(*started(app))


@pytest.mark.requirement("RS-530")
async def test_a_changed_file_or_credential_counts_from_the_next_call(tmp_path: Path) -> None:
    async with open_sources(tmp_path) as app:
        await app.core.secrets.set("peer-key", "first-value")
        app.put_peer(env={"KEY": "${credential:peer-key}"})
        assert json.loads(await app.call("environment"))["KEY"] == "first-value"
        await app.core.secrets.set("peer-key", "second-value")
        assert json.loads(await app.call("environment"))["KEY"] == "second-value"
        app.put_peer(env={"KEY": "third"})
        assert json.loads(await app.call("environment"))["KEY"] == "third"
        assert len(started(app)) == 3


@pytest.mark.requirement("RS-531")
async def test_headers_carry_credentials_and_a_refusal_asks_for_them(tmp_path: Path) -> None:
    """Bearer and a header of its own; 401 is `needs_auth` with the credential's name."""
    peer = HttpPeer(sessions=False)
    async with (
        open_sources(tmp_path) as app,
        serve(peer.app) as address,
        serve(refuse(401)) as refusing,
    ):
        await app.core.secrets.set("far-key", "a-key-for-far-away")
        bearer = {"type": "bearer", "credential": "far-key"}
        header = {"type": "header", "header": "X-Api-Key", "credential": "far-key"}
        app.put_address("bearer", f"{address}/mcp", auth=bearer)
        app.put_address("header", f"{address}/mcp", auth=header, headers={"X-Team": "harbour"})
        app.put_address("strict", f"{refusing}/mcp", auth=bearer)
        app.put_address("bare", f"{refusing}/mcp")
        await app.call("look", "bearer")
        assert peer.requests[-1]["authorization"] == "Bearer a-key-for-far-away"
        await app.call("look", "header")
        assert peer.requests[-1]["x-api-key"] == "a-key-for-far-away"
        assert peer.requests[-1]["x-team"] == "harbour"
        with pytest.raises(NeedsAuth, match="does not accept the credential 'far-key'"):
            await app.call("look", "strict")
        with pytest.raises(NeedsAuth, match="Name it under 'auth'"):
            await app.call("look", "bare")


@pytest.mark.requirement("RS-532")
async def test_arguments_that_a_source_refuses_are_the_callers_to_correct(tmp_path: Path) -> None:
    """Told in the source's words, as a result or as an error."""
    async with open_sources(tmp_path) as app, serve(HttpPeer().app) as address:
        app.put_address("far", f"{address}/mcp")
        try:
            result = await app.sources.call("far", "book", {"chair": 1}, user_id=ME)
            said, is_error = result.text, result.is_error
        except InvalidInput as error:
            said, is_error = error.message, True
        assert is_error
        assert "seat" in said
