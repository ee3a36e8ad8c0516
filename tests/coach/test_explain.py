""" "Explain This", from the request to the answer in every window."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.enums import HintLevel, PhaseStatus
from bottega.coach.explaining.explainer import Explainer
from bottega.coach.prompts.explain_this import ExplainThis
from bottega.coach.protocol.learning import Explain
from bottega.coach.repository import learning
from bottega.coach.repository.plans import NewPhase
from bottega.coach.stages import Stage
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.users import LOCAL_USER
from bottega.errors import ApiRefusalError, InvalidInput, ModelError
from tests.coach.conversations import calls, told_to
from tests.coach.house import House, open_house

PHASE = NewPhase(
    1, "Price the rolls", "Make `price_of` exact", HintLevel.FILE, status=PhaseStatus.ACTIVE
)
TOLD = ExplainThis(
    explanation="It adds up prices.",
    key_concepts=["generator"],
    analogy=None,
    related_files=["src/bakery/prices.py", "src/bakery/ovens.py", "../secrets.py"],
    phase_connection="It calls what the phase changes.",
)


def explainer(house: House) -> Explainer:
    return Explainer(house.core, house.voice, house.skills)


def asked(**fields: Any) -> Explain:
    selection = {"startLine": 5, "startCol": 1, "endLine": 5, "endCol": 20}
    return Explain.model_validate(
        {"path": "src/bakery/orders.py", "selection": selection, "selectedText": "sum(…)"} | fields
    )


async def test_code_is_explained_and_both_ends_are_logged(tmp_path: Path) -> None:
    """FR-151, FR-164, FR-165, SC-072: files that the project has not are left out of the answer."""
    async with open_house(tmp_path, model=ScriptedModel(TOLD)) as house:
        session = await house.start_session()
        await explainer(house).explain(house.desk, asked())
        answer = await house.hear("explain:response")
        requested, completed = (await house.actions(session.id))[-2:]

    assert answer == {
        "path": "src/bakery/orders.py",
        "explanation": "It adds up prices.",
        "keyConcepts": ["generator"],
        "analogy": None,
        "relatedFiles": ["src/bakery/prices.py"],
        "phaseConnection": None,
        "offline": False,
    }
    assert requested.action_type == "explain_requested"
    assert requested.data == {
        "path": "src/bakery/orders.py",
        "range": {"startLine": 5, "startCol": 1, "endLine": 5, "endCol": 20},
    }
    assert completed.action_type == "explain_completed"
    assert completed.data is not None
    assert completed.data.pop("latency_ms") >= 0
    assert completed.data.pop("model").startswith("claude-")
    assert completed.data == {"path": "src/bakery/orders.py", "success": True}


async def test_related_files_that_do_not_exist_are_none_at_all(tmp_path: Path) -> None:
    """FR-164: null, where every file was made up."""
    made_up = TOLD.model_copy(update={"related_files": ["src/bakery/ovens.py", "src"]})
    async with open_house(tmp_path, model=ScriptedModel(made_up)) as house:
        answer = await explainer(house).explain(house.desk, asked())
    assert answer.related_files is None


async def test_the_learners_stage_in_the_language_reaches_the_model(tmp_path: Path) -> None:
    """FR-152: the nearest skill's stage; without any skill, novice."""
    model = ScriptedModel(TOLD, TOLD)
    async with open_house(tmp_path, model=model) as house:
        await explainer(house).explain(house.desk, asked())
        async with house.core.database.write() as session:
            await learning.assess(session, LOCAL_USER, "Python", Stage.EXPERT, 0.9, "Evidence")
            await learning.assess(session, LOCAL_USER, "Git", Stage.COMPETENT, 0.9, "Evidence")
        await explainer(house).explain(house.desk, asked())
    assert "stage is: novice" in told_to(model, 0)[0]
    assert "stage is: expert" in told_to(model, 1)[0]


async def test_the_active_phase_reaches_the_model_and_its_words_the_learner(
    tmp_path: Path,
) -> None:
    """FR-153, SC-074."""
    model = ScriptedModel(TOLD)
    async with open_house(tmp_path, model=model) as house:
        await house.start_session()
        await house.add_plan(PHASE)
        answer = await explainer(house).explain(house.desk, asked())
    assert told_to(model)[1]["current_phase"] == {
        "number": 1,
        "title": "Price the rolls",
        "description": "Make `price_of` exact",
    }
    assert answer.phase_connection == "It calls what the phase changes."


async def test_without_a_session_code_is_explained_all_the_same(tmp_path: Path) -> None:
    """FR-153: no phase, no connection to one; the cost is in the ledger."""
    model = ScriptedModel(TOLD)
    async with open_house(tmp_path, model=model) as house:
        answer = await explainer(house).explain(house.desk, asked())
        [call] = await calls(house)
    assert told_to(model)[1]["current_phase"] is None
    assert answer.phase_connection is None
    assert (call.session_id, call.call_type) == (None, "explain_this")
    assert call.cost_estimate > 0


async def test_what_the_editor_did_not_send_is_looked_up(tmp_path: Path) -> None:
    """FR-151: the language by the path; the file around the selection, unsaved edits first."""
    lines = [f"line_{number} = {'x' * 200!r}" for number in range(1, 301)]
    short = lines[:20]
    model = ScriptedModel(TOLD, TOLD, TOLD)
    async with open_house(tmp_path, model=model) as house:
        (house.project / "long.py").write_text("\n".join(lines))
        (house.project / "short.py").write_text("\n".join(short))
        selection = {"startLine": 100, "endLine": 101}
        await explainer(house).explain(house.desk, asked(path="long.py", selection=selection))
        house.desk.files.update_buffer("long.py", "\n".join(["unsaved = True", *lines]))
        await explainer(house).explain(house.desk, asked(path="long.py", selection=selection))
        selection = {"startLine": 20, "endLine": 20}
        await explainer(house).explain(house.desk, asked(path="short.py", selection=selection))
    on_disk, in_editor, whole = (told_to(model, call)[1] for call in range(3))
    assert on_disk["language"] == "python"
    assert on_disk["surrounding_context"].splitlines() == lines[49:151]
    assert in_editor["surrounding_context"].splitlines() == lines[48:150]
    assert whole["surrounding_context"].splitlines() == short


async def test_what_the_editor_sent_is_passed_on_as_it_is(tmp_path: Path) -> None:
    """EC-74: an empty selection too."""
    model = ScriptedModel(TOLD)
    async with open_house(tmp_path, model=model) as house:
        given = asked(selectedText="", surroundingContext="x = 1", language="ruby")
        await explainer(house).explain(house.desk, given)
    prompt = told_to(model)[1]
    assert prompt["selected_code"] == ""
    assert prompt["surrounding_context"] == "x = 1"
    assert prompt["language"] == "ruby"


async def test_offline_the_code_around_an_empty_selection_is_explained(house: House) -> None:
    """EC-74, FR-151: with an answer that says what it is."""
    answer = await explainer(house).explain(house.desk, asked(selectedText=""))
    assert answer.offline
    assert "total" in answer.explanation
    assert answer.related_files == ["src/bakery/prices.py"]


@pytest.mark.parametrize("path", ["logo.png", "src/bakery/blob.py"])
async def test_a_binary_file_is_not_explained(house: House, path: str) -> None:
    """EC-75: told by its name or by what is in it."""
    (house.project / path).write_bytes(b"\x00\x01\x02\xff")
    with pytest.raises(InvalidInput):
        await explainer(house).explain(house.desk, asked(path=path))
    said = await house.hear("explain:error")
    assert said == {"path": path, "error": "Cannot explain binary files"}
    assert await calls(house) == []


async def test_a_file_outside_the_project_is_not_explained(house: House) -> None:
    """FR-160: the refusal is told like every failure."""
    with pytest.raises(Exception, match="outside"):
        await explainer(house).explain(house.desk, asked(path="../../etc/passwd"))
    assert "outside" in (await house.hear("explain:error"))["error"]


async def test_a_failure_that_passes_is_tried_once_more(tmp_path: Path) -> None:
    """FR-159, SC-079: over the real wire, 500 and then an answer; the ledger has both."""
    async with LoopbackApi() as api, open_house(tmp_path, api=api) as house:
        api.reply(status=500, text="overloaded")
        api.reply(json=TOLD.model_dump())
        answer = await explainer(house).explain(house.desk, asked())
        logged = await calls(house)
    assert answer.explanation == "It adds up prices."
    assert [call.latency_ms == -1 for call in logged] == [True, False]


async def test_a_second_failure_is_told_to_the_person(tmp_path: Path) -> None:
    """FR-160, SC-080, FR-165: in words, and in the log."""
    async with LoopbackApi() as api, open_house(tmp_path, api=api) as house:
        api.reply(status=500, text="overloaded", times=2)
        session = await house.start_session()
        with pytest.raises(ModelError):
            await explainer(house).explain(house.desk, asked())
        said = await house.hear("explain:error")
        completed = (await house.actions(session.id))[-1]
        assert len(api.requests) == 2
    assert said["path"] == "src/bakery/orders.py"
    assert "try again later" in said["error"]
    assert completed.action_type == "explain_completed"
    assert completed.data is not None
    assert completed.data["success"] is False
    assert completed.data["error"] == said["error"]
    assert house.of_type("explain:response") == []


async def test_a_refusal_is_not_tried_again(tmp_path: Path) -> None:
    """FR-159, FR-160: it would be refused again."""
    async with LoopbackApi() as api, open_house(tmp_path, api=api) as house:
        api.reply(stop_reason="refusal", text="No.")
        with pytest.raises(ApiRefusalError):
            await explainer(house).explain(house.desk, asked())
        await house.hear("explain:error")
        assert len(api.requests) == 1


async def test_explanations_at_once_are_each_given(tmp_path: Path) -> None:
    """EC-78: the first to be asked may be the last to be answered."""
    first_may_answer = asyncio.Event()
    async with LoopbackApi() as api, open_house(tmp_path, api=api) as house:

        def is_for(path: str) -> Any:
            return lambda request: path in json.dumps(request.body["messages"])

        api.reply(json=TOLD.model_dump(), hold=first_may_answer, when=is_for("orders.py"))
        api.reply(json=TOLD.model_dump(), when=is_for("prices.py"))
        slow = asyncio.create_task(explainer(house).explain(house.desk, asked(selectedText="")))
        await api.received(1)
        await explainer(house).explain(house.desk, asked(path="src/bakery/prices.py"))
        first_may_answer.set()
        await slow
        paths = [said["path"] for said in house.of_type("explain:response")]
    assert paths == ["src/bakery/prices.py", "src/bakery/orders.py"]
