"""The loop: model, tools and hooks in turn, and what it keeps of them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import ModelRetry
from pydantic_ai.messages import ModelMessage, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall
from sqlalchemy import select

from bottega.assistant.loop.hooks import Hook, HookAbort, Revision, ToolUse
from bottega.assistant.loop.turn import Turn
from bottega.assistant.sessions.schemas import CallState, LoopStatus, Point
from bottega.core.llm.ledger import ApiCall
from bottega.core.llm.testing import ToolUse as Use
from bottega.core.llm.testing.scripted import ScriptedModel, StreamedModel
from tests.assistant.loop_app import Tool, calls, look_up, open_loop, refuse, text_of

LOOK = Use("look_up", {"word": "loop"})


class Listener(Hook):
    """Notes every point that it is called at."""

    name = "listener"

    def __init__(self, name: str = "listener", heard: list[str] | None = None) -> None:
        self.name = name  # type: ignore[misc]
        self.heard: list[str] = [] if heard is None else heard

    def hear(self, point: Point) -> None:
        self.heard.append(f"{self.name} {point}")

    async def pre_loop(self, turn: Turn) -> None:
        self.hear(Point.PRE_LOOP)

    async def post_loop(self, turn: Turn) -> Revision | None:
        self.hear(Point.POST_LOOP)
        return None

    async def pre_model(self, turn: Turn) -> None:
        self.hear(Point.PRE_MODEL)

    async def post_model(self, turn: Turn) -> None:
        self.hear(Point.POST_MODEL)

    async def pre_tool(self, turn: Turn, use: ToolUse) -> None:
        self.hear(Point.PRE_TOOL)

    async def post_tool(self, turn: Turn, use: ToolUse) -> None:
        self.hear(Point.POST_TOOL)


class Aborting(Hook):
    name = "no"

    def __init__(self, point: Point) -> None:
        self._point = point

    async def _abort(self, point: Point) -> None:
        if point is self._point:
            raise HookAbort(self.name, f"not at {point}")

    async def pre_loop(self, turn: Turn) -> None:
        await self._abort(Point.PRE_LOOP)

    async def pre_model(self, turn: Turn) -> None:
        await self._abort(Point.PRE_MODEL)

    async def post_model(self, turn: Turn) -> None:
        await self._abort(Point.POST_MODEL)

    async def pre_tool(self, turn: Turn, use: ToolUse) -> None:
        await self._abort(Point.PRE_TOOL)

    async def post_tool(self, turn: Turn, use: ToolUse) -> None:
        await self._abort(Point.POST_TOOL)

    async def post_loop(self, turn: Turn) -> Revision | None:
        await self._abort(Point.POST_LOOP)
        return None


@pytest.mark.requirement("AS-101")
async def test_a_tool_is_called_and_the_model_answers(tmp_path: Path) -> None:
    """The model calls a tool, gets its result, answers, and the loop ends."""
    tool, model = look_up(), ScriptedModel(LOOK, "A loop repeats.")
    async with open_loop(tmp_path, model=model, tools=[tool]) as app:
        result = await app.take()
    assert (result.status, result.text, result.turns) == (LoopStatus.SUCCESS, "A loop repeats.", 2)
    assert result.agent == "worker"
    assert tool.runs == [{"word": "loop"}]
    assert "loop means a lot" in text_of(model.conversations[1])


@pytest.mark.requirement("AS-102")
async def test_the_context_knows_calls_tasks_feedback_and_counts(tmp_path: Path) -> None:
    """History, calls with state and retries, tasks, feedback and a summary are kept."""

    class Noting(Hook):
        name = "noting"

        async def post_model(self, turn: Turn) -> None:
            turn.note(self.name, f"turn {turn.context.summary.turns}")

    broken = Tool("broken", refuse)
    tasks = Use("set_tasks", {"titles": ["starter", "plenary"]})
    steps = (Use("broken", {"word": "x"}), Use("broken", {"word": "x"}), LOOK, tasks, "Done.")
    async with open_loop(tmp_path, *steps, tools=[look_up(), broken]) as app:
        app.hook(Noting())
        app.agent(hooks=["noting"])
        result = await app.take()
        context = app.turns[0].context
    assert [(call.name, call.state, call.retries) for call in context.tool_calls] == [
        ("broken", CallState.FAILED, 0),
        ("broken", CallState.FAILED, 1),
        ("look_up", CallState.COMPLETED, 0),
        ("set_tasks", CallState.COMPLETED, 0),
    ]
    assert [task.title for task in context.task_progress] == ["starter", "plenary"]
    assert [note.text for note in context.feedback] == [f"turn {n}" for n in range(1, 6)]
    summary = context.summary
    assert (summary.turns, summary.tool_calls, summary.failed_tool_calls) == (5, 4, 2)
    assert summary.marks == ["broken", "look_up", "set_tasks"]
    assert (summary.input_tokens, summary.output_tokens) == (
        result.input_tokens,
        result.output_tokens,
    )
    assert summary.input_tokens > 0
    # A request and a reply for each turn, in the order in which they were.
    assert [message.kind for message in context.history] == ["request", "response"] * 5


@pytest.mark.requirement("AS-103")
async def test_hooks_are_called_at_their_points_the_agents_before_the_callers(
    tmp_path: Path,
) -> None:
    """PreLoop, then model and tool points, then postLoop; agent's hooks first."""
    heard: list[str] = []
    hooks = [Listener("own", heard), Listener("caller", heard)]
    steps = (LOOK, "Done.")
    async with open_loop(tmp_path, *steps, tools=[look_up()], hooks=hooks) as app:
        app.agent(hooks=["own"])
        await app.take(hooks=["caller"])
        told = await app.told("hook")
    points = ["preLoop", "preModel", "postModel", "preTool", "postTool"]
    points += ["preModel", "postModel", "postLoop"]
    assert heard == [f"{who} {point}" for point in points for who in ("own", "caller")]
    assert [each["point"] for each in told] == [p for p in points for _ in range(2)]


@pytest.mark.requirement("AS-104")
async def test_calls_of_one_reply_are_carried_out_in_their_order(tmp_path: Path) -> None:
    """Parallel calls run one after another, and their results come back in order."""
    tool = Tool("look_up", lambda arguments: arguments["word"])
    words = ["a", "b", "c", "d"]
    model = ScriptedModel(calls(*(("look_up", {"word": word}) for word in words)), "Done.")
    async with open_loop(tmp_path, model=model, tools=[tool]) as app:
        await app.take()
        assert [told["arguments"]["word"] for told in await app.told("tool_call")] == words
    assert [arguments["word"] for arguments in tool.runs] == words
    returned = [p for p in model.conversations[1][-1].parts if isinstance(p, ToolReturnPart)]
    assert [part.content for part in returned] == words


def stumble(_: dict[str, Any]) -> str:
    raise ZeroDivisionError("by nought")


def retry(_: dict[str, Any]) -> str:
    raise ModelRetry("say it otherwise")


@pytest.mark.requirement("AS-105")
@pytest.mark.parametrize(
    ("act", "told"),
    [(refuse, "no page 'loop'"), (stumble, "by nought"), (retry, "say it otherwise")],
)
@pytest.mark.parametrize("in_step", [True, False])
async def test_a_tools_error_goes_back_to_the_model(
    tmp_path: Path, act: Any, told: str, in_step: bool
) -> None:
    """Whatever goes wrong in a tool is a result for the model, and the loop goes on."""
    model = ScriptedModel(LOOK, "I could not find it.")
    tool = Tool("look_up", act, in_step=in_step)
    async with open_loop(tmp_path, model=model, tools=[tool]) as app:
        result = await app.take()
    assert (result.status, result.text) == (LoopStatus.SUCCESS, "I could not find it.")
    [returned] = model.conversations[1][-1].parts
    assert isinstance(returned, ToolReturnPart)
    assert told in str(returned.content)
    assert returned.outcome == "failed"


@pytest.mark.requirement("AS-106")
async def test_a_tool_that_is_not_there_is_an_error_result(tmp_path: Path) -> None:
    """A call of an unknown tool is answered with the tools there are, and counted."""
    model = ScriptedModel(Use("fly", {"to": "Rome"}), "I cannot fly.")
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        result = await app.take()
        [call] = await app.told("tool_call")
    assert result.text == "I cannot fly."
    assert "look_up" in text_of(model.conversations[1][-1:])
    assert (call["name"], call["state"]) == ("fly", "failed")


@pytest.mark.requirement("AS-107")
@pytest.mark.parametrize("arguments", ['{"word": ', "[1, 2]", '{"INVALID_JSON": "{"}'])
async def test_arguments_that_are_no_object_are_an_error_result(
    tmp_path: Path, arguments: str
) -> None:
    """Malformed arguments never reach the tool, and the model is told."""

    async def speak(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[Any]:
        if len(messages) == 1:
            yield {0: DeltaToolCall("look_up", arguments)}
        else:
            yield "Sorry."

    tool = look_up()
    model = StreamedModel(stream_function=speak)
    async with open_loop(tmp_path, model=model, tools=[tool]) as app:
        result = await app.take()
        [call] = await app.told("tool_call")
    assert (result.text, result.turns) == ("Sorry.", 2)
    assert tool.runs == []
    assert call["state"] == "failed"


@pytest.mark.requirement("AS-108")
@pytest.mark.parametrize(
    "point",
    [
        Point.PRE_LOOP,
        Point.PRE_MODEL,
        Point.POST_MODEL,
        Point.PRE_TOOL,
        Point.POST_TOOL,
        Point.POST_LOOP,
    ],
)
async def test_an_abort_ends_the_loop_wherever_it_is_raised(tmp_path: Path, point: Point) -> None:
    """Status, hook and reason say so, the trace is written, the conversation is kept."""
    tool, hook = look_up(), Aborting(point)
    async with open_loop(tmp_path, LOOK, "Done.", tools=[tool], hooks=[hook]) as app:
        app.agent(hooks=["no"])
        result = await app.take()
        assert result.status is LoopStatus.HOOK_ABORT
        assert (result.hook, result.reason) == ("no", f"not at {point}")
        spans = await app.spans(result.trace_id)
        aborted = [s for s in spans if s.attributes.get("bottega.hook.outcome") == "abort"]
        assert [span.attributes["bottega.hook.point"] for span in aborted] == [point]
        assert spans[0].attributes["status"] == "error_hook_abort"
        session_id = (await app.core.runs.list())[0].session_id
        messages = await app.conversation(str(session_id))
    called = Point.PRE_TOOL, Point.PRE_LOOP, Point.PRE_MODEL, Point.POST_MODEL
    assert bool(tool.runs) is (point not in called)
    asked = {c.tool_call_id for m in messages if m.kind == "response" for c in m.tool_calls}
    returned = {p.tool_call_id for m in messages for p in m.parts if isinstance(p, ToolReturnPart)}
    assert asked == returned, "a call without an answer would make the history unusable"
    assert "Explain iteration." in text_of(messages)


@pytest.mark.requirement("AS-109")
async def test_hooks_change_a_tools_arguments_and_its_result(tmp_path: Path) -> None:
    """What a preTool hook changes is carried out, what a postTool hook changes is told."""

    class Correcting(Hook):
        name = "correcting"

        async def pre_tool(self, turn: Turn, use: ToolUse) -> None:
            use.arguments = {"word": use.arguments["word"].upper()}

        async def post_tool(self, turn: Turn, use: ToolUse) -> None:
            use.result = f"{use.result}!"

    tool, model = look_up(), ScriptedModel(LOOK, "Done.")
    async with open_loop(tmp_path, model=model, tools=[tool], hooks=[Correcting()]) as app:
        app.agent(hooks=["correcting"])
        await app.take()
    assert tool.runs == [{"word": "LOOP"}]
    assert "LOOP means a lot!" in text_of(model.conversations[1])


@pytest.mark.requirement("AS-112")
async def test_a_revision_goes_back_into_the_loop_and_through_every_hook_again(
    tmp_path: Path,
) -> None:
    """A postLoop hook's revision is worked on, and judged by all postLoop hooks anew."""
    judged: list[tuple[str, str]] = []

    class Guarding(Hook):
        name = "guarding"

        async def post_loop(self, turn: Turn) -> Revision | None:
            judged.append((self.name, turn.output))
            return None

    class Shortening(Hook):
        name = "shortening"

        async def post_loop(self, turn: Turn) -> Revision | None:
            judged.append((self.name, turn.output))
            return Revision("Shorter, please.") if len(turn.output) > 10 else None

    model = ScriptedModel("A rather long answer.", LOOK, "Short.")
    hooks = [Guarding(), Shortening()]
    async with open_loop(tmp_path, model=model, tools=[look_up()], hooks=hooks) as app:
        app.agent(hooks=["guarding", "shortening"])
        result = await app.take()
    assert (result.text, result.turns) == ("Short.", 3)
    long, short = "A rather long answer.", "Short."
    assert judged == [
        ("guarding", long),
        ("shortening", long),
        ("guarding", short),
        ("shortening", short),
    ]
    assert "Shorter, please." in text_of(model.conversations[1][-1:])
    assert long in text_of(model.conversations[1])


@pytest.mark.requirement("AS-113")
async def test_what_a_hook_makes_of_the_input_is_what_the_model_gets(tmp_path: Path) -> None:
    """A modified input and an added section change the prompt."""

    class Modifying(Hook):
        name = "modifying"

        async def pre_loop(self, turn: Turn) -> None:
            turn.input = f"{turn.input} In five minutes."
            turn.additions["feedforward"] = "The class has no computers today."

    model = ScriptedModel("Done.")
    async with open_loop(tmp_path, model=model, hooks=[Modifying()]) as app:
        app.agent(hooks=["modifying"])
        await app.take()
    [request] = model.conversations[0]
    assert "Explain iteration. In five minutes." in text_of([request])
    assert "no computers today" in (getattr(request, "instructions", "") or "")


@pytest.mark.requirement("AS-122")
async def test_each_request_is_priced_and_in_the_ledger(tmp_path: Path) -> None:
    """A loop's every model call is a row of the ledger, and the result has the sum."""
    async with open_loop(tmp_path, LOOK, "Done.", tools=[look_up()]) as app:
        result = await app.take()
        await app.core.ledger.flush()
        async with app.core.database.read() as session:
            rows = (await session.scalars(select(ApiCall))).all()
    assert [row.call_type for row in rows] == ["assistant", "assistant"]
    assert sum(row.cost_estimate for row in rows) == pytest.approx(result.cost)
    assert result.cost > 0


@pytest.mark.requirement("AS-120")
async def test_hooks_and_subagents_can_be_switched_off_for_an_ablation(tmp_path: Path) -> None:
    """`without` leaves hooks and subagents out."""
    spawn = Use("spawn_subagent", {"agent": "helper", "task": "Help."})
    model, hook = ScriptedModel(spawn, "Alone, then.", "With hooks."), Listener()
    async with open_loop(tmp_path, model=model, hooks=[hook]) as app:
        app.agent(hooks=["listener"])
        app.agent("helper")
        await app.take(without=["hooks", "subagents"])
        assert hook.heard == []
        [call] = await app.told("tool_call")
        assert (call["name"], call["state"]) == ("spawn_subagent", "failed")
        await app.take()
        assert hook.heard
