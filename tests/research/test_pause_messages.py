"""What a paused run says."""

import pytest

from bottega.library.service import Role
from bottega.research.agents.definition import Depth, DepthSettings, StageConfig, StageName
from bottega.research.pipeline.context import StageOutputs
from bottega.research.pipeline.pauses import (
    PauseKind,
    PauseMessage,
    confirmation_message,
    modification_message,
    pause_message,
)
from bottega.research.pipeline.schemas import (
    Calibration,
    IntentChanges,
    QueryPlan,
    SubQuery,
    WebSource,
)

STANDARD = DepthSettings(
    maxSubQueries=8,
    paragraphsPerQuery=20,
    repairIterations=2,
    contextTokens=12_000,
    webSearch=True,
    synthesisTokens=4096,
)
PLAN = QueryPlan(
    original_query="What dues does a visitor pay?",
    clarity_score=0.7,
    recommended_action="proceed",
    assumptions=["A visitor has no yearly contract."],
    sub_queries=[
        SubQuery(query="berth dues of visitors", standards=["450"]),
        SubQuery(query="who may waive dues", role=Role.SUPPORTING),
        SubQuery(query="what a berth is", role=Role.CONTEXT),
    ],
    scope="The harbour of Saltmere",
)


def say(
    stage: StageName,
    plan: QueryPlan = PLAN,
    calibration: Calibration | None = None,
    *,
    offline: bool = False,
) -> PauseMessage:
    return pause_message(
        StageConfig(id=list(StageName).index(stage), name=stage),
        StageOutputs(plan=plan, calibration=calibration),
        depth=Depth.STANDARD,
        settings=STANDARD,
        budget_usd=10.0,
        offline=offline,
    )


@pytest.mark.requirement("RS-430")
def test_a_clear_question_is_ready_and_shows_the_plan() -> None:
    """Sub-queries with their roles, assumptions, scope, depth and the most it may cost."""
    message = say(StageName.ANALYZE)
    assert message.kind is PauseKind.READY
    for shown in (
        "> What dues does a visitor pay?",
        "1. berth dues of visitors *(the heart of it, in 450)*",
        "2. who may waive dues *(supporting)*",
        "3. what a berth is *(for context)*",
        "- A visitor has no yearly contract.",
        "Scope: The harbour of Saltmere",
        "Depth: standard (3 searches, up to 20 paragraphs each, at most 2 repairs).",
        "At most $10.00.",
    ):
        assert shown in message.text
    assert message == say(StageName.ANALYZE), "the same plan is always shown in the same words"


@pytest.mark.requirement("RS-431")
def test_an_unclear_question_is_asked_about() -> None:
    """Below 0.7 the clarification questions stand first, numbered apart from the menu."""
    unclear = PLAN.model_copy(
        update={
            "clarity_score": 0.69,
            "clarification_questions": ["Which year?", "Which vessel?"],
            "alternative_interpretations": ["The dues of the lock"],
        }
    )
    message = say(StageName.ANALYZE, unclear)
    assert message.kind is PauseKind.CLARIFYING
    lines = message.text.splitlines()
    assert lines.index("- Q1: Which year?") < lines.index("- Q2: Which vessel?")
    assert lines.index("- The dues of the lock") < lines.index("1. Go on")


@pytest.mark.requirement("RS-432")
@pytest.mark.parametrize("stage", [StageName.ANALYZE, StageName.CALIBRATE, StageName.RETRIEVE])
def test_every_pause_has_the_same_menu(stage: StageName) -> None:
    """1 goes on, 2 changes, 3 leaves, and words do as well."""
    message = say(stage, calibration=Calibration(skipped=False))
    lines = message.text.splitlines()
    menu = lines.index("1. Go on")
    assert lines[menu : menu + 3] == ["1. Go on", "2. Change something", "3. Leave this research"]
    prompt = message.as_prompt()
    assert prompt["kind"] == message.kind.value
    assert [option["key"] for option in prompt["options"]] == ["1", "2", "3"]


@pytest.mark.requirement("RS-433")
def test_what_the_web_changed_is_shown() -> None:
    """Each change of intent in a line, and the plan as it has become."""
    refined = PLAN.model_copy(update={"sub_queries": [SubQuery(query="dues of 2026")]})
    calibration = Calibration(
        skipped=False,
        web_sources=[WebSource(label="W1", url="https://example.org", title="Dues")],
        intent_changes=IntentChanges(
            sub_queries_added=["dues of 2026"],
            sub_queries_modified=["who waives"],
            sub_queries_removed=["what a berth is"],
            sub_queries_demoted=["history"],
            scope_changed=True,
            standards_added=["100"],
        ),
        query_plan_refined=refined,
    )
    message = say(StageName.CALIBRATE, calibration=calibration)
    assert message.kind is PauseKind.CALIBRATED
    for line in (
        "- Added: dues of 2026",
        "- Reworded: who waives",
        "- Dropped: what a berth is",
        "- Less important: history",
        "- Documents added: 100",
        "1. dues of 2026 *(the heart of it)*",
    ):
        assert line in message.text.splitlines()
    assert "1 page on the web" in message.text
    assert "scope is another" in message.text
    assert "berth dues of visitors" not in message.text


@pytest.mark.requirement("RS-433")
def test_a_plan_that_the_web_left_alone_is_confirmed() -> None:
    """No change is said to be none."""
    message = say(StageName.CALIBRATE, calibration=Calibration(skipped=False))
    assert message.kind is PauseKind.CONFIRMED
    assert "the plan stays as it is" in message.text


@pytest.mark.requirement("RS-430")
def test_without_a_model_nothing_is_paid() -> None:
    """Offline the most it may cost is nothing."""
    text = say(StageName.ANALYZE, offline=True).text
    assert "costs nothing" in text
    assert "$" not in text


@pytest.mark.requirement("RS-434")
def test_leaving_is_confirmed_with_what_led_to_it() -> None:
    """Two choices, the person's words, and that what was found is kept."""
    message = confirmation_message("Actually,\nwhat is the weather " + "x" * 300)
    assert message.kind is PauseKind.LEAVING
    quoted = next(line for line in message.text.splitlines() if line.startswith("> "))
    assert quoted.startswith("> Actually, what is the weather")
    assert len(quoted) <= 202
    assert [(option.key, option.label) for option in message.options] == [
        ("1", "Yes, leave"),
        ("2", "No, stay"),
    ]
    assert "is kept" in message.text
    assert ">" not in confirmation_message("3").text


@pytest.mark.requirement("RS-432")
def test_choosing_to_change_asks_what() -> None:
    """The second line of the menu is followed by the question what to change."""
    assert modification_message().kind is PauseKind.MODIFYING
    assert "What should be different?" in modification_message().text
