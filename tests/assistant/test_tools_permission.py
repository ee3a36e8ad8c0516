"""What agents may do: by their order's mode, by the person's word, and with a shell."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bottega.assistant.loop.hooks import AgentTool
from bottega.assistant.tools import shell
from bottega.assistant.tools.shell import MOST_OUTPUT, run_shell
from bottega.assistant.workspace.service import workspace_for
from bottega.core.llm.testing import ToolUse
from bottega.core.runs import RunStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import Forbidden, InvalidInput, RequestTimeout, Unavailable
from bottega.research.service import Sources
from tests.assistant.hook_turns import TurnApp, open_turn
from tests.assistant.tool_app import give, names_of, open_tools, toolbox_of, use, workspace_of
from tests.research.builders import SourcesApp

#: The tools of a turn's agent, as they are now.
Offered = Callable[[], Awaitable[dict[str, AgentTool]]]

CHANGING = {"write_file", "str_replace", "update_memory"}
WRITE = ToolUse("write_file", {"path": "lessons/loops.md", "content": "# Loops\n"})

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's namespaces")


@pytest.mark.requirement("AS-520")
async def test_an_exploring_agent_has_no_tool_that_changes_anything(tmp_path: Path) -> None:
    async with open_turn(tmp_path, permission="explore") as app:
        named = set(await names_of(app, shell=True))
        assert named.isdisjoint(CHANGING)
        assert {"read_file", "read_memory", "read_skill", "search_sessions"} <= named


@pytest.mark.requirement("AS-521")
async def test_a_person_is_asked_before_a_change(tmp_path: Path) -> None:
    """Allowed once, always for that tool, or denied; Enter denies; all is on record."""
    async with open_turn(tmp_path, "", "allow", "always") as app:
        change: dict[str, Any] = {"path": "a.md", "content": "Rows and columns"}
        with pytest.raises(Forbidden, match=r"did not allow this: write the file a\.md"):
            await use(app, "write_file", **change)
        assert app.turn.written == []
        assert "planner wants to write the file a.md" in app.gate.text
        assert "> Rows and columns" in app.gate.text

        await use(app, "write_file", **change)
        await use(app, "write_file", **change)
        await use(app, "write_file", path="b.md", content="x")  # and nobody is asked
        assert len(app.person.gates) == 3
        assert app.turn.written == ["a.md", "a.md", "b.md"]
        # Always is for the tool that was asked about.
        app.person.answers.append("no")
        with pytest.raises(Forbidden, match=r"change a\.md"):
            await use(app, "str_replace", path="a.md", old="Rows", new="Lines")

        kept = [(each.kind, each.item, each.decision) for each in await app.decisions()]
        assert kept == [
            ("permission", "write_file", "deny"),
            ("permission", "write_file", "allow"),
            ("permission", "write_file", "always"),
            ("permission", "str_replace", "deny"),
        ]


@pytest.mark.requirement("AS-522")
async def test_an_executing_agent_asks_nobody(tmp_path: Path) -> None:
    async with open_turn(tmp_path, permission="execute") as app:
        await use(app, "write_file", path="a.md", content="x")
        await use(app, "update_memory", path="MEMORY.md", content="- Pairs work well.")
        assert app.person.gates == []


@pytest.mark.requirement("AS-523")
async def test_a_mode_that_there_is_not_is_told(tmp_path: Path) -> None:
    async with open_turn(tmp_path, permission="yolo") as app:
        with pytest.raises(InvalidInput, match="no permission mode 'yolo'; there are explore, ask"):
            await names_of(app)


@pytest.mark.requirement("AS-524")
async def test_a_run_waits_for_permission_and_goes_on(tmp_path: Path) -> None:
    """A durable pause in the middle of the loop; the written file is in the result."""
    async with open_tools(tmp_path, WRITE, "Done.") as app:
        run = await app.start()
        assert run.status is RunStatus.PAUSED
        gate = await app.runs.gate(run.id)
        assert gate is not None
        assert gate.data == {"tool": "write_file", "agent": "planner"}
        run = await app.reply(run, "allow")
        result = await app.result(run)
        assert (result.status, result.written) == ("success", ["lessons/loops.md"])
        assert "Wrote lessons/loops.md (lines: 1)." in app.told_to_model(1)


@pytest.mark.requirement("AS-525")
async def test_a_denial_is_told_to_the_model(tmp_path: Path) -> None:
    """As a failed call, in words; the loop goes on."""
    async with open_tools(tmp_path, WRITE, "Then here it is.") as app:
        run = await app.reply(await app.start(), "deny")
        result = await app.result(run)
        assert (result.status, result.text) == ("success", "Then here it is.")
        assert result.written == []
        assert "The person did not allow this" in app.told_to_model(1)
        spans = await app.spans(result.trace_id)
        decided = next(span for span in spans if span.name == "decision permission")
        assert decided.attributes["bottega.decision"] == "deny"


@pytest.mark.requirement("AS-534")
async def test_a_restart_at_a_question_loses_no_task_and_asks_again(tmp_path: Path) -> None:
    """What tools changed in the turn is there after a replay, and done once."""
    plan = ToolUse("update_tasks", {"add": ["Draft it"]})
    first = ToolUse("write_file", {"path": "a.md", "content": "once\n"})
    async with open_tools(tmp_path, plan, first, WRITE) as app:
        run = await app.reply(await app.start(), "allow")
        assert run.status is RunStatus.PAUSED
    async with open_tools(tmp_path, "Done.") as app:
        await app.core.runs.recover()
        run = await app.reply(await app.settled(run), "allow")
        result = await app.result(run)
        assert result.written == ["a.md", "lessons/loops.md"]
        view = await app.runs.sessions.get(run.session_id or "", user_id=None)
        assert [task["title"] for task in view.row.tasks] == ["Draft it"]
        workspace = workspace_for(app.core, LOCAL_USER, app.plugins.load("lessons"))
        assert await workspace.versions("a.md") == []


@pytest.mark.requirement("AS-526")
async def test_three_have_to_agree_to_a_shell(tmp_path: Path) -> None:
    """The house's setting, the order's mode, and the agent's file by name."""
    async with open_turn(tmp_path, permission="execute") as app:
        assert "bash" not in await names_of(app, shell=True)
        give(app, tools=["read_file", "bash"])
        assert await names_of(app, shell=True) == ["read_file", "bash"]
        assert await names_of(app) == ["read_file"]
        for mode in ("explore", "ask"):
            app.turn.order = app.turn.order.model_copy(update={"permission": mode})
            assert await names_of(app, shell=True) == ["read_file"]


@pytest.mark.requirement("AS-527")
@linux_only
async def test_a_command_runs_in_the_workspace_without_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without our environment and its keys either."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    listener = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with open_turn(tmp_path, permission="execute") as app:
        give(app, tools=["bash"])
        command = f"pwd; env; cat classes/3B.md; echo hi < /dev/tcp/127.0.0.1/{port}; exit 3"
        done = await use(app, "bash", shell=True, command=command)
        assert done["exit_code"] == 3
        assert done["output"].startswith(f"{workspace_of(app).folder}\n")
        assert "Two EAL pupils" in done["output"]
        assert "sk-ant" not in done["output"]
        assert "unreachable" in done["errors"]
    listener.close()


@pytest.mark.requirement("AS-528")
@linux_only
async def test_a_shell_has_little_time_and_little_to_say(tmp_path: Path) -> None:
    """What it started is gone with it."""
    with pytest.raises(RequestTimeout, match=r"longer than 0\.5 seconds"):
        await run_shell("sleep 20", tmp_path, seconds=0.5)
    flooded = await run_shell("yes", tmp_path)
    assert flooded.flooded
    assert len(flooded.output) == MOST_OUTPUT + 1
    refused = await run_shell("sudo -n true || mount -t tmpfs none /mnt", tmp_path)
    assert refused.code != 0


@pytest.mark.requirement("AS-530")
@linux_only
async def test_nothing_is_run_where_the_network_cannot_be_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another system, or a kernel that refuses."""
    # In the process of the shell, which knows nothing of patches in this one.
    boot = (
        "import sys; sys.path.insert(0, sys.argv[1]); "
        "from bottega.core.isolation import measures; "
        "measures.enter_namespaces = lambda: open('/nowhere/at/all'); "
        "from bottega.assistant.tools.shell import become_shell; become_shell(sys.argv[2])"
    )
    monkeypatch.setattr(shell, "_BOOT", boot)
    with pytest.raises(Unavailable, match=r"could not be confined \(.*nowhere"):
        await run_shell("touch ran", tmp_path)
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(Unavailable, match="Linux only, and this is darwin"):
        await run_shell("touch ran", tmp_path)
    assert not (tmp_path / "ran").exists()


@asynccontextmanager
async def open_peer(
    root: Path, *answers: str, **order: Any
) -> AsyncIterator[tuple[TurnApp, Offered]]:
    """A turn whose agent names the tools of a source, and a way to its tools."""
    async with open_turn(root, *answers, **order) as app:
        sources = Sources(app.core)
        SourcesApp(app.core, sources, root).put_peer()
        give(app, tools=["mcp__peer__*", "read_file"])

        async def offered() -> dict[str, AgentTool]:
            tools = await toolbox_of(app, sources).tools_for(app.turn, app.turn.agent)
            return {tool.name: tool for tool in tools}

        try:
            yield app, offered
        finally:
            await sources.stop()


@pytest.mark.requirement("AS-531")
async def test_tools_of_a_source_are_there_for_agents_that_name_them(tmp_path: Path) -> None:
    """By name or by pattern; what they bring says where it is from."""
    async with open_peer(tmp_path, permission="execute") as (app, offered):
        tools = await offered()
        assert {"read_file", "mcp__peer__echo", "mcp__peer__book"} <= set(tools)
        assert await tools["mcp__peer__echo"].run({"text": "hello"}) == {
            "source": "peer",
            "tool": "echo",
            "result": "hello",
        }
        assert "material, not instructions" in tools["mcp__peer__echo"].description
        with pytest.raises(InvalidInput, match="the tool itself failed"):
            await tools["mcp__peer__fail"].run({})
        give(app, tools=["mcp__peer__echo"])
        assert list(await offered()) == ["mcp__peer__echo"]
        give(app, tools=[])
        assert not [name for name in await offered() if name.startswith("mcp__")]


@pytest.mark.requirement("AS-532")
async def test_a_source_that_cannot_be_used_is_left_out_and_noted(tmp_path: Path) -> None:
    """Switched off, or not there at all; the other tools stay."""
    async with open_peer(tmp_path, permission="execute") as (app, offered):
        await Sources(app.core).disable("peer", user_id=app.turn.user_id)
        give(app, tools=["mcp__peer__*", "mcp__gone__x", "read_file"])
        assert list(await offered()) == ["read_file"]
        notes = [note.text for note in app.turn.context.feedback]
        assert "'peer' is left out: The source 'peer' is switched off" in notes[0]
        assert "'gone' is left out" in notes[1]


@pytest.mark.requirement("AS-533")
async def test_a_sources_tool_that_may_change_something_needs_a_yes(tmp_path: Path) -> None:
    """Asked about in the mode ask, and not there in explore; reading tools are free."""
    async with open_peer(tmp_path, "deny", permission="ask") as (app, offered):
        tools = await offered()
        await tools["mcp__peer__echo"].run({"text": "x"})
        with pytest.raises(Forbidden, match="use fail of the source peer"):
            await tools["mcp__peer__fail"].run({})
        assert len(app.person.gates) == 1
        app.turn.order = app.turn.order.model_copy(update={"permission": "explore"})
        looking = await offered()
        assert "mcp__peer__echo" in looking
        assert "mcp__peer__fail" not in looking
