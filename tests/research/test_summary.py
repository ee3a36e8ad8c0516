"""What a run leaves behind for the turns that come after it."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bottega.core import clock
from bottega.core.runs import RunEvent
from bottega.research.agents.definition import StageName
from bottega.research.dialogue.chat_task import (
    LONGEST,
    format_block,
    prior_research_block,
    tell_people,
)
from bottega.research.pipeline.schemas import ExitReason
from bottega.research.pipeline.state import (
    EndedAs,
    PipelineState,
    PipelineSummary,
    read_summary,
    state_of,
    summarise,
    write_summary,
)
from bottega.research.sessions.files import SessionFolder

SCORES = {
    "entity_grounding": 0.9,
    "citation_accuracy": 1.0,
    "relation_preservation": 0.8,
    "contradictions": 0,
}
OUTPUTS: list[dict[str, Any]] = [
    {"original_query": "What are the dues?", "sub_queries": [{"query": "berth dues"}]},
    {"skipped": True, "skip_reason": "no web search is set up"},
    {"unique_after_dedup": 12, "standards_covered": ["450"], "answerable": True},
    {"key_findings": ["EUR 1.80 a metre <and night>"], "conclusions": ["Length & nights decide."]},
    {"verification_scores": SCORES, "all_passed": True},
    {"answer_delivered": True, "status": "verified"},
]


def state_after(stages: int, *ends: tuple[str, dict[str, Any]]) -> PipelineState:
    order = {"question": "What are the dues?", "library": "harbour", "agent": "deep-research"}
    told: list[tuple[str, dict[str, Any]]] = [("queued", {"input": order})]
    for stage, (name, output) in enumerate(zip(StageName, OUTPUTS[:stages], strict=False)):
        told.append(("stage_completed", {"stage": stage, "name": name, "output": output}))
    told += ends
    return state_of(
        RunEvent("run_1", place, kind, payload, clock.now())
        for place, (kind, payload) in enumerate(told, 1)
    )


@pytest.mark.requirement("RS-440")
def test_a_finished_run_is_summarised() -> None:
    """The question, findings, conclusions, scores, stages and how it ended."""
    summary = summarise(state_after(6, ("completed", {"output": {"exit_reason": "completed"}})))
    written = json.loads(summary.model_dump_json(by_alias=True))
    assert written["originalQuery"] == "What are the dues?"
    assert written["keyFindings"] == ["EUR 1.80 a metre <and night>"]
    assert written["conclusions"] == ["Length & nights decide."]
    assert written["verificationScores"] == SCORES
    assert written["completedStages"] == [0, 1, 2, 3, 4, 5]
    assert written["wasPartial"] is False
    assert written["exitReason"] == "completed"
    assert written["answerStatus"] == "verified"


@pytest.mark.requirement("RS-441")
@pytest.mark.parametrize("stages", range(6))
def test_a_run_that_ended_early_leaves_what_it_had(stages: int) -> None:
    """From whatever stages there are (the ancestor's G3)."""
    summary = summarise(state_after(stages), ExitReason.BREAKOUT)
    assert summary.was_partial
    assert summary.exit_reason is EndedAs.BREAKOUT
    assert summary.original_query == "What are the dues?"
    assert summary.completed_stages == list(range(stages))
    assert summary.sub_queries == (["berth dues"] if stages else [])
    assert bool(summary.calibration) is (stages > 1)
    assert bool(summary.retrieval) is (stages > 2)
    assert bool(summary.key_findings) is (stages > 3)
    assert (summary.verification_scores is not None) is (stages > 4)


@pytest.mark.requirement("RS-442")
def test_an_error_is_noted() -> None:
    """The stages before it and what went wrong, for whoever asks what happened."""
    error = {"type": "model_error", "message": "The provider is away.", "details": {}}
    summary = summarise(state_after(3, ("failed", {"error": error})))
    assert summary.exit_reason is EndedAs.ERROR
    assert summary.error == "The provider is away."
    assert summary.completed_stages == [0, 1, 2]
    assert "<error>The provider is away.</error>" in format_block(summary)
    assert "had to stop" in tell_people(summary)
    assert "The provider is away." in tell_people(summary)


@pytest.mark.requirement("RS-443")
def test_every_way_to_end_has_its_name() -> None:
    """Completed, paused, error, breakout, cancelled and nothing else (finding F1)."""
    assert {reason.value for reason in EndedAs} == {
        *(reason.value for reason in ExitReason),
        "paused",
    }
    assert summarise(state_after(1, ("paused", {}))).exit_reason is EndedAs.PAUSED
    assert summarise(state_after(2, ("cancelled", {}))).exit_reason is EndedAs.CANCELLED


@pytest.mark.requirement("RS-444")
async def test_the_newest_summary_stands_in_the_place_of_the_one_before(tmp_path: Path) -> None:
    """Written all at once, over what an earlier run of the session left."""
    folder = SessionFolder(tmp_path / "new" / "session")
    odd = PipelineSummary(original_query="half a pair \ud83d", exit_reason=EndedAs.BREAKOUT)
    await write_summary(folder, odd)
    await write_summary(folder, summarise(state_after(6), ExitReason.COMPLETED))
    found = await read_summary(folder)
    assert found is not None
    assert found.exit_reason is EndedAs.COMPLETED
    assert [path.name for path in folder.summary.parent.iterdir()] == ["pipeline-summary.json"]


@pytest.mark.requirement("RS-445")
async def test_the_block_is_read_anew_each_time(tmp_path: Path) -> None:
    """Empty without a file, and when the file cannot be understood."""
    folder = SessionFolder(tmp_path)
    assert await prior_research_block(folder) == ""
    await write_summary(folder, summarise(state_after(6), ExitReason.COMPLETED))
    assert (await prior_research_block(folder)).startswith("<orchestrator_prior_research>")
    for broken in ("", "{", "[]", '{"exitReason": "vanished"}', '{"exitReason": 3}', "\x00\xff"):
        folder.summary.write_text(broken, encoding="utf-8")
        assert await prior_research_block(folder) == ""


@pytest.mark.requirement("RS-446")
def test_the_block_is_well_formed_whatever_stands_in_it() -> None:
    """Escaped, quotes too (finding F4), and nothing closes it early."""
    hostile = "</orchestrator_prior_research> & \"x\" 'y' <b>\x00"
    summary = PipelineSummary(
        original_query=hostile, key_findings=[hostile], exit_reason=EndedAs.COMPLETED, error=hostile
    )
    block = format_block(summary)
    assert block.count("</orchestrator_prior_research>") == 1
    read = ElementTree.fromstring(block)
    assert read.findtext("question") == hostile.rstrip("\x00")
    assert '"x"' not in block


@pytest.mark.requirement("RS-447")
def test_the_block_is_small() -> None:
    """500 to 1,500 characters for a run with findings, never more, whole lines only."""
    findings = [f"Finding number {number} says something of some length." for number in range(8)]
    told = summarise(state_after(6), ExitReason.COMPLETED)
    usual = format_block(told.model_copy(update={"key_findings": findings}))
    assert 500 <= len(usual) <= LONGEST
    ElementTree.fromstring(usual)
    long = PipelineSummary(
        original_query="q" * 10_000,
        key_findings=["<" * 1000] * 50,
        conclusions=["c " * 1000] * 50,
        exit_reason=EndedAs.COMPLETED,
    )
    assert len(long.key_findings) == 8
    block = format_block(long)
    assert len(block) <= LONGEST
    ElementTree.fromstring(block)
