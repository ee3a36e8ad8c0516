"""What comes out of a turn: text as it is written, structured answers, files, traces; by which
model, and what happens without one."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bottega.assistant.loop.hooks import Hook
from bottega.assistant.loop.models import asked_for
from bottega.assistant.loop.turn import Turn
from bottega.assistant.plugins.definition import AgentMeta
from bottega.assistant.sessions.schemas import AssistantOrder, LoopStatus
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing import ToolUse as Use
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.runs import RunStatus
from bottega.core.runs.runs import Delta, follow
from bottega.core.sessions.session import SessionStatus
from bottega.core.traces import SpanKind
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, InvalidInput, ModelError
from tests.assistant.loop_app import AskFirst, look_up, open_loop, text_of

LOOK = Use("look_up", {"word": "loop"})
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "minutes": {"type": "integer", "minimum": 1}},
    "required": ["title", "minutes"],
}


@pytest.mark.requirement("AS-111")
async def test_text_is_heard_while_it_is_written(tmp_path: Path) -> None:
    """Over the provider's real wire text comes in pieces, and is whole in the event."""
    text = "A loop repeats what stands in it, again and again, until it has had enough."
    async with (
        LoopbackApi() as api,
        open_loop(tmp_path, api=api, tools=[look_up()]) as app,
    ):
        api.reply(tool=("look_up", {"word": "loop"}))
        api.reply(text=text)
        run = await app.start()
        async with asyncio.timeout(20):
            happening = follow(app.core.runs, app.core.bus, run.id)
            pieces = [each async for each in happening if isinstance(each, Delta)]
        assert "".join(piece.text for piece in pieces) == text
        assert len(pieces) > 3
        assert {piece.substep for piece in pieces} == {"worker-2"}
        assert [told["text"] for told in await app.told("model_turn")] == ["", text]
        assert [request.body["stream"] for request in api.requests] == [True, True]


@pytest.mark.requirement("AS-110")
async def test_events_tell_of_the_turn_in_order_and_with_its_costs(tmp_path: Path) -> None:
    """Start, prompt, model turns with tokens, cost and stop reason, calls, output."""
    async with (
        LoopbackApi() as api,
        open_loop(tmp_path, api=api, tools=[look_up()]) as app,
    ):
        api.reply(tool=("look_up", {"word": "loop"}), usage=(100, 20))
        api.reply(text="Done.", usage=(150, 30))
        result = await app.take()
        assert [event.type for event in await app.events()] == [
            "queued",
            "started",
            "turn_started",
            "prompt_assembled",
            "model_turn",
            "tool_call",
            "model_turn",
            "artefact",
            "completed",
        ]
        first, second = await app.told("model_turn")
        assert (first["stop_reason"], second["stop_reason"]) == ("tool_call", "stop")
        assert (first["input_tokens"], second["output_tokens"]) == (100, 30)
        assert first["cost"] + second["cost"] == pytest.approx(result.cost)
        [prompt] = await app.told("prompt_assembled")
        assert prompt["tokens"]["instructions"] > 0
        assert (result.input_tokens, result.output_tokens) == (250, 50)


@pytest.mark.requirement("AS-117")
async def test_the_trace_holds_every_model_call_tool_and_hook(tmp_path: Path) -> None:
    """One trace, with the session's id; tokens, cost, stop reason, arguments, results."""

    class Watching(Hook):
        name = "watching"

        async def post_model(self, turn: Turn) -> None:
            turn.note(self.name, "seen")

    async with (
        LoopbackApi() as api,
        open_loop(tmp_path, api=api, tools=[look_up()], hooks=[Watching()]) as app,
    ):
        app.agent(hooks=["watching"])
        api.reply(tool=("look_up", {"word": "loop"}))
        api.reply(text="Done.")
        result = await app.take()
        spans = await app.spans(result.trace_id)
        session_id = (await app.core.runs.list())[0].session_id
    assert {span.session_id for span in spans} == {session_id}
    by_kind = {
        kind: [span for span in spans if span.kind == kind]
        for kind in (SpanKind.MODEL, SpanKind.TOOL, SpanKind.HOOK)
    }
    assert [len(by_kind[kind]) for kind in by_kind] == [2, 1, 2]
    assert by_kind[SpanKind.MODEL][0].attributes["bottega.cost_usd"] > 0
    assert by_kind[SpanKind.MODEL][0].attributes["gen_ai.usage.input_tokens"] == 10
    tool = by_kind[SpanKind.TOOL][0].attributes
    assert tool["gen_ai.tool.call.arguments"] == '{"word": "loop"}'
    assert tool["gen_ai.tool.call.result"] == "loop means a lot"
    assert by_kind[SpanKind.HOOK][0].attributes["bottega.hook.outcome"] == "pass"
    reasons = [s.attributes.get("gen_ai.response.finish_reasons") for s in spans]
    assert [reason for reason in reasons if reason] == [["tool_call"], ["stop"]]
    assert spans[0].name == "assistant turn"


@pytest.mark.requirement("AS-114")
async def test_an_answer_in_the_agents_schema_is_checked(tmp_path: Path) -> None:
    """With an outputSchema the result has the answer as data."""
    async with LoopbackApi() as api, open_loop(tmp_path, api=api) as app:
        app.agent(outputSchema=dict(SCHEMA))
        api.reply(json={"title": "Loops", "minutes": 5})
        result = await app.take()
        assert result.output == {"title": "Loops", "minutes": 5}
        assert (result.status, result.reason) == (LoopStatus.SUCCESS, None)
        assert "minutes" in str(api.requests[0].body), "the provider is given the schema"


@pytest.mark.requirement("AS-115")
async def test_an_answer_outside_the_schema_is_asked_for_once_more(tmp_path: Path) -> None:
    """One retry with what is wrong; then the text stands, with the reason."""
    async with LoopbackApi() as api, open_loop(tmp_path, api=api) as app:
        app.agent(outputSchema=dict(SCHEMA))
        api.reply(json={"title": "Loops", "minutes": 0})
        api.reply(json={"title": "Loops", "minutes": 5})
        result = await app.take()
        assert (result.output, result.turns) == ({"title": "Loops", "minutes": 5}, 2)
        assert "less than the minimum" in str(api.requests[1].body["messages"][-1])

        api.reply(json={"title": "Loops", "minutes": 0}, times=2)
        result = await app.take()
        assert (result.output, result.turns) == (None, 2)
        assert result.text == '{"title": "Loops", "minutes": 0}'
        assert "outputSchema" in str(result.reason)
        assert "minutes" in str(result.reason)


@pytest.mark.requirement("AS-116")
async def test_a_commands_output_is_written_where_it_says(tmp_path: Path) -> None:
    """`writes` is filled in, and the file stands in the person's workspace."""
    async with open_loop(tmp_path, "# Loops\n\nAgain.", "No file.") as app:
        app.command("draft", writes="lessons/{class}/{slug}.md")
        result = await app.take("Iteration, für 3B!", command="draft")
        assert result.written == ["lessons/general/iteration-fur-3b.md"]
        written = await app.workspace().read("lessons/general/iteration-fur-3b.md")
        assert written.strip() == "# Loops\n\nAgain."
        [told] = await app.told("artefact")
        assert told == {"text": "# Loops\n\nAgain.", "path": result.written[0]}
        # A mode in which an agent may only look writes nothing.
        result = await app.take("Look only", command="draft", permission="explore")
        assert (result.status, result.written) == (LoopStatus.SUCCESS, [])
        assert not await app.workspace().exists("lessons/general/look-only.md")


@pytest.mark.requirement("AS-116")
async def test_a_draft_that_cannot_be_written_is_kept_in_its_session(tmp_path: Path) -> None:
    """The run fails by the disk, and what was accepted is not lost with it."""
    async with open_loop(tmp_path, "# Loops\n\nAgain.") as app:
        app.command("draft", writes="{slug}.md")
        (app.workspace().folder / "loops.md" / "in-the-way").mkdir(parents=True)
        run = await app.settled(await app.start("Loops", command="draft"))
        view = await app.runs.sessions.get(str(run.session_id), user_id=LOCAL_USER)
        said = await app.runs.sessions.messages(str(run.session_id), user_id=LOCAL_USER)
    assert run.status is RunStatus.FAILED
    assert view.row.artefact == "# Loops\n\nAgain."
    assert [message.text for message in said] == ["Loops", "# Loops\n\nAgain."]


@pytest.mark.requirement("AS-116")
@pytest.mark.parametrize("hooked", [True, False])
async def test_a_draft_that_was_cut_off_is_no_success(tmp_path: Path, hooked: bool) -> None:
    """A reply that ran out of tokens ends the run with that error, and nothing is written."""
    judged: list[str] = []

    class Judging(Hook):
        name = "judging"

        async def post_loop(self, turn: Turn) -> None:
            judged.append(turn.output)

    async with (
        LoopbackApi() as api,
        open_loop(tmp_path, api=api, hooks=[Judging()]) as app,
    ):
        app.agent(hooks=["judging"] if hooked else [])
        app.command("draft", writes="{slug}.md")
        api.reply(text="# Loops\n\nA loop is", stop_reason="max_tokens", usage=(100, 8192))
        run = await app.settled(await app.start("Loops", command="draft"))
        files = await app.workspace().files()
    assert run.status is RunStatus.FAILED
    assert run.error is not None
    assert "cut off" in run.error["message"]
    assert (judged, list(files)) == ([], [])


@pytest.mark.requirement("AS-118")
@pytest.mark.parametrize(
    ("flags", "name"),
    [
        ({}, None),
        ({"model": "claude-haiku-4-5"}, "anthropic:claude-haiku-4-5"),
        ({"model": "openai:gpt-6-luna"}, "openai:gpt-6-luna"),
        ({"provider": "openai"}, "openai:gpt-6.1-sol"),
        ({"provider": "anthropic"}, "anthropic:claude-sonnet-4-5"),
        ({"provider": "openai", "model": "gpt-6-luna"}, "openai:gpt-6-luna"),
        ({"provider": "offline"}, "offline"),
    ],
)
def test_a_flag_names_the_model(flags: dict[str, str], name: str | None) -> None:
    """Provider and model of the order stand over those of the agent's file."""
    meta = AgentMeta(model="claude-sonnet-4-5", provider="anthropic")
    order = AssistantOrder(plugin="p", agent="a", input="x", **flags)
    assert asked_for(order, meta) == name


@pytest.mark.requirement("AS-118")
async def test_the_model_is_the_flags_then_the_files_then_the_houses(tmp_path: Path) -> None:
    """The request names it; a provider without a key is not asked."""
    async with LoopbackApi() as api, open_loop(tmp_path, api=api) as app:
        app.agent(model="claude-opus-4-5")
        app.agent("other", model="gpt-6-luna", provider="openai")
        await app.take(model="claude-haiku-4-5")
        await app.take()
        await app.take(agent="other")
        used = [request.body["model"] for request in api.requests]
        assert used == ["claude-haiku-4-5", "claude-opus-4-5", "claude-sonnet-4-5-20250929"]
        with pytest.raises(InvalidInput, match="OPENAI_API_KEY"):
            await app.start(provider="openai")
        with pytest.raises(InvalidInput, match="no provider 'acme'"):
            await app.start(provider="acme", model="x")
        assert len(await app.core.runs.list()) == 3


@pytest.mark.requirement("AS-119")
async def test_without_a_model_the_same_loop_is_played_offline(tmp_path: Path) -> None:
    """Hooks, gates, tools, events and traces are the same, and the result says offline."""
    offline, tool = ScriptedModel(LOOK, "A draft made offline."), look_up()
    async with open_loop(tmp_path, api=None, tools=[tool], hooks=[AskFirst()]) as app:
        assert app.core.gateway.mode.offline
        app.offline = offline
        app.agent(hooks=["ask-first"])
        run = await app.settled(await app.start())
        assert run.status is RunStatus.PAUSED
        run = await app.reply(run, "confirm")
        result = await app.runs.result(run.id)
        assert (result.offline, result.text, result.cost) == (True, "A draft made offline.", 0)
        assert tool.runs == [{"word": "loop"}]
        types = [event.type for event in await app.events()]
        assert {"gate", "gate_answered", "hook", "model_turn", "tool_call"} <= set(types)
        names = {span.name for span in await app.spans(result.trace_id)}
        assert {"tool look_up", "hook ask-first", "chat offline"} <= names


@pytest.mark.requirement("AS-121")
async def test_a_provider_that_fails_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    """The run has failed with the provider's error; the session goes on from there."""
    async with (
        LoopbackApi() as api,
        open_loop(tmp_path, api=api, tools=[look_up()]) as app,
    ):
        api.reply(tool=("look_up", {"word": "loop"}))
        api.reply(status=400, text="credit balance too low")
        run = await app.settled(await app.start())
        assert run.status is RunStatus.FAILED
        with pytest.raises(ModelError, match="credit balance"):
            await app.runs.result(run.id)
        assert [call["state"] for call in await app.told("tool_call")] == ["completed"]
        api.reply(text="Back again.")
        session_id = str(run.session_id)
        run = await app.settled(await app.start("And now?", session_id=session_id))
        assert (await app.runs.result(run.id)).text == "Back again."
        told = str(api.requests[-1].body["messages"])
        assert told.count("Explain iteration.") == 1
        assert told.count("loop means a lot") == 1
        assert "And now?" in told


@pytest.mark.requirement("AS-123")
@pytest.mark.parametrize(
    ("mode", "status"),
    [("single", SessionStatus.IDLE), ("interactive", SessionStatus.ACTIVE)],
)
async def test_a_command_is_done_or_waits_for_more(
    tmp_path: Path, mode: str, status: SessionStatus
) -> None:
    """An interactive command's session stays open for the person, a single one's rests."""
    async with open_loop(tmp_path, "What else?", "Fine.") as app:
        app.command("talk", mode=mode)
        run = await app.settled(await app.start(command="talk"))
        view = await app.runs.sessions.get(str(run.session_id), user_id="local")
        assert view.session.status == status
        # Either goes on when the person comes back.
        run = await app.settled(await app.start("More.", session_id=view.id))
        assert (await app.runs.result(run.id)).text == "Fine."
        view = await app.runs.sessions.get(view.id, user_id="local")
        assert view.session.status == SessionStatus.ACTIVE


@pytest.mark.requirement("AS-121")
async def test_a_model_that_refuses_fails_the_run(tmp_path: Path) -> None:
    """A refusal is the provider's error too."""
    async with LoopbackApi() as api, open_loop(tmp_path, api=api) as app:
        api.reply(text="no", stop_reason="refusal")
        run = await app.settled(await app.start())
        with pytest.raises(BottegaError, match="refus"):
            await app.runs.result(run.id)
        assert text_of(await app.conversation(str(run.session_id)))
