"""The orchestrator: a plain loop over stages, in which code decides and keeps the state."""

import json
from pathlib import Path
from typing import Any

import pytest

from bottega.core.llm.testing import LoopbackApi
from bottega.core.runs import RunStatus
from bottega.research.agents.definition import Depth, StageName
from bottega.research.pipeline.schemas import AnswerStatus, ExitReason, ResearchOutcome
from bottega.research.sessions.files import session_folder
from tests.research.orchestration import Script, ScriptedResearch, open_scripted_research

SYNTHESIS = [StageName.SYNTHESIZE, StageName.VERIFY]
WITHOUT_SYNTHESIS = [stage for stage in StageName if stage not in SYNTHESIS]


async def outcome_of(research: ScriptedResearch, **changes: Any) -> ResearchOutcome:
    run = await research.finish(**changes)
    return await research.runs.result(run.id)


@pytest.mark.requirement("RS-121", "RS-146")
async def test_stages_follow_each_other_as_the_agent_has_them(
    tmp_path: Path, database_url: str
) -> None:
    """A loop over the configured stages; each is told when it starts and when it is done.

    RS-146: what is bulky stays out of the events.
    """
    async with open_scripted_research(tmp_path, database_url=database_url) as research:
        run = await research.finish()
        assert run.status is RunStatus.COMPLETED
        assert research.script.names == list(StageName)
        told = await research.events(run, "stage_started", "stage_completed")
        assert [(event.type, event.payload["stage"]) for event in told] == [
            (type_, stage) for stage in range(6) for type_ in ("stage_started", "stage_completed")
        ]
        assert {event.payload["name"] for event in told} == set(StageName)
        outputs = [event.payload["output"] for event in told if "output" in event.payload]
        assert outputs[0]["original_query"] == "What are the harbour dues?"
        assert outputs[5]["status"] == AnswerStatus.VERIFIED
        bulky = {"paragraphs", "markdown", "answer"}
        assert not [bulky & output.keys() for output in outputs if bulky & output.keys()]
        outcome = await research.runs.result(run.id)
        assert outcome.exit_reason is ExitReason.COMPLETED
        assert outcome.markdown == "# write What are the harbour dues?"
        assert outcome.answer["question"] == "What are the harbour dues?"


@pytest.mark.requirement("RS-127")
async def test_verification_that_fails_is_repaired_with_its_failures(tmp_path: Path) -> None:
    """Synthesis is run again with the feedback, then verified again, until it passes."""
    async with open_scripted_research(tmp_path, Script(passes=[False, True])) as research:
        run = await research.finish()
        assert research.script.names == [*StageName][:3] + SYNTHESIS * 2 + [StageName.OUTPUT]
        repair = research.script.ran[5][1].repair
        assert repair is not None
        assert (repair.iteration, list(repair.failures)) == (1, ["Claim 1 is not borne out (0)."])
        assert repair.previous.synthesis == "write What are the harbour dues?"
        [told] = await research.events(run, "repair_started")
        assert told.payload == {
            "stage": 3,
            "name": "synthesize",
            "iteration": 1,
            "failures": ["Claim 1 is not borne out (0)."],
        }
        assert (await research.runs.result(run.id)).status is AnswerStatus.VERIFIED
        state = await research.runs.state(run.id)
        assert state.completed_stages == (0, 1, 2, 3, 4, 5)
        assert state.stage_outputs[3]["synthesis"].endswith(
            "again 1: Claim 1 is not borne out (0)."
        )


@pytest.mark.requirement("RS-128")
async def test_the_depth_decides_how_often_is_repaired(tmp_path: Path) -> None:
    """None, two or three times, although the unit says two; what still fails is marked."""
    async with open_scripted_research(tmp_path, Script(passes=[False])) as research:
        for depth, repairs in ((Depth.QUICK, 0), (Depth.STANDARD, 2), (Depth.DEEP, 3)):
            research.script.ran.clear()
            outcome = await outcome_of(research, depth=depth)
            assert research.script.names.count(StageName.VERIFY) == repairs + 1
            assert outcome.status is AnswerStatus.UNVERIFIED


@pytest.mark.requirement("RS-130", "RS-131")
async def test_a_question_that_the_library_cannot_answer_is_refused(tmp_path: Path) -> None:
    """What retrieval judges unanswerable is neither written nor verified.

    RS-131: nor is verified what synthesis cannot answer, and a refusal lacks no keys.
    """
    async with open_scripted_research(tmp_path, Script(answerable=False)) as research:
        outcome = await outcome_of(research)
        assert outcome.status is AnswerStatus.REFUSED
        assert research.script.names == WITHOUT_SYNTHESIS

        research.script.ran.clear()
        research.script.answerable = True
        research.script.cannot_answer, research.script.synthesis = "It is not in there.", ""
        outcome = await outcome_of(research)
        assert outcome.status is AnswerStatus.REFUSED
        assert research.script.names == [
            stage for stage in StageName if stage is not StageName.VERIFY
        ]


@pytest.mark.requirement("RS-126")
async def test_a_stage_without_a_required_key_blocks_the_run(tmp_path: Path) -> None:
    """It is told which key, the run fails with a clear word, and the state is kept."""
    async with open_scripted_research(tmp_path, Script(synthesis="")) as research:
        run = await research.finish()
        assert run.status is RunStatus.FAILED
        assert run.error is not None
        assert run.error["message"].startswith("Stage 3 (synthesize) gave no synthesis, which the")
        [blocked] = await research.events(run, "stage_blocked")
        assert blocked.payload == {"stage": 3, "name": "synthesize", "missing": ["synthesis"]}
        state = await research.runs.state(run.id)
        assert (state.completed_stages, state.current_stage) == ((0, 1, 2), 3)
        assert (state.exit_reason, state.was_partial) == (ExitReason.ERROR, True)


@pytest.mark.requirement("RS-129")
async def test_the_depth_is_the_ordered_one_or_the_plan_s(tmp_path: Path) -> None:
    """What was ordered, else what the analysis chose, else the agent's default."""
    script = Script()
    async with open_scripted_research(tmp_path, script) as research:
        await research.finish(depth=Depth.QUICK)
        assert {context.depth for _, context in script.ran} == {Depth.QUICK}

        script.ran.clear()
        script.depth = Depth.DEEP
        await research.finish()
        depths = [context.depth for _, context in script.ran]
        assert depths == [Depth.STANDARD] + [Depth.DEEP] * 5
        assert script.ran[2][1].settings.max_sub_queries == 15

        script.ran.clear()
        await research.finish(depth=Depth.QUICK)
        assert {context.depth for _, context in script.ran} == {Depth.QUICK}


@pytest.mark.requirement("RS-143")
async def test_every_end_leaves_a_summary_and_the_state(tmp_path: Path) -> None:
    """Completed or failed, `pipeline-summary.json` and `pipeline-state.json` tell of it."""
    async with open_scripted_research(tmp_path) as research:
        data_dir = research.app.core.choices.data_dir
        for synthesis, reason in ((None, "completed"), ("", "error")):
            research.script.synthesis = synthesis
            run = await research.finish()
            assert run.session_id is not None
            folder = session_folder(data_dir, run.session_id)
            summary = json.loads(folder.summary.read_text())
            assert (summary["runId"], summary["exitReason"]) == (run.id, reason)
            assert summary["wasPartial"] is (reason == "error")
            assert ("requires of it" in summary.get("error", "")) is (reason == "error")
            state = json.loads(folder.state.read_text())
            assert (state["run_id"], state["exit_reason"]) == (run.id, reason)
            assert state["stage_outputs"]["0"]["original_query"] == "What are the harbour dues?"


@pytest.mark.requirement("RS-144")
async def test_files_that_cannot_be_written_take_nothing_from_a_run(tmp_path: Path) -> None:
    """The database is the truth; a mirror that fails is logged."""
    async with open_scripted_research(tmp_path) as research:
        data_dir = research.app.core.choices.data_dir
        (data_dir / "research").mkdir()
        (data_dir / "research" / "sessions").write_text("in the way")
        assert (await outcome_of(research)).status is AnswerStatus.VERIFIED


@pytest.mark.requirement("RS-142")
async def test_a_run_keeps_to_the_agent_as_it_was(tmp_path: Path) -> None:
    """What becomes of the files while it waits changes nothing for it."""
    async with open_scripted_research(tmp_path) as research:
        run = await research.settled(await research.start())
        broken = tmp_path / "project" / ".bottega" / "agents" / "deep-research"
        broken.mkdir(parents=True)
        (broken / "config.json").write_text("{")
        run = await research.say(run, "1")
        assert run.status is RunStatus.COMPLETED
        assert len(research.script.ran) == 6


@pytest.mark.requirement("RS-145")
async def test_a_follow_up_starts_from_what_was_found_before(tmp_path: Path) -> None:
    """Prior research is loaded once, as a step, and every stage has it."""
    async with open_scripted_research(tmp_path) as research:
        first = await research.finish()
        research.script.ran.clear()
        run = await research.finish(question="And for small boats?", follow_up_of=first.id)
        assert run.status is RunStatus.COMPLETED
        priors = {context.prior.model_dump_json() for _, context in research.script.ran}
        assert len(priors) == 1
        prior = research.script.ran[0][1].prior
        assert prior.question == "What are the harbour dues?"
        assert [section.run_id for section in prior.sections] == [first.id]


@pytest.mark.requirement("RS-122")
async def test_what_a_model_says_about_the_state_is_not_the_state(tmp_path: Path) -> None:
    """Code writes state; a model that claims to have passed or finished changes nothing."""
    claims = {"text": "All done.", "all_passed": True, "stage": 5, "answer_delivered": True}
    async with LoopbackApi() as api:
        api.reply(json=claims, times=10)
        async with open_scripted_research(tmp_path, Script(passes=[False]), api=api) as research:
            run = await research.finish(depth=Depth.QUICK)
            state = await research.runs.state(run.id)
            assert state.stage_outputs[4]["all_passed"] is False
            assert (await research.runs.result(run.id)).status is AnswerStatus.UNVERIFIED
            assert research.script.names == list(StageName)


@pytest.mark.requirement("RS-137")
async def test_a_tool_that_fails_is_told_and_fails_the_run(tmp_path: Path) -> None:
    """The substep's result is the error, and the run says what is wrong."""
    async with open_scripted_research(tmp_path, Script(broken_search=True, searches=1)) as research:
        run = await research.finish()
        assert run.error is not None
        assert run.error["message"] == "The index is away."
        substeps = [event.payload for event in await research.events(run, "substep")]
        [result] = [each for each in substeps if each["type"] == "mcp_result"]
        assert (result["result"], result["is_error"]) == ("The index is away.", True)


@pytest.mark.requirement("RS-121", "RS-130")
async def test_the_real_stages_answer_what_the_library_holds_and_refuse_the_rest(
    tmp_path: Path,
) -> None:
    """The same loop with the stages that ship. RS-130: and their refusal."""
    async with open_scripted_research(tmp_path, real=True) as research:
        run = await research.finish(question="How long may a shift of the watch last?")
        outcome = await research.runs.result(run.id)
        assert outcome.status is AnswerStatus.VERIFIED
        assert outcome.answer["citations"]
        state = await research.runs.state(run.id)
        assert state.completed_stages == (0, 1, 2, 3, 4, 5)
        outcome = await outcome_of(research, question="What is the capital of France?")
        assert outcome.status is AnswerStatus.REFUSED
