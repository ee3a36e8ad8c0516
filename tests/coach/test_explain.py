""" "Explain This", from the request to the answer in every window."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.enums import HintLevel, PhaseStatus, Stage
from bottega.coach.explain.schemas import Explain
from bottega.coach.explain.service import Explainer, ExplainThis
from bottega.coach.plans.repository import NewPhase
from bottega.coach.skills import repository as skill_records
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.users import LOCAL_USER
from bottega.errors import ApiRefusalError, InvalidInput, ModelError
from tests.coach.builders import CoachApp, calls, open_coach, told_to

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


def explainer(app: CoachApp) -> Explainer:
    return Explainer(app.core, app.windows, app.skills)


def asked(**fields: Any) -> Explain:
    selection = {"startLine": 5, "startCol": 1, "endLine": 5, "endCol": 20}
    return Explain.model_validate(
        {"path": "src/bakery/orders.py", "selection": selection, "selectedText": "sum(…)"} | fields
    )


@pytest.mark.requirement("FR-151", "FR-164", "FR-165", "SC-072")
async def test_code_is_explained_and_both_ends_are_logged(tmp_path: Path) -> None:
    """Files that the project has not are left out of the answer."""
    async with open_coach(tmp_path, model=ScriptedModel(TOLD)) as app:
        session = await app.start_session()
        await explainer(app).explain(app.editor, asked())
        answer = await app.hear("explain:response")
        requested, completed = (await app.actions(session.id))[-2:]

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


@pytest.mark.requirement("FR-164")
async def test_related_files_that_do_not_exist_are_none_at_all(tmp_path: Path) -> None:
    """Null, where every file was made up."""
    made_up = TOLD.model_copy(update={"related_files": ["src/bakery/ovens.py", "src"]})
    async with open_coach(tmp_path, model=ScriptedModel(made_up)) as app:
        answer = await explainer(app).explain(app.editor, asked())
    assert answer.related_files is None


@pytest.mark.requirement("FR-152")
async def test_the_learners_stage_in_the_language_reaches_the_model(tmp_path: Path) -> None:
    """The nearest skill's stage; without any skill, novice."""
    model = ScriptedModel(TOLD, TOLD)
    async with open_coach(tmp_path, model=model) as app:
        await explainer(app).explain(app.editor, asked())
        async with app.core.database.write() as session:
            await skill_records.assess(session, LOCAL_USER, "Python", Stage.EXPERT, 0.9, "Evidence")
            await skill_records.assess(session, LOCAL_USER, "Git", Stage.COMPETENT, 0.9, "Evidence")
        await explainer(app).explain(app.editor, asked())
    assert "stage is: novice" in told_to(model, 0)[0]
    assert "stage is: expert" in told_to(model, 1)[0]


@pytest.mark.requirement("FR-153", "SC-074")
async def test_the_active_phase_reaches_the_model_and_its_words_the_learner(
    tmp_path: Path,
) -> None:
    model = ScriptedModel(TOLD)
    async with open_coach(tmp_path, model=model) as app:
        await app.start_session()
        await app.add_plan(PHASE)
        answer = await explainer(app).explain(app.editor, asked())
    assert told_to(model)[1]["current_phase"] == {
        "number": 1,
        "title": "Price the rolls",
        "description": "Make `price_of` exact",
    }
    assert answer.phase_connection == "It calls what the phase changes."


@pytest.mark.requirement("FR-153")
async def test_without_a_session_code_is_explained_all_the_same(tmp_path: Path) -> None:
    """No phase, no connection to one; the cost is in the ledger."""
    model = ScriptedModel(TOLD)
    async with open_coach(tmp_path, model=model) as app:
        answer = await explainer(app).explain(app.editor, asked())
        [call] = await calls(app)
    assert told_to(model)[1]["current_phase"] is None
    assert answer.phase_connection is None
    assert (call.session_id, call.call_type) == (None, "explain_this")
    assert call.cost_estimate > 0


@pytest.mark.requirement("FR-151")
async def test_what_the_editor_did_not_send_is_looked_up(tmp_path: Path) -> None:
    """The language by the path; the file around the selection, unsaved edits first."""
    lines = [f"line_{number} = {'x' * 200!r}" for number in range(1, 301)]
    short = lines[:20]
    model = ScriptedModel(TOLD, TOLD, TOLD)
    async with open_coach(tmp_path, model=model) as app:
        (app.project / "long.py").write_text("\n".join(lines))
        (app.project / "short.py").write_text("\n".join(short))
        selection = {"startLine": 100, "endLine": 101}
        await explainer(app).explain(app.editor, asked(path="long.py", selection=selection))
        app.editor.files.update_buffer("long.py", "\n".join(["unsaved = True", *lines]))
        await explainer(app).explain(app.editor, asked(path="long.py", selection=selection))
        selection = {"startLine": 20, "endLine": 20}
        await explainer(app).explain(app.editor, asked(path="short.py", selection=selection))
    on_disk, in_editor, whole = (told_to(model, call)[1] for call in range(3))
    assert on_disk["language"] == "python"
    assert on_disk["surrounding_context"].splitlines() == lines[49:151]
    assert in_editor["surrounding_context"].splitlines() == lines[48:150]
    assert whole["surrounding_context"].splitlines() == short


@pytest.mark.requirement("EC-74")
async def test_what_the_editor_sent_is_passed_on_as_it_is(tmp_path: Path) -> None:
    """An empty selection too."""
    model = ScriptedModel(TOLD)
    async with open_coach(tmp_path, model=model) as app:
        given = asked(selectedText="", surroundingContext="x = 1", language="ruby")
        await explainer(app).explain(app.editor, given)
    prompt = told_to(model)[1]
    assert prompt["selected_code"] == ""
    assert prompt["surrounding_context"] == "x = 1"
    assert prompt["language"] == "ruby"


@pytest.mark.requirement("EC-74", "FR-151")
async def test_offline_the_code_around_an_empty_selection_is_explained(app: CoachApp) -> None:
    """With an answer that says what it is."""
    answer = await explainer(app).explain(app.editor, asked(selectedText=""))
    assert answer.offline
    assert "total" in answer.explanation
    assert answer.related_files == ["src/bakery/prices.py"]


@pytest.mark.requirement("EC-75")
@pytest.mark.parametrize("path", ["logo.png", "src/bakery/blob.py"])
async def test_a_binary_file_is_not_explained(app: CoachApp, path: str) -> None:
    """Told by its name or by what is in it."""
    (app.project / path).write_bytes(b"\x00\x01\x02\xff")
    with pytest.raises(InvalidInput):
        await explainer(app).explain(app.editor, asked(path=path))
    said = await app.hear("explain:error")
    assert said == {"path": path, "error": "Cannot explain binary files"}
    assert await calls(app) == []


@pytest.mark.requirement("FR-160")
async def test_a_file_outside_the_project_is_not_explained(app: CoachApp) -> None:
    """The refusal is told like every failure."""
    with pytest.raises(Exception, match="outside"):
        await explainer(app).explain(app.editor, asked(path="../../etc/passwd"))
    assert "outside" in (await app.hear("explain:error"))["error"]


@pytest.mark.requirement("FR-159", "SC-079")
async def test_a_failure_that_passes_is_tried_once_more(tmp_path: Path) -> None:
    """Over the real wire, 500 and then an answer; the ledger has both."""
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        api.reply(status=500, text="overloaded")
        api.reply(json=TOLD.model_dump())
        answer = await explainer(app).explain(app.editor, asked())
        logged = await calls(app)
    assert answer.explanation == "It adds up prices."
    assert [call.latency_ms == -1 for call in logged] == [True, False]


@pytest.mark.requirement("FR-160", "SC-080", "FR-165")
async def test_a_second_failure_is_told_to_the_person(tmp_path: Path) -> None:
    """In words, and in the log."""
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        api.reply(status=500, text="overloaded", times=2)
        session = await app.start_session()
        with pytest.raises(ModelError):
            await explainer(app).explain(app.editor, asked())
        said = await app.hear("explain:error")
        completed = (await app.actions(session.id))[-1]
        assert len(api.requests) == 2
    assert said["path"] == "src/bakery/orders.py"
    assert "try again later" in said["error"]
    assert completed.action_type == "explain_completed"
    assert completed.data is not None
    assert completed.data["success"] is False
    assert completed.data["error"] == said["error"]
    assert app.of_type("explain:response") == []


@pytest.mark.requirement("FR-159", "FR-160")
async def test_a_refusal_is_not_tried_again(tmp_path: Path) -> None:
    """It would be refused again."""
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:
        api.reply(stop_reason="refusal", text="No.")
        with pytest.raises(ApiRefusalError):
            await explainer(app).explain(app.editor, asked())
        await app.hear("explain:error")
        assert len(api.requests) == 1


@pytest.mark.requirement("EC-78")
async def test_explanations_at_once_are_each_given(tmp_path: Path) -> None:
    """The first to be asked may be the last to be answered."""
    first_may_answer = asyncio.Event()
    async with LoopbackApi() as api, open_coach(tmp_path, api=api) as app:

        def is_for(path: str) -> Any:
            return lambda request: path in json.dumps(request.body["messages"])

        api.reply(json=TOLD.model_dump(), hold=first_may_answer, when=is_for("orders.py"))
        api.reply(json=TOLD.model_dump(), when=is_for("prices.py"))
        slow = asyncio.create_task(explainer(app).explain(app.editor, asked(selectedText="")))
        await api.received(1)
        await explainer(app).explain(app.editor, asked(path="src/bakery/prices.py"))
        first_may_answer.set()
        await slow
        paths = [said["path"] for said in app.of_type("explain:response")]
    assert paths == ["src/bakery/prices.py", "src/bakery/orders.py"]
