"""What agents can do: files, skills, sessions and tasks, and which of them an agent has."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bottega.assistant.loop.turn import TaskItem
from bottega.assistant.plugins.catalogue import TOOLS
from bottega.assistant.sessions.schemas import AssistantOrder
from bottega.assistant.sessions.service import AssistantSessions
from bottega.assistant.sessions.tables import AssistantSession
from bottega.assistant.tools.files import MOST_LINES
from bottega.core import clock
from bottega.core.traces import SpanKind
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, Conflict, Forbidden, InvalidInput, NotFound
from tests.assistant.hook_turns import TurnApp, open_turn
from tests.assistant.tool_app import give, names_of, toolbox_of, use, workspace_of

MEMORY_TOOLS = {"read_memory", "update_memory"}
FILE_TOOLS = {"read_file", "write_file", "str_replace", "list_directory"}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[TurnApp]:
    async with open_turn(tmp_path, permission="execute") as app:
        yield app


@pytest.mark.requirement("AS-501")
async def test_a_file_is_read_with_line_numbers(app: TurnApp) -> None:
    """As evidence pointers cite them."""
    assert await use(app, "read_file", path="classes/3B.md") == (
        "L1: # 3B\nL2: \nL3: - Mixed ability, 24 pupils\nL4: - Two EAL pupils (Ukrainian)"
    )
    assert await use(app, "read_file", path="workspace/teacher.md", first_line=3) == (
        "L3: Teaches Computing and Maths."
    )


@pytest.mark.requirement("AS-506")
async def test_a_long_file_is_read_piece_by_piece(app: TurnApp) -> None:
    """The answer says where to go on, and lines that are not there are told."""
    await workspace_of(app).write("long.md", "\n".join(f"line {n}" for n in range(1, 3001)))
    first = await use(app, "read_file", path="long.md")
    assert first.endswith(
        f"L2000: line 2000\n(Lines 1 to {MOST_LINES} of 3000; ask for more from 2001 on.)"
    )
    rest = await use(app, "read_file", path="long.md", first_line=2001)
    assert rest.splitlines()[0] == "L2001: line 2001"
    assert rest.splitlines()[-1] == "L3000: line 3000"
    piece = await use(app, "read_file", path="long.md", first_line=7, last_line=8)
    assert piece == "L7: line 7\nL8: line 8"
    with pytest.raises(InvalidInput, match="has 3000 lines; lines 3001 to 3000 are none"):
        await use(app, "read_file", path="long.md", first_line=3001)
    await workspace_of(app).write("wide.md", f"{'x' * 200_000}\nend")
    assert len(await use(app, "read_file", path="wide.md")) < 101_000


@pytest.mark.requirement("AS-502")
async def test_a_file_is_created_and_overwritten(app: TurnApp) -> None:
    """What it said before is kept, and the turn knows what was written."""
    told = await use(app, "write_file", path="lessons/loops.md", content="# Loops\n\nOne.\n")
    assert told == "Wrote lessons/loops.md (lines: 3)."
    await use(app, "write_file", path="lessons/loops.md", content="Two.\n")
    workspace = workspace_of(app)
    assert await workspace.read("lessons/loops.md") == "Two.\n"
    assert len(await workspace.versions("lessons/loops.md")) == 1
    assert app.turn.written == ["lessons/loops.md", "lessons/loops.md"]


@pytest.mark.requirement("AS-503")
async def test_a_text_is_replaced_where_it_stands_exactly_once(app: TurnApp) -> None:
    workspace = workspace_of(app)
    await workspace.write("plan.md", "Starter: 10 minutes\nPlenary: 10 minutes\n")
    await use(app, "str_replace", path="plan.md", old="Starter: 10", new="Starter: 5")
    assert await workspace.read("plan.md") == "Starter: 5 minutes\nPlenary: 10 minutes\n"
    for old, complaint in (("Homework", "does not stand there"), ("minutes", "2 times")):
        with pytest.raises(Conflict, match=complaint):
            await use(app, "str_replace", path="plan.md", old=old, new="x")
    assert await workspace.read("plan.md") == "Starter: 5 minutes\nPlenary: 10 minutes\n"


@pytest.mark.requirement("AS-504")
async def test_a_folder_is_listed(app: TurnApp) -> None:
    """Folders with a slash; the empty path is the workspace."""
    listed = (await use(app, "list_directory")).splitlines()
    assert {"classes/", "curriculum/", "soul.md", "teacher.md"} <= set(listed)
    assert (await use(app, "list_directory", path="classes")).splitlines() == ["2A.md", "3B.md"]
    with pytest.raises(NotFound):
        await use(app, "list_directory", path="nowhere")


@pytest.mark.requirement("AS-505")
@pytest.mark.parametrize("tool", sorted(FILE_TOOLS))
async def test_file_tools_stay_in_the_workspace(app: TurnApp, tool: str) -> None:
    """Upwards, absolute, hidden, through a link, with a NUL."""
    workspace = workspace_of(app)
    await workspace.list()
    secret = workspace.folder.parent / "secret.md"
    secret.write_text("do not read")
    (workspace.folder / "link.md").symlink_to(secret)
    more: dict[str, Any] = {
        "write_file": {"content": "x"},
        "str_replace": {"old": "do not read", "new": "x"},
    }.get(tool, {})
    for path in ("../secret.md", "../../x.md", "/etc/passwd", ".history/x", "link.md", "a\0b"):
        with pytest.raises(BottegaError):
            await use(app, tool, path=path, **more)
    assert secret.read_text() == "do not read"
    assert app.turn.written == []


@pytest.mark.requirement("AS-529")
async def test_what_the_person_set_aside_is_not_read(tmp_path: Path) -> None:
    """Neither a file of the workspace nor one of the memory."""
    async with open_turn(tmp_path) as app:
        await app.learn("- Short starters.", "3B")
        app.turn.set_aside |= {"classes/3B.md", "memory/classes/3B/MEMORY.md"}
        for path in ("classes/3B.md", "workspace/classes/3B.md"):
            with pytest.raises(Forbidden, match=r"set 'classes/3B\.md' aside"):
                await use(app, "read_file", path=path)
        with pytest.raises(Forbidden, match="aside"):
            await use(app, "read_memory", path="classes/3B/MEMORY.md")
        assert "Lively" in await use(app, "read_file", path="classes/2A.md")


@pytest.mark.requirement("AS-507")
async def test_a_skill_is_read_tier_by_tier(app: TurnApp) -> None:
    """Which tier it was stands on the span of the call."""
    with app.core.traces.span("tool read_skill", SpanKind.TOOL):
        whole = await use(app, "read_skill", skill="backward-design")
    with app.core.traces.span("tool read_skill", SpanKind.TOOL):
        file = await use(app, "read_skill", skill="backward-design/examples.md")
    assert "Start with the outcome." in whole
    assert file.strip() == "# Examples\n\nA lesson on loops."
    spans = await app.spans("tool read_skill")
    assert [span.attributes["bottega.skill.tier"] for span in spans] == [2, 3]
    assert spans[1].attributes["bottega.skill"] == "backward-design/examples.md"
    for wrong in ("backward-desing", "backward-design/none.md", "../agents/planner.md"):
        with pytest.raises(BottegaError):
            await use(app, "read_skill", skill=wrong)


@pytest.mark.requirement("AS-512")
async def test_tasks_are_added_changed_and_completed(app: TurnApp) -> None:
    """The loop's context has them, and everybody is told."""
    assert await use(app, "update_tasks", add=["Draft", "Check outcomes"]) == (
        "t1 [pending] Draft\nt2 [pending] Check outcomes"
    )
    change = {"id": "t2", "status": "in_progress", "note": "TCH codes"}
    told = await use(app, "update_tasks", update=[change], complete=["t1"], add=["Resources"])
    assert told == (
        "t1 [completed] Draft\nt2 [in_progress] Check outcomes (TCH codes)\nt3 [pending] Resources"
    )
    assert app.turn.context.task_progress[1] == TaskItem(
        "t2", "Check outcomes", "in_progress", "TCH codes"
    )
    told_of, payload = app.steps.told[-1]
    assert told_of == "tasks"
    assert [task["id"] for task in payload["tasks"]] == ["t1", "t2", "t3"]


@pytest.mark.requirement("AS-513")
async def test_a_change_of_tasks_is_all_or_nothing(app: TurnApp) -> None:
    """A task that is not there changes no other."""
    await use(app, "update_tasks", add=["Draft"])
    with pytest.raises(InvalidInput, match="no task 't9'; there are: t1"):
        await use(app, "update_tasks", add=["More"], complete=["t1", "t9"])
    with pytest.raises(InvalidInput, match="101 tasks, and 100 are the most"):
        await use(app, "update_tasks", add=["x"] * 100)
    assert app.turn.context.task_progress == [TaskItem("t1", "Draft")]


async def put_session(app: TurnApp, said: str, class_id: str, days_ago: int) -> str:
    sessions, core = AssistantSessions(app.core), app.core
    order = AssistantOrder(plugin="lessons", agent="planner", input=said)
    view = await sessions.create(order, user_id=LOCAL_USER, class_id=class_id)
    content = {"kind": "request", "parts": []}
    await core.conversations.append(view.id, "user", content, said, user_id=LOCAL_USER)
    async with core.database.write() as session:
        row = await session.get(AssistantSession, view.id)
        assert row is not None
        row.updated_at = clock.now() - timedelta(days=days_ago)
        row.tasks = [{"id": "t1", "title": "Print sheets", "status": "pending", "note": ""}]
    return view.id


@pytest.mark.requirement("AS-510")
async def test_past_sessions_are_found_by_words_class_and_days(app: TurnApp) -> None:
    """Summaries with their ids; what was looked for and found stands in the trace."""
    loops = await put_session(app, "Robots that loop around a maze", "3B", 7)
    nouns = await put_session(app, "Robots and French nouns", "2A", 1)

    async def found(**asked: Any) -> list[str]:
        with app.core.traces.span("tool search_sessions", SpanKind.TOOL):
            return [each["session_id"] for each in await use(app, "search_sessions", **asked)]

    assert await found(query="robots") == [nouns, loops]
    assert await found(query="maze") == [loops]
    assert await found(class_id="3b") == [loops]
    week_ago = clock.now().date() - timedelta(days=7)
    assert await found(query="robots", until=week_ago.isoformat()) == [loops]
    yesterday = clock.now().date() - timedelta(days=1)
    assert await found(since=yesterday.isoformat()) == [nouns]
    assert await found(query="robots", limit=1) == [nouns]
    # The session at hand is no past one.
    assert app.turn.session_id not in await found()
    [summary] = await use(app, "search_sessions", query="maze")
    assert summary["title"] == "Robots that loop around a maze"
    assert summary["class"] == "3B"
    spans = await app.spans("tool search_sessions")
    assert spans[0].attributes["bottega.sessions.query"] == "robots"
    assert spans[0].attributes["bottega.sessions.found"] == [nouns, loops]


@pytest.mark.requirement("AS-511")
async def test_a_past_session_is_read_with_what_was_said_and_left(app: TurnApp) -> None:
    """Messages and metadata; a long one page by page; another's is not there."""
    past = await put_session(app, "Robots that loop around a maze", "3B", 7)
    for number in range(3):
        await app.core.conversations.append(
            past, "assistant", {}, f"{number}" * 20_000, user_id=LOCAL_USER
        )
    page = await use(app, "read_session", session_id=past)
    assert page["messages"][0]["text"] == "Robots that loop around a maze"
    assert page["messages"][0]["role"] == "user"
    assert page["tasks"] == ["Print sheets (pending)"]
    assert page["next_start"] == 3
    rest = await use(app, "read_session", session_id=past, start=3)
    assert rest["messages"][0]["text"] == "2" * 20_000
    assert "next_start" not in rest

    other = await app.core.users.create("Another")
    order = AssistantOrder(plugin="lessons", agent="planner", input="secret robots")
    theirs = await AssistantSessions(app.core).create(order, user_id=other.id)
    with pytest.raises(NotFound):
        await use(app, "read_session", session_id=theirs.id)
    assert await use(app, "search_sessions", query="secret") == []


@pytest.mark.requirement("AS-514")
async def test_an_agent_that_names_no_tools_has_all_but_bash(app: TurnApp) -> None:
    """Also where the house and the mode would allow a shell."""
    named = await names_of(app, shell=True)
    assert {*named, "spawn_subagent", "bash"} == TOOLS
    assert "bash" not in named
    assert len(set(named)) == len(named)


@pytest.mark.requirement("AS-515")
async def test_an_agent_has_the_tools_that_it_names_and_no_others(app: TurnApp) -> None:
    give(app, tools=["read_file", "update_tasks", "spawn_subagent"])
    assert await names_of(app) == ["read_file", "update_tasks"]


@pytest.mark.requirement("AS-516")
@pytest.mark.parametrize("off", ["order", "agent", "ablation"])
async def test_without_memory_there_are_no_memory_tools(tmp_path: Path, off: str) -> None:
    """By --no-memory, by the agent's file, or for an ablation."""
    orders: dict[str, dict[str, Any]] = {
        "order": {"memory": False},
        "ablation": {"without": ["memory"]},
        "agent": {},
    }
    async with open_turn(tmp_path, **orders[off]) as app:
        if off == "agent":
            give(app, memory=False)
        assert MEMORY_TOOLS.isdisjoint(await names_of(app))
        assert "read_file" in await names_of(app)


@pytest.mark.requirement("AS-517")
async def test_an_ablation_takes_the_tools_with_it(tmp_path: Path) -> None:
    """No skills is no read_skill, no workspace is no file tools."""
    async with open_turn(tmp_path, without=["skills", "workspace"]) as app:
        named = set(await names_of(app))
        assert named.isdisjoint({"read_skill", *FILE_TOOLS})
        assert {*MEMORY_TOOLS, "update_tasks"} <= named


@pytest.mark.requirement("AS-518")
async def test_arguments_that_do_not_fit_are_told_in_words(app: TurnApp) -> None:
    """What is wrong and where, for the model to put right."""
    for name, arguments, complaint in (
        ("read_file", {}, "path: Field required"),
        ("read_file", {"path": "x", "colour": "red"}, "colour: Extra inputs"),
        ("read_file", {"path": "x", "first_line": 2**40}, "first_line"),
        ("update_tasks", {"update": [{"id": "t1", "status": "done"}]}, "update.0.status"),
        ("search_sessions", {"since": "last week"}, "since"),
    ):
        with pytest.raises(InvalidInput, match=f"^{name}: .*{complaint}.*call it again"):
            await use(app, name, **arguments)


@pytest.mark.requirement("AS-519")
async def test_every_tool_says_what_it_takes(app: TurnApp) -> None:
    """A description and the JSON Schema of an object, closed to anything else."""
    for tool in await toolbox_of(app).tools_for(app.turn, app.turn.agent):
        assert len(tool.description) > 20, tool.name
        assert tool.schema["type"] == "object"
        assert tool.schema["additionalProperties"] is False
