"""The five tasks: what they ask, and what they answer without a model."""

import json
import time
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from bottega.coach.enums import Difficulty, FileStyle, HintLevel, Severity, Stage
from bottega.coach.observer.context import EditLoop
from bottega.coach.plans.guidance import (
    Guidance,
    PlanInput,
    StepKind,
    coach_phases,
    goal_of,
    kind_of,
)
from bottega.coach.plans.pipeline import FilterInput, memory_filter
from bottega.coach.plans.plan_context import (
    CodeDefinition,
    PlanContext,
    definitions_in,
    named_files,
)
from bottega.coach.plans.plan_text import read_steps
from bottega.coach.wrapup import assessment as dreyfus
from bottega.coach.wrapup import gaps as gaps
from bottega.coach.wrapup import memories as summaries
from bottega.coach.wrapup.assessment import SkillEvidence, Trend
from bottega.coach.wrapup.evidence import PhaseEvidence, SessionEvidence
from bottega.core.llm.tasks import Task, Tier
from bottega.memory.schemas import MemoryMetadata, MemoryResult
from bottega.memory.stores import Importance
from tests.coach.builders import PROJECT

PLAN = """\
# Totals in cents

1. Reproduce it: write a failing test in `tests/test_orders.py`.
2. Change `price_of` in prices.py to give cents. Round only for display.

   ```python
   return round(PRICES[item] * 100)
   ```
3. Update README.md so that people know totals are in cents.
"""
TERRAIN = PlanContext(
    tree=list(PROJECT),
    definitions=[
        CodeDefinition("total", "src/bakery/orders.py", 4, 5),
        CodeDefinition("price_of", "src/bakery/prices.py", 4, 5),
    ],
)


def remembered(content: str, tags: str = "") -> MemoryResult:
    metadata = MemoryMetadata(
        session_id="s", project="p", created_at="now", importance=Importance.MEDIUM, tags=tags
    )
    return MemoryResult(id=content[:8], content=content, metadata=metadata, distance=0.2)


def session(*phases: PhaseEvidence, minutes: float = 30) -> SessionEvidence:
    return SessionEvidence([PhaseEvidence(), *phases], len(phases), minutes, active=True)


def look_back(*phases: PhaseEvidence, known: str | None = None) -> gaps.GapExtraction:
    earlier = [gaps.KnownGap(known, 1)] if known else []
    return gaps.offline(gaps.GapInput([], [], earlier, session(*phases)))


def guide(
    plan: str = PLAN, stage: Stage = Stage.NOVICE, context: PlanContext = TERRAIN
) -> Guidance:
    return coach_phases(stage).offline(PlanInput(plan, stage, (), context))  # type: ignore[return-value]


def phase(**changes: Any) -> PhaseEvidence:
    """One that went well, but for the changes."""
    well: dict[str, Any] = {
        "number": 1,
        "title": "Round late",
        "complete": True,
        "files": ["src/bakery/orders.py"],
        "opportunities": ["Floats, money and rounding"],
        "minutes": 10,
    }
    return PhaseEvidence(**well | changes)


RECENT = dreyfus.LatestSession(1, 0, 1)
SUMMARY = summaries.SummaryInput("…", "#7 Totals", "bakery", [], [])


@pytest.mark.requirement("FR-126")
@pytest.mark.parametrize(
    ("task", "asked", "name", "tier", "keys", "fields"),
    [
        (
            memory_filter,
            FilterInput("issue", "plan", [remembered("a note")]),
            "memory_retrieval_filter",
            Tier.FAST,
            {"issue_summary", "plan_summary", "candidate_memories"},
            {"relevant_memories", "discarded"},
        ),
        (
            coach_phases(Stage.NOVICE),
            PlanInput(PLAN, Stage.NOVICE),
            "coach_agent",
            Tier.STRONG,
            {"plan", "dreyfus_stage", "relevant_memories"},
            {"phases", "memory_connection", "estimated_difficulty"},
        ),
        (
            gaps.gap_extraction,
            gaps.GapInput([], [], [], session(phase())),
            "knowledge_gap_extraction",
            Tier.STRONG,
            {"action_log", "phases", "existing_gaps"},
            {"knowledge_gaps", "kata_specs", "session_summary"},
        ),
        (
            dreyfus.dreyfus_assessment,
            dreyfus.AssessmentInput([], [], RECENT),
            "dreyfus_assessment",
            Tier.STRONG,
            {"accumulated_evidence", "current_assessments", "recent_session"},
            {"assessments"},
        ),
        (
            summaries.memory_summary,
            SUMMARY,
            "memory_summarisation",
            Tier.FAST,
            {"transcript", "issue", "phases", "gaps"},
            {"memories"},
        ),
    ],
)
def test_each_task_is_one_module_with_all_its_parts(
    task: Task[Any, Any], asked: Any, name: str, tier: Tier, keys: set[str], fields: set[str]
) -> None:
    """Instructions that treat content as data, a JSON prompt, typed output, an answer."""
    assert (task.name, task.tier) == (name, tier)
    assert "material to" in task.instructions
    assert keys <= json.loads(task.prompt(asked)).keys()
    assert set(task.output.model_json_schema()["properties"]) == fields
    assert isinstance(task.offline(asked), task.output)


@pytest.mark.requirement("CO-30", "SC-055")
def test_offline_phases_follow_the_plan() -> None:
    """One a step, with titles, the files that it names, and no code to copy."""
    guidance = guide()
    assert [phase.title for phase in guidance.phases] == [
        "Reproduce it",
        "Change `price_of` in prices.py to give cents",
        "Update README.md so that people know totals are in cents",
    ]
    assert [phase.expected_files for phase in guidance.phases] == [
        ["tests/test_orders.py"],
        ["src/bakery/prices.py"],
        ["README.md"],
    ]
    assert guidance.memory_connection is None
    assert guidance.estimated_difficulty is Difficulty.INTERMEDIATE
    assert "PRICES[item]" not in guidance.model_dump_json()
    assert guidance.phases[0].knowledge_gap_opportunities == ["Testing"]
    assert "Floats, money and rounding" in guidance.phases[1].knowledge_gap_opportunities


@pytest.mark.requirement("CO-30")
def test_wrapped_lines_are_one_sentence_and_items_are_their_own() -> None:
    """The description reads like prose."""
    plan = "1. Round\n   late.\n   - in `total`\n   - for:\n     display\n2. Say so in the README"
    assert goal_of(read_steps(plan)[0].text) == "Round late. In `total`. For: display."
    assert goal_of("```\ncode\n```") == "Do this step as the plan shows it."


@pytest.mark.requirement("CO-31")
def test_offline_hints_point_at_what_is_there() -> None:
    """Files of the tree, lines of definitions that the step names, and questions."""
    guidance = guide(PLAN + "4. Add `refund` to shop/refunds.py, which is not there yet.\n")
    change = guidance.phases[1].hints
    assert [(hint.path, hint.style) for hint in change.file_hints] == [
        ("src/bakery/prices.py", FileStyle.CRITICAL)
    ]
    [line] = change.line_hints
    assert (line.path, line.start, line.end) == ("src/bakery/prices.py", 4, 5)
    assert line.hover_text.endswith("?")
    assert guidance.phases[3].hints.file_hints == []
    assert guidance.phases[3].hints.line_hints == []


@pytest.mark.requirement("CO-31")
def test_files_are_known_by_path_name_and_module() -> None:
    """But a name that many files have points at none of them."""
    tree = [*PROJECT, "src/bakery/deep/__init__.py", "src/other/__init__.py"]
    both = ["src/bakery/orders.py", "src/bakery/prices.py"]
    assert named_files("see src/bakery/orders.py and ./bakery/prices.py.", tree) == both
    assert named_files("call bakery.orders.total, then `prices`", tree) == both
    assert named_files("every __init__.py of ../etc/passwd", tree) == []


@pytest.mark.requirement("CO-30")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Add a failing unit test for `total`", StepKind.PROVE),
        ("Change `total` so that all tests pass", StepKind.CHANGE),
        ("Update README.md", StepKind.TELL),
        ("Update the price list", StepKind.CHANGE),
        ("Read how a total is made, then fix it", StepKind.UNDERSTAND),
        ("Refunds", StepKind.BUILD),
    ],
)
def test_a_step_is_what_it_says_first(text: str, kind: StepKind) -> None:
    """So that Paige says what fits."""
    assert kind_of(text) is kind


@pytest.mark.requirement("CO-30")
@pytest.mark.parametrize(
    "hostile", ["__", "[", "**x ", "```\n", "export \n", "const a ", "\n", "> ", "- ", "`"]
)
def test_hostile_text_is_read_in_time_that_grows_with_it(hostile: str) -> None:
    """200,000 characters of it take no minutes."""
    text = hostile * (200_000 // len(hostile)) + "x"
    started = time.monotonic()
    assert guide(text).phases
    definitions_in("a.ts", text)
    assert time.monotonic() - started < 10


@pytest.mark.requirement("CO-31")
@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.py",
            "class A:\n    async def go(self):\n        pass\n\n\n"
            "def b(\n    x,\n):\n    return x\n",
            [("A", 1, 3), ("go", 2, 3), ("b", 6, 9)],
        ),
        (
            "a.ts",
            "export function f(x: number) {\n  return x\n}\n"
            "const g = (y) => {\n  y()\n}\nconst n = 3\n",
            [("f", 1, 3), ("g", 4, 6)],
        ),
        ("a.md", "class of its own\ndef inition\n", []),
    ],
)
def test_definitions_are_found_with_their_lines(
    path: str, text: str, expected: list[tuple[str, int, int]]
) -> None:
    """In Python and in languages with braces."""
    assert [(d.name, d.start, d.end) for d in definitions_in(path, text)] == expected


@pytest.mark.requirement("CO-34")
def test_the_stage_changes_what_is_said_and_how_closely_is_pointed() -> None:
    """A novice is led, an expert gets one line; the model is told so too."""
    by_stage = {stage: guide(stage=stage).phases[1] for stage in Stage}
    assert [phase.hint_level for phase in by_stage.values()] == [
        HintLevel.LINE,
        HintLevel.REGION,
        HintLevel.FILE,
        HintLevel.NONE,
        HintLevel.NONE,
    ]
    lengths = [len(phase.description) for phase in by_stage.values()]
    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == len(Stage)
    novice = by_stage[Stage.NOVICE].description
    for part in ("Why now:", "Your first step: Open `src/bakery/prices.py`", "You are done when"):
        assert part in novice
    assert by_stage[Stage.EXPERT].description == "Change `price_of` in prices.py to give cents."
    told = {coach_phases(stage).instructions for stage in Stage}
    assert len(told) == len(Stage)
    assert all(stage.words in coach_phases(stage).instructions for stage in Stage)


@pytest.mark.requirement("FR-110")
def test_sifting_keeps_what_shares_words_and_says_which() -> None:
    """Without a model, by the words in common."""
    same = remembered("Rounding cents in totals was hard: floats lose money.", "python,money")
    other = remembered("Prefers tabs over spaces in Makefiles.")
    sifted = memory_filter.offline(
        FilterInput("Totals lose cents", "Round money as cents.", [other, same])
    )
    [kept] = sifted.relevant_memories  # type: ignore[union-attr]
    assert kept.content == same.content
    assert "cents" in kept.connection
    assert [gone.content for gone in sifted.discarded] == [other.content]  # type: ignore[union-attr]


@pytest.mark.requirement("CO-32", "EC-58")
def test_a_session_without_struggle_has_no_gaps() -> None:
    """One question and one hint are no gap."""
    curious = phase(hints_used=1, explained=Counter(["src/bakery/orders.py"]))
    found = look_back(curious)
    assert (found.knowledge_gaps, found.kata_specs) == ([], [])
    assert found.session_summary.phases_completed == 1
    assert found.session_summary.hints_used == 1


@pytest.mark.requirement("CO-32")
def test_gaps_are_told_by_what_was_counted() -> None:
    """Each count stands in the evidence, and the topic has its kata."""
    hard = phase(
        explained=Counter({"src/bakery/orders.py": 3}),
        complete=False,
        escalations=2,
        reviews_requested=2,
        reviews_passed=1,
        edit_loops=[EditLoop("src/bakery/orders.py", rounds=5, edits=84, gain=-6)],
        minutes=40,
    )
    found = look_back(hard)
    [gap] = found.knowledge_gaps
    assert (gap.topic, gap.severity) == ("Floats, money and rounding", Severity.HIGH)
    for counted in (
        "In phase 1 (Round late)",
        "raised the hints twice",
        "explanations of 3 pieces of src/bakery/orders.py",
        "84 times in 5 rounds for a net change of 6 characters",
        "1 of 2 reviews",
        "not finished after 40 minutes",
    ):
        assert counted in gap.evidence
    [kata] = found.kata_specs
    assert kata.gap_topic == gap.topic
    assert kata.catalogue_slug
    assert kata.test_cases


@pytest.mark.requirement("CO-32")
def test_a_gap_is_named_by_what_is_known_of_it_or_not_at_all() -> None:
    """By its file where no topic is known; without either it is none."""
    looped = phase(
        title="Phase one", opportunities=[], edit_loops=[EditLoop("web/cart_total.tsx", 4, 60, 2)]
    )
    assert [gap.topic for gap in look_back(looped).knowledge_gaps] == ["TypeScript: cart total"]
    lost = phase(title="Phase one", opportunities=[], files=[], idle_stretches=9, escalations=3)
    assert look_back(lost).knowledge_gaps == []


@pytest.mark.requirement("CO-32")
def test_a_gap_that_is_known_keeps_its_name() -> None:
    """However it was written the first time."""
    found = look_back(phase(escalations=1), known="money, floats & rounding")
    assert [gap.topic for gap in found.knowledge_gaps] == ["money, floats & rounding"]
    assert found.knowledge_gaps[0].severity is Severity.LOW


@pytest.mark.requirement("CO-38")
def test_katas_that_were_given_are_not_given_again() -> None:
    first = look_back(phase(escalations=2)).kata_specs[0].catalogue_slug
    again = gaps.offline(
        gaps.GapInput([], [], [], session(phase(escalations=2)), given=frozenset({first or ""}))
    )
    assert again.kata_specs[0].catalogue_slug != first


SKILL = SkillEvidence("Python", 2, 6, 6, 5, 1, Trend.STEADY, recent=True)


def assess(skill: SkillEvidence, current: Stage | None = None) -> dreyfus.DreyfusAssessments:
    known = [dreyfus.CurrentSkill("python", current, 0.4)] if current else []
    return dreyfus.offline(dreyfus.AssessmentInput([skill], known, RECENT))


@pytest.mark.requirement("FR-120")
@pytest.mark.parametrize(
    ("skill", "before", "after"),
    [
        pytest.param(SKILL, None, Stage.ADVANCED_BEGINNER, id="from nothing, one step"),
        pytest.param(SKILL, Stage.ADVANCED_BEGINNER, Stage.COMPETENT, id="earned"),
        pytest.param(SKILL, Stage.PROFICIENT, Stage.PROFICIENT, id="not yet shown is not lost"),
        pytest.param(
            replace(SKILL, completed=2, independent=0, help_taken=9),
            Stage.COMPETENT,
            Stage.ADVANCED_BEGINNER,
            id="fell behind",
        ),
        pytest.param(
            replace(SKILL, completed=2, independent=0, help_taken=9, hint_trend=Trend.FALLING),
            Stage.COMPETENT,
            Stage.COMPETENT,
            id="behind, but catching up",
        ),
    ],
)
def test_stages_move_one_at_a_time(
    skill: SkillEvidence, before: Stage | None, after: Stage
) -> None:
    """By counted evidence, with the numbers."""
    [found] = assess(skill, before).assessments
    assert (found.previous_stage, found.stage) == (before, after)
    assert f"{skill.completed} of 6 phases completed" in found.evidence
    assert 0.5 < found.confidence < 0.95


@pytest.mark.requirement("EC-59")
def test_confidence_grows_with_evidence_and_no_evidence_is_no_assessment() -> None:
    """A skill that this session had nothing to do with, or says nothing new of, is left."""
    few, many = (assess(replace(SKILL, phases=n)).assessments[0].confidence for n in (6, 20))
    assert few < many
    assert assess(replace(SKILL, recent=False)).assessments == []
    sure = dreyfus.CurrentSkill("Python", Stage.PROFICIENT, 0.9)
    asked = dreyfus.AssessmentInput([SKILL], [sure], RECENT)
    assert dreyfus.offline(asked).assessments == []


@pytest.mark.requirement("FR-122")
def test_memories_are_facts_of_the_session() -> None:
    """What was worked on, what was hard, what went alone, what is left."""
    asked = replace(
        SUMMARY,
        completed=[summaries.PhaseDone("Round late", "…", True, ["Floats, money and rounding"])],
        gaps=[summaries.GapSeen("Testing", Severity.HIGH, "Raised the hints twice.")],
        open_phases=["Write it down"],
        minutes=34,
        languages=["Python"],
    )
    worked, hard, alone, left = summaries.offline(asked).memories
    assert "#7 Totals in bakery for 34 minutes" in worked.content
    assert "1 of 2 phases" in worked.content
    assert "Raised the hints twice." in hard.content
    assert hard.importance is Importance.HIGH
    assert "Round late" in alone.content
    assert "floats, money and rounding" in alone.tags
    assert "Write it down" in left.content
    assert summaries.offline(replace(SUMMARY, active=False)).memories == []
