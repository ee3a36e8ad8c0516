"""Turns that are killed or put down, and sessions that are taken up again."""

import asyncio
import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters

from bottega.assistant.loop.durable import DurableModel
from bottega.conversation import messages as history
from bottega.core.llm.testing import LoopbackApi, Received
from bottega.core.llm.testing import ToolUse as Use
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.runs import RunStatus
from tests.assistant.loop_app import AskFirst, look_up, open_loop, text_of
from tests.assistant.loop_crashing import PLACES, input_for
from tests.processes import warm

HOME = Path(__file__).parents[2]
PATIENCE = 60
SUMMARY = {"summary": "three laps", "decisions": [], "constraints": []}


async def process(root: Path, api: LoopbackApi, what: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(*warm(), "-m", "tests.assistant.loop_crashing", str(root), api.url, what),
        cwd=HOME,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=2**24,
    )


def asks(request: Received, place: str, position: int) -> bool:
    """Whether it is the request of this turn with so many messages before its answer."""
    messages = request.body["messages"]
    return input_for(place).rstrip(".") in str(messages[0]) and len(messages) == position


def script(api: LoopbackApi) -> None:
    """Every turn looks something up and answers; one asks a subagent in between."""
    never = asyncio.Event()

    def on(place: str, position: int, **reply: Any) -> None:
        api.reply(when=lambda request: asks(request, place, position), **reply)

    on("model", 3, text="lost with the process", hold=never)
    on("subagent", 1, tool=("spawn_subagent", {"agent": "helper", "task": "Run laps."}))
    api.reply(
        text="lost with the process",
        hold=never,
        when=lambda r: "Run laps." in str(r.body["messages"][0]),
    )
    api.reply(json=SUMMARY, when=lambda r: "Run laps." in str(r.body["messages"][0]))
    for place in PLACES:
        on(place, 1, tool=("look_up", {"word": place}), usage=(1000, 100))
        on(place, 3, text=f"Past the {place}.", usage=(2000, 200))


async def kill_when_held(killed: asyncio.subprocess.Process, api: LoopbackApi) -> None:
    assert killed.stdout is not None
    assert killed.stderr is not None
    waits = {"held tool", "held gate"}
    try:
        async with asyncio.timeout(PATIENCE):
            while waits:
                line = await killed.stdout.readline()
                if not line:
                    pytest.fail((await killed.stderr.read()).decode())
                waits.discard(line.decode().strip())
            # Model: two; tool: one; subagent: the spawning one and the child's; gate: none yet.
            await api.received(5)
    finally:
        killed.send_signal(signal.SIGKILL)
        await killed.communicate()


@pytest.mark.requirement("AS-140", "AS-141", "AS-142", "AS-143")
async def test_turns_that_are_killed_go_on_and_pay_nothing_twice(tmp_path: Path) -> None:
    """Kill -9 in a model's call, in a tool, in a subagent: only what was in flight is
    done again. AS-141: the gate still asks after the restart, and the answer counts.
    AS-142: money spent before the crash still counts. AS-143: every event is told once.
    """
    async with LoopbackApi() as api:
        script(api)
        await kill_when_held(await process(tmp_path, api, "hold"), api)
        finisher = await process(tmp_path, api, "finish")
        async with asyncio.timeout(PATIENCE):
            out, errors = await finisher.communicate()
        turns = [json.loads(line) for line in out.decode().splitlines() if line.startswith("{")]
        assert len(turns) == len(PLACES), errors.decode()
        by_place = dict(zip(PLACES, turns, strict=True))

        asked = Counter(
            (place, len(request.body["messages"]))
            for request in api.requests
            for place in PLACES
            if input_for(place).rstrip(".") in str(request.body["messages"][0])
        )
        assert asked == {
            ("model", 1): 1,
            ("model", 3): 2,
            ("tool", 1): 1,
            ("tool", 3): 1,
            ("subagent", 1): 1,
            ("subagent", 3): 1,
            ("gate", 1): 1,
            ("gate", 3): 1,
        }
        laps = [r for r in api.requests if "Run laps." in str(r.body["messages"][0])]
        assert len(laps) == 2

    looked_up = Counter((tmp_path / "looked-up.txt").read_text().split())
    assert looked_up == {"model": 1, "tool": 2, "gate": 1}
    for place, turn in by_place.items():
        assert (turn["status"], turn["text"]) == ("success", f"Past the {place}."), turn
        assert turn["events"].count("turn_started") == 1
        assert turn["events"].count("recovered") == 1
    assert by_place["model"]["events"].count("model_turn") == 2
    assert by_place["model"]["events"].count("tool_call") == 1
    assert by_place["subagent"]["events"].count("subagent") == 2
    assert by_place["model"]["cost"] == pytest.approx(by_place["tool"]["cost"])

    gate = by_place["gate"]
    assert gate["was_paused"]
    assert gate["events"].count("gate") == 1
    assert gate["messages"][0] == ["user", "Stop at gate, but shorter."]
    assert [role for role, _ in gate["messages"]] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.requirement("AS-145")
async def test_the_next_turn_knows_the_whole_conversation(tmp_path: Path) -> None:
    """Messages of earlier turns come before the new input, exactly as they were."""
    look = Use("look_up", {"word": "loop"})
    model = ScriptedModel(look, "A loop repeats.", "As I said, it repeats.")
    async with open_loop(tmp_path, model=model, tools=[look_up()]) as app:
        app.agent(text="Be brief.")
        run = await app.settled(await app.start())
        session_id = str(run.session_id)
        before = await app.conversation(session_id)
        await app.settled(await app.start("Say it again.", session_id=session_id))
        after = await app.conversation(session_id)
    assert [message.kind for message in before] == ["request", "response"] * 2
    sent = model.conversations[2]
    assert [history.dump(message) for message in sent[:4]] == [history.dump(m) for m in before]
    assert after[:4] == before
    assert text_of(sent[4:]).count("Say it again.") == 1
    assert "Be brief." not in text_of(after), "the prompt is made anew each turn"
    assert "Be brief." in str(getattr(sent[-1], "instructions", ""))
    assert [message.text for message in after if isinstance(message, ModelResponse)] == [
        None,
        "A loop repeats.",
        "As I said, it repeats.",
    ]


@pytest.mark.requirement("AS-144")
def test_messages_come_back_exactly_as_they_were() -> None:
    """Requests, thinking, calls and results survive the database to the last field."""
    messages: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart("Erkläre “Schleifen” 🐍")]),
        ModelResponse(
            parts=[
                ThinkingPart("hm", signature="abc"),
                TextPart("I look."),
                ToolCallPart("look_up", {"word": "ö", "n": [1, None]}, tool_call_id="c1"),
            ],
            model_name="m",
            finish_reason="tool_call",
        ),
        ModelRequest(parts=[ToolReturnPart("look_up", {"a": [1.5, True]}, "c1", outcome="failed")]),
        ModelResponse(parts=[TextPart("Done.")]),
    ]
    stored = json.loads(json.dumps([history.dump(message) for message in messages]))
    assert history.load(stored) == messages
    roles = [history.role(message) for message in messages]
    assert roles == ["user", "assistant", "tool", "assistant"]


@pytest.mark.requirement("AS-147")
async def test_a_durable_model_can_be_streamed_from(tmp_path: Path) -> None:
    """A stream of it is made from the step's reply, so that a replay has it too."""
    names: list[str] = []
    heard: list[str] = []

    class Straight:
        async def step(self, name: str, function: Any, *args: Any, **kwargs: Any) -> Any:
            names.append(name)
            return await function(*args, **kwargs)

        async def emit(self, type: str, payload: Any = None) -> None: ...

    model = DurableModel(ScriptedModel("A loop repeats."), Straight(), "model", heard.append)
    asked: list[ModelMessage] = [history.said("Explain.")]
    async with model.request_stream(asked, None, ModelRequestParameters()) as stream:
        events = [event async for event in stream]
    assert events
    assert stream.get().text == "A loop repeats."
    assert names == ["model"]
    assert "".join(heard) == "A loop repeats."
    assert len(heard) == 3


@pytest.mark.requirement("AS-146")
async def test_tasks_and_the_draft_are_there_for_the_next_turn(tmp_path: Path) -> None:
    """Tasks, artefact, agent and class outlive the turn."""
    tasks = Use("set_tasks", {"titles": ["starter", "plenary"]})
    model = ScriptedModel(tasks, "# A lesson", "Still two to do.")
    async with open_loop(tmp_path, model=model) as app:
        run = await app.settled(await app.start())
        view = await app.runs.sessions.get(str(run.session_id), user_id="local")
        assert [task["title"] for task in view.row.tasks] == ["starter", "plenary"]
        assert view.row.artefact == "# A lesson"
        await app.settled(await app.start("And now?", session_id=view.id))
        assert [task.title for task in app.turns[-1].context.task_progress] == [
            "starter",
            "plenary",
        ]
        assert "plenary" in str(getattr(model.conversations[-1][-1], "instructions", ""))


@pytest.mark.requirement("AS-141")
async def test_a_gate_waits_while_the_house_is_closed(tmp_path: Path) -> None:
    """A person who never answers loses nothing: days later the gate still asks."""
    async with open_loop(tmp_path, "Never asked.", hooks=[AskFirst()]) as app:
        app.agent(hooks=["ask-first"])
        run = await app.settled(await app.start())
        assert run.status is RunStatus.PAUSED
    async with open_loop(tmp_path, "Shorter.", hooks=[AskFirst()]) as app:
        app.agent(hooks=["ask-first"])
        await app.core.runs.recover()
        gate = await app.runs.gate(run.id)
        assert gate is not None
        assert gate.options == ["confirm", "modify"]
        await app.reply(run, "modify", text="Make it short.")
        result = await app.runs.result(run.id)
        assert result.text == "Shorter."
        messages = await app.runs.sessions.messages(str(run.session_id), user_id="local")
        assert messages[0].text == "Make it short."
