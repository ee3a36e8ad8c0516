"""The research export: one row of figures a turn, as CSV and as JSON Lines."""

import csv
import io
import json
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.usage import RequestUsage

from bottega.assistant.memory_files.paths import MemoryAccess
from bottega.assistant.sessions.schemas import KIND, AssistantOrder
from bottega.assistant.sessions.tables import AssistantSession
from bottega.assistant.traces.export import COLUMNS, PAGE, ExportFilter, ResearchExport
from bottega.assistant.traces.figures import TurnMetrics, TurnTrace, metrics_of
from bottega.conversation.gates import GateReply, ItemReply
from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.runs import Run
from bottega.core.runs.run import RunEventRow, RunRow
from bottega.core.users import LOCAL_USER
from tests.assistant.tool_app import ToolApp, open_tools

HOOKS = (
    "feedforward",
    "curriculum-evidence",
    "reflection-prompt",
    "teacher-adjudication",
    "memory-capture",
)
EVERYBODY = ExportFilter(user_id=None)
DRAFT = """# Loops

## Starter

Ten minutes of questions.

## Plenary

Exit ticket. [evidence: curriculum/cfe-computing.md:L4 "programs with selection and iteration"]
"""


def said(*parts: TextPart | ToolCallPart) -> ModelResponse:
    return ModelResponse(
        parts=list(parts),
        usage=RequestUsage(input_tokens=100, output_tokens=20),
        finish_reason="stop",
    )


def calling(name: str, **arguments: object) -> ModelResponse:
    return said(ToolCallPart(name, arguments))


async def answered(app: ToolApp, run: Run, *replies: GateReply) -> Run:
    for reply in replies:
        await app.runs.reply(run.id, reply)
        run = await app.settled(run)
    return run


async def rows(app: ToolApp, wanted: ExportFilter = EVERYBODY) -> list[TurnMetrics]:
    return [row async for row in ResearchExport(app.core).rows(wanted)]


@pytest.mark.requirement("AS-570")
async def test_a_row_has_everything_that_traces_capture(tmp_path: Path, database_url: str) -> None:
    """Models, tools, skills, lookups, hooks, gates, memory, evidence, subagents."""
    script = (
        calling("read_skill", skill="backward-design"),
        calling("read_skill", skill="backward-design/examples.md"),
        calling("search_sessions", query="loops"),
        calling("read_file", path="nowhere.md"),
        calling("update_memory", path="classes/3B/lessons.md", content="- EAL pair: flowcharts."),
        calling("spawn_subagent", agent="reviewer", task="Look at the starter."),
        said(TextPart('{"summary": "Fine.", "decisions": [], "constraints": []}')),
        said(TextPart(DRAFT)),
        said(TextPart(DRAFT.replace("Ten", "Five"))),
    )
    async with open_tools(
        tmp_path, *script, hooks=HOOKS, database_url=database_url, offline=True
    ) as app:
        await app.files.write("classes/3B/MEMORY.md", "- Short texts.", MemoryAccess(LOCAL_USER))
        run = await answered(
            app,
            await app.start(ask_confidence=True),
            GateReply(decision="confirm"),
            GateReply(decision="rate", rating=4),
            GateReply(decision="skip"),
            GateReply(
                decision="accept",
                items=[ItemReply(id="starter", decision="revise", text="Make it shorter")],
            ),
            GateReply(decision="accept"),
            GateReply(decision="confirm"),
        )
        result = await app.result(run)
        [row] = await rows(app)

    assert (row.run_id, row.trace_id, row.session_id) == (run.id, result.trace_id, run.session_id)
    assert (row.plugin, row.agent, row.class_id) == ("lessons", "planner", "3B")
    assert (row.status, row.offline) == ("success", True)
    assert row.started_at == run.created_at
    assert row.seconds is not None
    assert row.seconds >= row.waiting_seconds > 0
    assert (row.model_calls, row.input_tokens, row.output_tokens) == (9, 900, 180)
    assert row.stop_reasons == {"stop": 9}
    assert (row.tool_calls, row.failed_tool_calls, row.retried_tool_calls) == (6, 1, 0)
    assert row.tools["read_skill"] == 2
    assert (row.skills_tier_2, row.skills_tier_3) == (1, 1)
    assert row.skills == ["backward-design", "backward-design/examples.md"]
    assert (row.session_searches, row.sessions_read, row.sessions_found) == (1, 0, [])
    assert row.hooks["feedforward pass"] == 1
    assert row.hooks["teacher-adjudication revise"] == 1
    assert row.hooks["teacher-adjudication pass"] == 1
    assert (row.feedforward, row.feedforward_memory_shown) == ("confirm", 1)
    assert row.confidence == 4
    assert row.reflection_answered == 0
    assert row.reflection_skipped > 0
    assert (row.adjudication_revised, row.adjudication_alternatives) == (1, 0)
    assert row.adjudication_accepted >= 2
    assert row.captures_proposed == 1
    assert row.captures_for_class == 1
    assert row.promotions_proposed == 1
    assert (row.captures_confirmed, row.captures_edited, row.captures_dismissed) == (2, 0, 0)
    assert row.memory_writes == 3
    assert row.memory_reads >= 2
    assert row.memory_files == ["memory/classes/3B/MEMORY.md", "memory/classes/3B/lessons.md"]
    assert row.memory_actors["memory-capture"] == 2
    assert {"hook", "prompt", "planner"} <= set(row.memory_actors)
    assert (row.evidence_checked, row.evidence_matched) == (2, 2)
    assert row.evidence == ["curriculum/cfe-computing.md:L4-L4 match"] * 2
    assert row.subagents == ["reviewer"]
    revised = next(each for each in row.decisions if each.decision == "revise")
    assert (revised.kind, revised.subject, revised.text) == ("adjudication", "Starter", None)


@pytest.mark.requirement("AS-571")
async def test_handoffs_aborts_and_questions_are_counted(tmp_path: Path) -> None:
    """Who gave the floor to whom, what stopped a turn, what a person was asked."""
    context = {"decisions": [], "constraints": [], "reason": "done", "open_questions": []}
    script = (
        calling("write_file", path="a.md", content="x"),
        calling("update_memory", path="a.md", content="- Sit Morag at the front."),
        calling("transfer_to_reviewer", **context),
        said(TextPart("Reviewed.")),
        said(TextPart("Never seen.")),
    )
    async with open_tools(tmp_path, *script, offline=True) as app:
        first = await answered(
            app, await app.start(), GateReply(decision="deny"), GateReply(decision="dismiss")
        )
        second = await app.start("again", hooks=["refuse-all"])
        handed, aborted = await rows(app)
        assert (handed.run_id, aborted.run_id) == (first.id, second.id)
    assert handed.handoffs == ["planner > reviewer"]
    assert handed.agent == "reviewer"
    assert (handed.permissions_asked, handed.permissions_denied) == (1, 1)
    assert handed.names_questioned == 1
    assert handed.memory_writes == 0
    assert (aborted.status, aborted.aborted_by) == ("error_hook_abort", "refuse-all")
    assert aborted.hooks == {"refuse-all abort": 1}


@pytest.mark.requirement("AS-572")
async def test_what_people_wrote_is_left_out_unless_it_is_asked_for(tmp_path: Path) -> None:
    """In every field of every format."""
    script = (calling("search_sessions", query="ZEBRA"), said(TextPart("ZEBRA plan")))
    async with open_tools(tmp_path, *script, hooks=["feedforward"], offline=True) as app:
        run = await app.start("the ZEBRA lesson for 3B")
        await answered(app, run, GateReply(decision="modify", text="ZEBRA crossing"))
        export = ResearchExport(app.core)
        for lines in (export.csv(EVERYBODY), export.json_lines(EVERYBODY)):
            assert "ZEBRA" not in "".join([line async for line in lines])
        [row] = await rows(app, ExportFilter(user_id=None, personal=True))
    assert (row.input, row.output) == ("the ZEBRA lesson for 3B", "ZEBRA plan")
    assert row.session_queries == ["ZEBRA"]
    assert row.decisions[0].text == "ZEBRA crossing"
    assert row.participant != LOCAL_USER


async def put_turns(app: ToolApp, count: int, *, user_id: str, plugin: str) -> list[str]:
    """Turns as runs leave them, a day apart, the last one yesterday."""
    ids = []
    order = AssistantOrder(plugin=plugin, agent="planner", input="=cmd|' /C calc'!A0")
    view = await app.runs.sessions.create(order, user_id=user_id)
    async with app.core.database.write() as session:
        for days in range(count, 0, -1):
            at, run_id = clock.now() - timedelta(days=days), new_id("run_")
            ids.append(run_id)
            session.add(
                RunRow(
                    id=run_id,
                    kind=KIND,
                    status="completed",
                    input=order.model_dump(mode="json"),
                    user_id=user_id,
                    session_id=view.id,
                    created_at=at,
                    updated_at=at,
                    position=1,
                    output={"status": "success", "text": "\t-1+1"},
                    recoveries=0,
                )
            )
    return ids


@pytest.mark.requirement("AS-573")
async def test_turns_are_chosen_by_person_plugin_and_day(tmp_path: Path) -> None:
    """The oldest first, however many there are."""
    async with open_tools(tmp_path) as app:
        other = (await app.core.users.create("Another")).id
        mine = await put_turns(app, PAGE + 2, user_id=LOCAL_USER, plugin="lessons")
        code = await put_turns(app, 3, user_id=LOCAL_USER, plugin="code-review")
        theirs = await put_turns(app, 2, user_id=other, plugin="lessons")

        async def found(wanted: ExportFilter) -> list[str]:
            return [row.run_id for row in await rows(app, wanted)]

        assert await found(EVERYBODY) == [*mine, *code, *theirs]
        assert await found(ExportFilter(LOCAL_USER)) == [*mine, *code]
        assert await found(ExportFilter(other)) == theirs
        assert await found(ExportFilter(None, plugin="code-review")) == code
        recent = clock.now() - timedelta(days=2.5)
        assert await found(ExportFilter(other, since=recent)) == theirs
        assert await found(ExportFilter(LOCAL_USER, "code-review", since=recent)) == code[1:]
        assert await found(ExportFilter(LOCAL_USER, "code-review", until=recent)) == code[:1]
        participants = {row.participant for row in await rows(app)}
        assert len(participants) == 2


@pytest.mark.requirement("AS-574")
async def test_no_cell_of_the_csv_is_a_formula(tmp_path: Path) -> None:
    """What begins like one is quoted, and everything else reads as it was."""
    async with open_tools(tmp_path) as app:
        await put_turns(app, 2, user_id=LOCAL_USER, plugin="lessons")
        wanted = ExportFilter(user_id=None, personal=True)
        text = "".join([line async for line in ResearchExport(app.core).csv(wanted)])
        exported = await rows(app, wanted)
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    assert tuple(table[0]) == COLUMNS
    assert [line["run_id"] for line in table] == [row.run_id for row in exported]
    assert table[0]["input"] == "'=cmd|' /C calc'!A0"
    assert table[0]["output"] == "'\t-1+1"
    assert not [cell for line in table for cell in line.values() if cell[:1] in tuple("=+-@\t\r")]
    assert json.loads(table[0]["decisions"]) == []
    assert table[0]["seconds"] == ""


@pytest.mark.requirement("AS-575")
async def test_json_lines_are_the_rows(tmp_path: Path) -> None:
    """Each line a whole row, and no column that the schema does not describe."""
    async with open_tools(tmp_path) as app:
        await put_turns(app, 2, user_id=LOCAL_USER, plugin="lessons")
        lines = [line async for line in ResearchExport(app.core).json_lines(EVERYBODY)]
        assert [TurnMetrics.model_validate_json(line) for line in lines] == await rows(app)
    assert all(line.count("\n") == 1 and line.endswith("\n") for line in lines)
    assert set(json.loads(lines[0])) == set(TurnMetrics.model_fields) == set(COLUMNS)


@pytest.mark.requirement("AS-576")
def test_a_turn_that_still_waits_is_a_row_too() -> None:
    """With its status, the time waited so far left out, and nothing invented."""
    now = clock.now()
    order = AssistantOrder(plugin="lessons", agent="planner", input="x")
    run = RunRow(
        id="run_1",
        kind=KIND,
        status="paused",
        input=order.model_dump(mode="json"),
        user_id=LOCAL_USER,
        created_at=now,
    )
    session = AssistantSession(session_id="s", plugin="lessons", agent="planner")
    events = [
        RunEventRow(type=what, payload={}, created_at=now + timedelta(seconds=at))
        for what, at in (("paused", 0), ("replied", 90), ("paused", 100))
    ]
    row = metrics_of(TurnTrace(run, session, events))
    assert (row.status, row.seconds, row.waiting_seconds) == ("paused", None, 90.0)
    assert (row.model_calls, row.tools, row.feedforward, row.confidence) == (0, {}, None, None)
