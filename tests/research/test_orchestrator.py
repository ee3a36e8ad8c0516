"""The orchestrator: a plain loop over stages, in which code decides and keeps the state."""

import json
from pathlib import Path
from typing import Any

from bottega.core.llm.testing import LoopbackApi
from bottega.core.runs import RunStatus
from bottega.research.agents.definition import Depth, StageName
from bottega.research.folders import session_folder
from bottega.research.pipeline.orders import ExitReason, ResearchOutcome
from bottega.research.pipeline.outputs import AnswerStatus
from tests.research.orchestration import Script, Workshop, open_workshop

SYNTHESIS = [StageName.SYNTHESIZE, StageName.VERIFY]
WITHOUT_SYNTHESIS = [stage for stage in StageName if stage not in SYNTHESIS]


async def outcome_of(workshop: Workshop, **changes: Any) -> ResearchOutcome:
    run = await workshop.finish(**changes)
    return await workshop.runs.answer(run.id)


async def test_stages_follow_each_other_as_the_agent_has_them(
    tmp_path: Path, database_url: str
) -> None:
    """RS-121: a loop over the configured stages; each is told when it starts and when it is done.

    RS-146: what is bulky stays out of the events.
    """
    async with open_workshop(tmp_path, database_url=database_url) as workshop:
        run = await workshop.finish()
        assert run.status is RunStatus.COMPLETED
        assert workshop.script.names == list(StageName)
        told = await workshop.events(run, "stage_started", "stage_completed")
        assert [(event.type, event.payload["stage"]) for event in told] == [
            (type_, stage) for stage in range(6) for type_ in ("stage_started", "stage_completed")
        ]
        assert {event.payload["name"] for event in told} == set(StageName)
        outputs = [event.payload["output"] for event in told if "output" in event.payload]
        assert outputs[0]["original_query"] == "What are the harbour dues?"
        assert outputs[5]["status"] == AnswerStatus.VERIFIED
        bulky = {"paragraphs", "markdown", "answer"}
        assert not [bulky & output.keys() for output in outputs if bulky & output.keys()]
        outcome = await workshop.runs.answer(run.id)
        assert outcome.exit_reason is ExitReason.COMPLETED
        assert outcome.markdown == "# write What are the harbour dues?"
        assert outcome.answer["question"] == "What are the harbour dues?"


async def test_verification_that_fails_is_repaired_with_its_failures(tmp_path: Path) -> None:
    """RS-127: synthesis is run again with the feedback, then verified again, until it passes."""
    async with open_workshop(tmp_path, Script(passes=[False, True])) as workshop:
        run = await workshop.finish()
        assert workshop.script.names == [*StageName][:3] + SYNTHESIS * 2 + [StageName.OUTPUT]
        repair = workshop.script.ran[5][1].repair
        assert repair is not None
        assert (repair.iteration, list(repair.failures)) == (1, ["Claim 1 is not borne out (0)."])
        assert repair.previous.synthesis == "write What are the harbour dues?"
        [told] = await workshop.events(run, "repair_started")
        assert told.payload == {
            "stage": 3,
            "name": "synthesize",
            "iteration": 1,
            "failures": ["Claim 1 is not borne out (0)."],
        }
        assert (await workshop.runs.answer(run.id)).status is AnswerStatus.VERIFIED
        state = await workshop.runs.state(run.id)
        assert state.completed_stages == (0, 1, 2, 3, 4, 5)
        assert state.stage_outputs[3]["synthesis"].endswith(
            "again 1: Claim 1 is not borne out (0)."
        )


async def test_the_depth_decides_how_often_is_repaired(tmp_path: Path) -> None:
    """RS-128: none, two or three times, although the unit says two; what still fails is marked."""
    async with open_workshop(tmp_path, Script(passes=[False])) as workshop:
        for depth, repairs in ((Depth.QUICK, 0), (Depth.STANDARD, 2), (Depth.DEEP, 3)):
            workshop.script.ran.clear()
            outcome = await outcome_of(workshop, depth=depth)
            assert workshop.script.names.count(StageName.VERIFY) == repairs + 1
            assert outcome.status is AnswerStatus.UNVERIFIED


async def test_a_question_that_the_library_cannot_answer_is_refused(tmp_path: Path) -> None:
    """RS-130: what retrieval judges unanswerable is neither written nor verified.

    RS-131: nor is verified what synthesis cannot answer, and a refusal lacks no keys.
    """
    async with open_workshop(tmp_path, Script(answerable=False)) as workshop:
        outcome = await outcome_of(workshop)
        assert outcome.status is AnswerStatus.REFUSED
        assert workshop.script.names == WITHOUT_SYNTHESIS

        workshop.script.ran.clear()
        workshop.script.answerable = True
        workshop.script.cannot_answer, workshop.script.synthesis = "It is not in there.", ""
        outcome = await outcome_of(workshop)
        assert outcome.status is AnswerStatus.REFUSED
        assert workshop.script.names == [
            stage for stage in StageName if stage is not StageName.VERIFY
        ]


async def test_a_stage_without_a_required_key_blocks_the_run(tmp_path: Path) -> None:
    """RS-126: it is told which key, the run fails with a clear word, and the state is kept."""
    async with open_workshop(tmp_path, Script(synthesis="")) as workshop:
        run = await workshop.finish()
        assert run.status is RunStatus.FAILED
        assert run.error is not None
        assert run.error["message"].startswith("Stage 3 (synthesize) gave no synthesis, which the")
        [blocked] = await workshop.events(run, "stage_blocked")
        assert blocked.payload == {"stage": 3, "name": "synthesize", "missing": ["synthesis"]}
        state = await workshop.runs.state(run.id)
        assert (state.completed_stages, state.current_stage) == ((0, 1, 2), 3)
        assert (state.exit_reason, state.was_partial) == (ExitReason.ERROR, True)


async def test_the_depth_is_the_ordered_one_or_the_plan_s(tmp_path: Path) -> None:
    """RS-129: what was ordered, else what the analysis chose, else the agent's default."""
    script = Script()
    async with open_workshop(tmp_path, script) as workshop:
        await workshop.finish(depth=Depth.QUICK)
        assert {context.depth for _, context in script.ran} == {Depth.QUICK}

        script.ran.clear()
        script.depth = Depth.DEEP
        await workshop.finish()
        depths = [context.depth for _, context in script.ran]
        assert depths == [Depth.STANDARD] + [Depth.DEEP] * 5
        assert script.ran[2][1].settings.max_sub_queries == 15

        script.ran.clear()
        await workshop.finish(depth=Depth.QUICK)
        assert {context.depth for _, context in script.ran} == {Depth.QUICK}


async def test_every_end_leaves_a_summary_and_the_state(tmp_path: Path) -> None:
    """RS-143: completed or failed, `pipeline-summary.json` and `pipeline-state.json` tell of it."""
    async with open_workshop(tmp_path) as workshop:
        data_dir = workshop.house.core.choices.data_dir
        for synthesis, reason in ((None, "completed"), ("", "error")):
            workshop.script.synthesis = synthesis
            run = await workshop.finish()
            assert run.session_id is not None
            folder = session_folder(data_dir, run.session_id)
            summary = json.loads(folder.summary.read_text())
            assert (summary["runId"], summary["exitReason"]) == (run.id, reason)
            assert summary["wasPartial"] is (reason == "error")
            assert ("requires of it" in summary.get("error", "")) is (reason == "error")
            state = json.loads(folder.state.read_text())
            assert (state["run_id"], state["exit_reason"]) == (run.id, reason)
            assert state["stage_outputs"]["0"]["original_query"] == "What are the harbour dues?"


async def test_files_that_cannot_be_written_take_nothing_from_a_run(tmp_path: Path) -> None:
    """RS-144: the database is the truth; a mirror that fails is logged."""
    async with open_workshop(tmp_path) as workshop:
        data_dir = workshop.house.core.choices.data_dir
        (data_dir / "research").mkdir()
        (data_dir / "research" / "sessions").write_text("in the way")
        assert (await outcome_of(workshop)).status is AnswerStatus.VERIFIED


async def test_a_run_keeps_to_the_agent_as_it_was(tmp_path: Path) -> None:
    """RS-142: what becomes of the files while it waits changes nothing for it."""
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.settled(await workshop.start())
        broken = tmp_path / "project" / ".bottega" / "agents" / "deep-research"
        broken.mkdir(parents=True)
        (broken / "config.json").write_text("{")
        run = await workshop.say(run, "1")
        assert run.status is RunStatus.COMPLETED
        assert len(workshop.script.ran) == 6


async def test_a_follow_up_starts_from_what_was_found_before(tmp_path: Path) -> None:
    """RS-145: prior research is loaded once, as a step, and every stage has it."""
    async with open_workshop(tmp_path) as workshop:
        first = await workshop.finish()
        workshop.script.ran.clear()
        run = await workshop.finish(question="And for small boats?", follow_up_of=first.id)
        assert run.status is RunStatus.COMPLETED
        priors = {context.prior.model_dump_json() for _, context in workshop.script.ran}
        assert len(priors) == 1
        prior = workshop.script.ran[0][1].prior
        assert prior.question == "What are the harbour dues?"
        assert [section.run_id for section in prior.sections] == [first.id]


async def test_what_a_model_says_about_the_state_is_not_the_state(tmp_path: Path) -> None:
    """RS-122: code writes state; a model that claims to have passed or finished changes nothing."""
    claims = {"text": "All done.", "all_passed": True, "stage": 5, "answer_delivered": True}
    async with LoopbackApi() as api:
        api.reply(json=claims, times=10)
        async with open_workshop(tmp_path, Script(passes=[False]), api=api) as workshop:
            run = await workshop.finish(depth=Depth.QUICK)
            state = await workshop.runs.state(run.id)
            assert state.stage_outputs[4]["all_passed"] is False
            assert (await workshop.runs.answer(run.id)).status is AnswerStatus.UNVERIFIED
            assert workshop.script.names == list(StageName)


async def test_a_tool_that_fails_is_told_and_fails_the_run(tmp_path: Path) -> None:
    """RS-137: the substep's result is the error, and the run says what is wrong."""
    async with open_workshop(tmp_path, Script(broken_search=True, searches=1)) as workshop:
        run = await workshop.finish()
        assert run.error is not None
        assert run.error["message"] == "The index is away."
        substeps = [event.payload for event in await workshop.events(run, "substep")]
        [result] = [each for each in substeps if each["type"] == "mcp_result"]
        assert (result["result"], result["is_error"]) == ("The index is away.", True)


async def test_the_real_stages_answer_what_the_library_holds_and_refuse_the_rest(
    tmp_path: Path,
) -> None:
    """RS-121: the same loop with the stages that ship. RS-130: and their refusal."""
    async with open_workshop(tmp_path, real=True) as workshop:
        run = await workshop.finish(question="How long may engines run at night?")
        outcome = await workshop.runs.answer(run.id)
        assert outcome.status is AnswerStatus.VERIFIED
        assert outcome.answer["citations"]
        state = await workshop.runs.state(run.id)
        assert state.completed_stages == (0, 1, 2, 3, 4, 5)
        outcome = await outcome_of(workshop, question="What is the capital of France?")
        assert outcome.status is AnswerStatus.REFUSED
