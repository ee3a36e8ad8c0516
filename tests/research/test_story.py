"""A run as people follow it, from its events."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bottega.core.runs import RunEvent
from bottega.research.agents.definition import StageConfig, StageName
from bottega.research.pipeline.timeline import RunTimeline

Told = tuple[str, dict[str, Any]]

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
STARTED: Told = ("stage_started", {"id": "s2", "stage": 2, "name": "retrieve"})
DONE: Told = ("stage_completed", {"id": "s2", "stage": 2, "name": "retrieve", "output": {}})


def tell(*events: Told) -> RunTimeline:
    """One event a second."""
    return RunTimeline.of(
        RunEvent("run_1", position, what, payload, NOON + timedelta(seconds=position))
        for position, (what, payload) in enumerate(events)
    )


def substep(id: str, type: str, tool: str, **more: Any) -> Told:
    return "substep", {"id": id, "stage": 2, "type": type, "tool": tool, **more}


@pytest.mark.requirement("RS-720")
def test_a_stage_adds_up_what_its_calls_took_and_cost() -> None:
    """Each call with its subject, result, time, tokens and dollars."""
    (stage,) = tell(
        STARTED,
        substep("a", "mcp_start", "orch_kb_search", input={"query": "hours\nof the watch"}),
        substep("a", "mcp_result", "orch_kb_search", result="12 paragraphs", cost=0.25),
        substep("b", "llm_start", "orchestrator_llm"),
        substep("b", "llm_complete", "orchestrator_llm", result="{}", cost=0.5, input_tokens=90),
        DONE,
    ).stages
    assert (stage.title, stage.state, stage.cost) == ("Finding paragraphs", "done", 0.75)
    assert (stage.input_tokens, stage.ended_at) == (90, NOON + timedelta(seconds=5))
    search, model = stage.substeps
    assert (search.title, search.result) == ("Library search: hours of the watch", "12 paragraphs")
    assert search.ended_at == NOON + timedelta(seconds=2)
    assert (model.title, model.result) == ("Working it out", ""), "its JSON is not for people"


@pytest.mark.requirement("RS-721")
def test_what_was_under_way_when_a_run_ended_says_so() -> None:
    """Nothing goes on working in a run that has failed or was cancelled."""
    begun = (STARTED, substep("a", "mcp_start", "orch_kb_search"))
    for how, state in (("failed", "failed"), ("cancelled", "stopped")):
        (stage,) = tell(*begun, (how, {})).stages
        assert {stage.state, stage.substeps[0].state} == {state}
    (done,) = tell(STARTED, DONE, ("cancelled", {})).stages
    assert done.state == "done"


@pytest.mark.requirement("RS-720")
def test_a_repair_says_what_had_failed_and_the_stages_ahead_are_known() -> None:
    """The attempts stand in the order in which they were made."""
    repair: Told = ("repair_started", {"iteration": 1, "failures": ["100.13 denies it"]})
    story = tell(STARTED, DONE, repair, STARTED)
    assert [(stage.title, stage.note) for stage in story.stages] == [
        ("Finding paragraphs", ""),
        ("Repairing the answer, attempt 1", "100.13 denies it"),
        ("Finding paragraphs", ""),
    ]
    planned = [StageConfig(id=2, name=StageName.RETRIEVE), StageConfig(id=4, name=StageName.VERIFY)]
    assert [(stage.name, stage.state) for stage in story.ahead(planned)] == [("verify", "ahead")]


@pytest.mark.requirement("RS-722")
def test_what_was_said_at_the_pauses_is_kept_in_order() -> None:
    """The run without its menu, the person by the option's name or word for word."""
    pause = {"kind": "READY", "text": "Ready.\n\n1. Go on", "body": "Ready."}
    prompt = {"prompt": {"options": [{"key": "1", "label": "Go on"}]}}
    asked: list[Told] = [("pause_message", pause), ("paused", prompt)]
    story = tell(*asked, ("replied", {"message": "only the standards"}))
    assert [(each.by, each.kind, each.text) for each in story.talk] == [
        ("run", "READY", "Ready."),
        ("person", None, "only the standards"),
    ]
    assert tell(*asked, ("replied", {"message": "1"})).talk[-1].text == "Go on"
