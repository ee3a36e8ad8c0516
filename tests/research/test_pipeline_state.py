"""The state of a research run: the sum of its events."""

import dataclasses
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from bottega.core.runs import RunEvent
from bottega.research.agents.definition import StageName
from bottega.research.pipeline.schemas import ExitReason
from bottega.research.pipeline.state import PipelineState, state_of

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def happened(*events: tuple[str, dict[str, Any]]) -> PipelineState:
    """All at the same time: only the order of the list may count."""
    asked: tuple[str, dict[str, Any]] = (
        "queued",
        {"input": {"question": "What are the dues?", "agent": "deep-research"}},
    )
    return state_of(
        RunEvent("run_1", position, what, payload, NOON)
        for position, (what, payload) in enumerate([asked, *events], 1)
    )


def started(stage: int) -> tuple[str, dict[str, Any]]:
    return "stage_started", {"stage": stage, "name": list(StageName)[stage]}


def completed(stage: int, **output: Any) -> tuple[str, dict[str, Any]]:
    name = list(StageName)[stage]
    return "stage_completed", {"stage": stage, "name": name, "output": output}


def paid(stage: int, cost: float | None) -> tuple[str, dict[str, Any]]:
    return "substep", {"stage": stage, "type": "llm_complete", "cost": cost}


def plan(*queries: str) -> dict[str, Any]:
    return {"original_query": "Dues?", "sub_queries": [{"query": query} for query in queries]}


PAUSED = ("paused", {"reason": "reply", "key": "1"})
REPLIED = ("replied", {"message": "…"})
RESUMED = ("resumed", {"stage": 0})
PENDING = ("breakout_pending", {"stage": 0, "user_message": "What is the weather?"})
BREAKOUT = ("breakout", {"stage": 0, "user_message": "What is the weather?"})


@pytest.mark.requirement("RS-171")
def test_a_state_is_made_of_events_and_never_changed() -> None:
    """Immutable, from the event list and from nothing else."""
    before = happened(started(0))
    after = before.after(RunEvent("run_1", 3, *completed(0, **plan("a")), NOON))
    assert (before.completed_stages, after.completed_stages) == ((), (0,))
    assert (before.position, after.position) == (2, 3)
    assert before.current_stage == after.current_stage == 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        after.question = "another"  # type: ignore[misc]
    assert happened(started(0), completed(0, **plan("a"))) == after


@pytest.mark.requirement("RS-171")
def test_an_unknown_event_changes_nothing_but_the_position() -> None:
    """Rooms and later versions may add types of their own."""
    assert happened(("met_a_friend", {})) == dataclasses.replace(happened(), position=2)


@pytest.mark.requirement("RS-172")
@pytest.mark.parametrize(
    ("events", "is_pending"),
    [
        ((), False),
        ((PENDING,), True),
        ((PAUSED, REPLIED, PENDING, PAUSED), True),
        ((PENDING, RESUMED), False),
        ((PENDING, BREAKOUT), False),
        ((RESUMED, PENDING), True),
        ((PENDING, RESUMED, PENDING), True),
        ((PENDING, ("completed", {"output": {"exit_reason": "breakout"}})), False),
    ],
)
def test_a_breakout_is_pending_until_the_list_has_its_end(
    events: tuple[tuple[str, dict[str, Any]], ...], is_pending: bool
) -> None:
    """By the order of the list, since all of this happened at the same time."""
    state = happened(*events)
    assert state.is_breakout_pending is is_pending
    if is_pending:
        assert state.breakout_message == "What is the weather?"


@pytest.mark.requirement("RS-173")
@pytest.mark.parametrize(
    ("events", "is_paused"),
    [
        ((PAUSED,), True),
        ((PAUSED, REPLIED), False),
        ((PAUSED, REPLIED, PAUSED), True),
        ((PAUSED, RESUMED), False),
        ((PAUSED, BREAKOUT), False),
        ((PAUSED, REPLIED, PENDING, PAUSED, REPLIED, BREAKOUT), False),
        ((PAUSED, ("cancelled", {})), False),
    ],
)
def test_a_run_that_was_left_is_not_paused(
    events: tuple[tuple[str, dict[str, Any]], ...], is_paused: bool
) -> None:
    """A breakout ends a pause as a reply does, so nobody talks to a run that is over."""
    assert happened(*events).is_paused is is_paused


@pytest.mark.requirement("RS-174")
def test_the_question_is_known_before_there_is_a_plan() -> None:
    """The query of the plan, else what was ordered."""
    assert happened().original_query == "What are the dues?"
    assert happened(completed(0, **plan("a"))).original_query == "Dues?"


@pytest.mark.requirement("RS-174")
def test_the_first_five_sub_queries_are_those_of_the_plan_as_it_stands() -> None:
    """As calibration refined them."""
    assert happened().sub_query_texts == []
    analysed = happened(completed(0, **plan(*"abcdefg")))
    assert analysed.sub_query_texts == list("abcde")
    unchanged = completed(1, query_plan_refined=None)
    assert happened(completed(0, **plan("a")), unchanged).sub_query_texts == ["a"]
    refined = completed(1, query_plan_refined=plan("b"))
    assert happened(completed(0, **plan("a")), refined).sub_query_texts == ["b"]


@pytest.mark.requirement("RS-175")
def test_a_changed_plan_and_a_repaired_stage_take_the_place_of_the_old() -> None:
    """The newest output counts; a stage is completed once; every call adds to its cost."""
    modified = ("plan_modified", {"stage": 0, "name": StageName.ANALYZE, "output": plan("new")})
    state = happened(
        completed(0, **plan("old")),
        modified,
        paid(3, 0.25),
        completed(3, synthesis="first"),
        paid(4, None),
        completed(4, all_passed=False),
        ("repair_started", {"stage": 3, "iteration": 1}),
        paid(3, 0.5),
        completed(3, synthesis="second"),
    )
    assert state.sub_query_texts == ["new"]
    assert state.completed_stages == (0, 3, 4)
    assert state.stage_outputs[3] == {"synthesis": "second"}
    assert state.output_of(StageName.SYNTHESIZE) == {"synthesis": "second"}
    assert (state.costs, state.cost, state.repairs) == ({3: 0.75}, 0.75, 1)


@pytest.mark.requirement("RS-176")
@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (("completed", {"output": {"exit_reason": "completed"}}), ExitReason.COMPLETED),
        (("completed", {"output": {"exit_reason": "breakout"}}), ExitReason.BREAKOUT),
        (BREAKOUT, ExitReason.BREAKOUT),
        (("cancelled", {}), ExitReason.CANCELLED),
        (("failed", {"error": {"type": "x", "message": "gone"}}), ExitReason.ERROR),
    ],
)
def test_every_end_has_its_reason(end: tuple[str, dict[str, Any]], reason: ExitReason) -> None:
    """Completed, breakout, error and cancelled; until then none."""
    assert happened(completed(0, **plan("a"))).exit_reason is None
    state = happened(completed(0, **plan("a")), end)
    assert (state.exit_reason, state.was_partial) == (reason, True)
    assert (state.error is not None) == (reason is ExitReason.ERROR)
    whole = happened(completed(5, answer_delivered=True), end)
    assert whole.was_partial is False


@pytest.mark.requirement("RS-171")
def test_a_state_is_written_as_json_that_people_can_read() -> None:
    """What `pipeline-state.json` holds."""
    state = happened(started(0), completed(0, **plan("a")), paid(0, 0.5))
    shown = json.loads(json.dumps(state.to_json()))
    assert shown["stage_outputs"] == {"0": plan("a")}
    assert (shown["cost"], shown["was_partial"], shown["original_query"]) == (0.5, True, "Dues?")
