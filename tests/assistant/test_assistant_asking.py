"""What a turn asks, put to the person at the client as a form."""

from pathlib import Path
from typing import Any

import pytest
from mcp_types import ElicitRequestFormParams, ElicitResult

from bottega.conversation.forms import form_of, message_of, reply_of
from bottega.conversation.gates import Gate, GateItem, GateKind
from bottega.conversation.replies import check_reply
from bottega.core.runs import RunStatus
from bottega.errors import InvalidInput
from tests.app import App
from tests.assistant.builders import open_assistant
from tests.mcp_serving import asking_agent, call

REVIEW = {"command": "code-review:review", "input": "Review standards.md, please."}
GATE = Gate(
    kind=GateKind.ADJUDICATION,
    text="Two findings.",
    items=[
        GateItem(id="a", title="Names", text="`x` is short.", options=["accept", "revise", "skip"]),
        GateItem(id="b", title="Tests", options=["accept", "skip"]),
    ],
    options=["accept", "revise", "skip"],
    default="accept",
)


class Person:
    """Presses Enter, unless told to do something else first."""

    def __init__(self, app: App, *replies: ElicitResult) -> None:
        self.app = app
        self.replies = list(replies)
        self.asked = 0

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        [run] = await self.app.core.runs.list(kind="assistant", limit=1)
        assert run.status is RunStatus.PAUSED
        self.asked += 1
        if self.replies:
            return self.replies.pop(0)
        decision = params.requested_schema["properties"]["decision"]["default"]
        return ElicitResult(action="accept", content={"decision": decision})


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_turn_asks_the_person_and_ends(tmp_path: Path, mode: str) -> None:
    async with open_assistant(tmp_path) as app:
        person = Person(app)
        async with asking_agent(app.rooms, person, mode) as client:
            turn = await call(client, "assistant_run", **REVIEW)
        runs = await app.core.runs.list(kind="assistant")

    assert person.asked >= 1
    assert turn["result"]["status"] == "success"
    assert len(runs) == 1


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_who_declines_or_errs_leaves_the_gate_open(tmp_path: Path, mode: str) -> None:
    async with open_assistant(tmp_path) as app:
        wrong = ElicitResult(action="accept", content={"decision": "fly"})
        person = Person(app, ElicitResult(action="cancel"), wrong)
        async with asking_agent(app.rooms, person, mode) as client:
            first = await call(client, "assistant_run", **REVIEW)
            second = await call(client, "assistant_run", **REVIEW)
            run_id = second["error"]["run_id"]
            still = await call(client, "assistant_result", run_id=run_id)
            reply = {"decision": still["gate"]["default"]}
            done = await call(client, "assistant_reply", run_id=run_id, reply=reply)

    assert (first["status"], still["status"]) == ("paused", "paused")
    assert first["gate"]["kind"] == still["gate"]["kind"]
    assert "'fly' is no answer here" in second["error"]["message"]
    assert "the question is still open" in second["error"]["message"]
    assert done["result"]["status"] == "success"


def test_a_form_has_a_field_for_each_thing_to_decide() -> None:
    form = form_of(GATE)

    assert list(form["properties"]) == ["decision", "text", "item_1", "item_1_text", "item_2"]
    assert form["required"] == ["decision"]
    assert form["properties"]["decision"]["default"] == "accept"
    assert "default" not in form["properties"]["item_1"]
    assert "1. Names\n`x` is short." in message_of(GATE)
    assert all(
        set(field) <= {"type", "title", "description", "enum", "default"}
        for field in form["properties"].values()
    )


def test_what_is_filled_in_is_a_reply_to_the_gate() -> None:
    reply = check_reply(
        GATE,
        reply_of(GATE, {"decision": "accept", "item_1_text": "Call it total.", "item_2": "skip"}),
    )

    assert reply.decision == "accept"
    assert [(item.id, item.decision, item.text) for item in reply.items] == [
        ("a", "revise", "Call it total."),
        ("b", "skip", None),
    ]
    rated = GATE.model_copy(update={"kind": GateKind.CONFIDENCE, "options": ["rate", "skip"]})
    assert form_of(rated)["properties"]["rating"]["maximum"] == 5
    assert check_reply(rated, reply_of(rated, {"decision": "rate", "rating": 4.0})).rating == 4


@pytest.mark.parametrize(
    "form", [{"decision": 1}, {"decision": "accept", "rating": "many"}, {"item_1": ["accept"]}]
)
def test_what_is_no_answer_is_refused(form: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        reply_of(GATE, form)
