"""Connections to sources: kept, bounded, opened again, and safe from what comes through them."""

import asyncio
import json
import os
from pathlib import Path

import psutil
import pytest

from bottega.errors import InvalidInput, NotFound, Unavailable
from bottega.research.sources.failures import NeedsAuth, SourceFailed, SourceTimedOut
from bottega.research.sources.views import Health
from tests.research.servers.http_peer import HttpPeer, refuse
from tests.research.servers.serving import free_port, serve
from tests.research.servers.source_house import ME, SourceHouse, open_sources


def started(house: SourceHouse) -> list[int]:
    """The processes that the peer was, in order."""
    lines = house.diary.read_text().splitlines()
    return [int(line.split()[1]) for line in lines if line.startswith("started")]


async def gone(*processes: int) -> None:
    found = [psutil.Process(pid) for pid in processes if psutil.pid_exists(pid)]
    _, alive = await asyncio.to_thread(psutil.wait_procs, found, timeout=10)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


async def test_credentials_reach_a_program_by_its_environment_and_nothing_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RS-506, RS-508: no cache file, no other secret of ours, nothing in clear on the disk."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-for-sources")
    async with open_sources(tmp_path) as house:
        await house.core.secrets.set("peer-key", "s3cret-value-of-mine")
        house.put_peer(env={"KEY": "Bearer ${credential:peer-key}", "WHERE": "{folder}"})
        environment = json.loads(await house.call("environment"))
        assert environment["KEY"] == "Bearer s3cret-value-of-mine"
        assert environment["WHERE"] == str(house.own / "peer")
        assert "ANTHROPIC_API_KEY" not in environment
        command = psutil.Process(started(house)[0]).cmdline()
        assert not any("s3cret" in part for part in command)
        written = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert not [path for path in written if b"s3cret-value-of-mine" in path.read_bytes()]
        assert not [path for path in written if "credential-cache" in path.name]


async def test_a_connection_is_opened_once_and_kept(tmp_path: Path) -> None:
    """RS-509: two first calls at once start one program; later calls find it there."""
    async with open_sources(tmp_path) as house:
        house.put_peer()
        said = await asyncio.gather(*(house.call("echo", text=str(n)) for n in range(5)))
        assert said == ["0", "1", "2", "3", "4"]
        assert len(started(house)) == 1


async def test_each_person_has_a_connection_of_their_own(tmp_path: Path) -> None:
    """RS-510."""
    async with open_sources(tmp_path) as house:
        house.put_peer()
        await house.call("echo")
        await house.sources.call("peer", "echo", {}, user_id="somebody-else")
        assert len(set(started(house))) == 2


async def test_a_source_that_hangs_at_its_start_keeps_nobody_waiting(tmp_path: Path) -> None:
    """RS-511: a typed error in the time allowed; others go on; it is left alone for a while."""
    async with open_sources(tmp_path) as house:
        house.put_peer("slow", "hangs", startTimeout=0.5)
        house.put_peer()
        slow = asyncio.create_task(house.call("echo", "slow"))
        assert await house.call("echo", text="meanwhile") == "meanwhile"
        with pytest.raises(SourceTimedOut, match="'slow' took too long to answer"):
            await slow
        assert (await house.sources.get("slow", user_id=ME)).health is Health.FAILING
        with pytest.raises(SourceTimedOut, match="tried again later"):
            await house.call("echo", "slow")
        house.put_peer("slow")
        assert await house.call("echo", "slow", text="mended") == "mended"


async def test_a_tool_that_never_answers_is_given_up_and_the_next_call_is_answered(
    tmp_path: Path,
) -> None:
    """RS-512."""
    async with open_sources(tmp_path) as house:
        house.put_peer(timeout=1.5)
        with pytest.raises(SourceTimedOut, match=r"did not answer within 1\.5 seconds"):
            await house.call("wait")
        assert await house.call("echo", text="again") == "again"
        assert len(started(house)) == 2


async def test_a_program_that_died_is_started_again(tmp_path: Path) -> None:
    """RS-513."""
    async with open_sources(tmp_path) as house:
        house.put_peer()
        await house.call("echo")
        [first] = started(house)
        os.kill(first, 9)
        await gone(first)
        assert await house.call("echo", text="back") == "back"
        assert len(started(house)) == 2


async def test_a_call_is_made_again_only_where_that_cannot_do_a_thing_twice(
    tmp_path: Path,
) -> None:
    """RS-514: the peer does its work and dies before it answers."""
    async with open_sources(tmp_path) as house:
        house.put_peer()
        assert await house.call("look") == "look done"
        with pytest.raises(SourceFailed, match="not made again because it may have been done"):
            await house.call("book")
        assert house.diary.read_text().splitlines().count("book") == 1
        assert await house.call("book") == "book done"


async def test_a_session_that_the_far_side_forgot_is_opened_again(tmp_path: Path) -> None:
    """RS-515: a 404 on an expired MCP session; the call is made once, though it books a seat."""
    port = free_port()
    async with open_sources(tmp_path) as house:
        house.put_address("peer", f"http://127.0.0.1:{port}/mcp")
        before, after = HttpPeer(), HttpPeer()
        async with serve(before.app, port):
            assert await house.call("look") == "seen"
        async with serve(after.app, port):
            assert await house.call("book", seat="12A") == "booked 12A"
        assert any("mcp-session-id" in request for request in before.requests)
        assert after.calls == {"book": 1}


@pytest.mark.parametrize("sessions", [True, False])
async def test_an_address_that_is_down_is_said_to_be_and_found_when_it_is_back(
    tmp_path: Path, sessions: bool
) -> None:
    """RS-516: in either era of the protocol."""
    port = free_port()
    async with open_sources(tmp_path) as house:
        house.put_address("peer", f"http://127.0.0.1:{port}/mcp")
        with pytest.raises(SourceFailed, match=rf"cannot be reached at http://127.0.0.1:{port}"):
            await house.call("look")
        async with serve(HttpPeer(sessions=sessions).app, port):
            assert await house.call("book", seat="1") == "booked 1"
        with pytest.raises(SourceFailed, match="cannot be reached"):
            await house.call("book", seat="2")
        again = HttpPeer(sessions=sessions)
        async with serve(again.app, port):
            assert await house.call("book", seat="3") == "booked 3"
        assert again.calls == {"book": 1}


async def test_a_large_result_is_cut_with_a_note_and_what_is_no_text_is_named(
    tmp_path: Path,
) -> None:
    """RS-517."""
    async with open_sources(tmp_path) as house:
        house.put_peer()
        giant = await house.sources.call("peer", "giant", {}, user_id=ME)
        assert giant.cut
        assert giant.text.endswith("[cut here: 140,000 more characters]")
        picture = await house.call("picture")
        assert picture.splitlines() == [
            "[image of type image/png: left out]",
            "[notes: file:///notes.md]",
            "in full",
        ]
        failed = await house.sources.call("peer", "fail", {}, user_id=ME)
        assert (failed.is_error, failed.text) == (True, "the tool itself failed")


async def test_a_flood_is_cut_off(tmp_path: Path) -> None:
    """RS-518: a message over the limit ends there, over stdio and over HTTP, and is not asked for
    again."""
    async with open_sources(tmp_path) as house, serve(HttpPeer().app) as address:
        house.put_peer()
        house.put_address("far", f"{address}/mcp")
        with pytest.raises(SourceFailed, match="more than 4 MB at once"):
            await house.call("endless")
        assert len(started(house)) == 1
        with pytest.raises(SourceFailed, match="more than 4 MB at once"):
            await house.call("giant", "far")
        assert await house.call("look", "far") == "seen"


async def test_a_tool_that_is_gone_is_not_found(tmp_path: Path) -> None:
    """RS-519: the list of tools is kept, and read again when a name is not in it."""
    async with open_sources(tmp_path) as house:
        house.put_peer()
        assert "vanish" in [tool.name for tool in await house.sources.tools("peer", user_id=ME)]
        with pytest.raises(NotFound, match=r"has no tool 'vanish'\. It has: echo"):
            await house.call("vanish")
        with pytest.raises(NotFound, match="has no tool 'roar'"):
            await house.call("roar")


async def test_what_is_no_message_is_passed_over_and_quoted_if_nothing_else_comes(
    tmp_path: Path,
) -> None:
    """RS-520: a greeting does no harm; only noise, or nonsense for an answer, is an error."""
    async with open_sources(tmp_path) as house:
        house.put_peer("greeting", "greets")
        house.put_peer("babbling", "babbles")
        house.put_peer("nonsense", "nonsense")
        assert await house.call("echo", "greeting", text="fine") == "fine"
        with pytest.raises(SourceFailed, match="no message: Welcome! I speak no JSON"):
            await house.call("echo", "babbling")
        with pytest.raises(SourceFailed, match="something that is not MCP"):
            await house.call("echo", "nonsense")


async def test_an_answer_against_the_sources_own_schema_is_an_error(tmp_path: Path) -> None:
    """RS-521."""
    async with open_sources(tmp_path) as house:
        house.put_peer()
        with pytest.raises(SourceFailed, match="'answer' is a required property"):
            await house.call("liar")


async def test_a_missing_program_and_a_dying_one_say_why(tmp_path: Path) -> None:
    """RS-522: the program's own complaint is quoted, without the secrets in it."""
    async with open_sources(tmp_path) as house:
        house.put("lost", type="stdio", command="no-such-program-here")
        house.put_peer("dying", "complains")
        await house.core.secrets.set("other", "s3cret-value-in-a-log")
        with pytest.raises(SourceFailed, match=r"'no-such-program-here'.*correct 'command'"):
            await house.call("echo", "lost")
        with pytest.raises(SourceFailed, match="no licence found for key •••") as error:
            await house.call("echo", "dying")
        assert isinstance(error.value, Unavailable)


async def test_nothing_of_a_program_is_left_behind(tmp_path: Path) -> None:
    """RS-523: not by one that ignores every polite word, nor by one that nobody uses."""
    async with open_sources(tmp_path, idle_seconds=0.5) as house:
        house.put_peer()
        await house.call("echo")
        await gone(*started(house))
        assert await house.call("echo", text="woken") == "woken"
        house.put_peer("stubborn", "stubborn", startTimeout=0.3)
        with pytest.raises(SourceTimedOut):
            await house.call("echo", "stubborn")
    await gone(*started(house))


async def test_a_changed_file_or_credential_counts_from_the_next_call(tmp_path: Path) -> None:
    """RS-530."""
    async with open_sources(tmp_path) as house:
        await house.core.secrets.set("peer-key", "first-value")
        house.put_peer(env={"KEY": "${credential:peer-key}"})
        assert json.loads(await house.call("environment"))["KEY"] == "first-value"
        await house.core.secrets.set("peer-key", "second-value")
        assert json.loads(await house.call("environment"))["KEY"] == "second-value"
        house.put_peer(env={"KEY": "third"})
        assert json.loads(await house.call("environment"))["KEY"] == "third"
        assert len(started(house)) == 3


async def test_headers_carry_credentials_and_a_refusal_asks_for_them(tmp_path: Path) -> None:
    """RS-531: bearer and a header of its own; 401 is `needs_auth` with the credential's name."""
    peer = HttpPeer(sessions=False)
    async with (
        open_sources(tmp_path) as house,
        serve(peer.app) as address,
        serve(refuse(401)) as refusing,
    ):
        await house.core.secrets.set("far-key", "a-key-for-far-away")
        bearer = {"type": "bearer", "credential": "far-key"}
        header = {"type": "header", "header": "X-Api-Key", "credential": "far-key"}
        house.put_address("bearer", f"{address}/mcp", auth=bearer)
        house.put_address("header", f"{address}/mcp", auth=header, headers={"X-Team": "harbour"})
        house.put_address("strict", f"{refusing}/mcp", auth=bearer)
        house.put_address("bare", f"{refusing}/mcp")
        await house.call("look", "bearer")
        assert peer.requests[-1]["authorization"] == "Bearer a-key-for-far-away"
        await house.call("look", "header")
        assert peer.requests[-1]["x-api-key"] == "a-key-for-far-away"
        assert peer.requests[-1]["x-team"] == "harbour"
        with pytest.raises(NeedsAuth, match="does not accept the credential 'far-key'"):
            await house.call("look", "strict")
        with pytest.raises(NeedsAuth, match="Name it under 'auth'"):
            await house.call("look", "bare")


async def test_arguments_that_a_source_refuses_are_the_callers_to_correct(tmp_path: Path) -> None:
    """RS-532: told in the source's words, as a result or as an error."""
    async with open_sources(tmp_path) as house, serve(HttpPeer().app) as address:
        house.put_address("far", f"{address}/mcp")
        try:
            result = await house.sources.call("far", "book", {"chair": 1}, user_id=ME)
            said, is_error = result.text, result.is_error
        except InvalidInput as error:
            said, is_error = error.message, True
        assert is_error
        assert "seat" in said
