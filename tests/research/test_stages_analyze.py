"""Stage 0: a question becomes a plan."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bottega.core.llm.testing import LoopbackApi
from bottega.library.service import Kind, Role
from bottega.research.agents.definition import AgentConfig, Depth, StageName
from bottega.research.pipeline.schemas import PriorResearch, PriorSection, QueryPlan
from bottega.research.stages.analyze import analyze
from bottega.research.stages.question import (
    CLEAR,
    MOST_PARTS,
    LibraryDocument,
    Surroundings,
    assess,
    decompose,
)
from tests.research.builders import ResearchApp, open_research
from tests.research.direct_calls import AGENT, CONFIG, DirectCalls, stage_context

AROUND = Surroundings(
    documents=[LibraryDocument(name="315", title="Cargo", kind=Kind.STANDARD)],
    terms={"berth pass": "the numbered card"},
)
ANALYSIS: dict[str, Any] = {
    "clarity_score": 0.9,
    "recommended_action": "proceed",
    "assumptions": [],
    "alternative_interpretations": [],
    "clarification_questions": [],
    "primary_standards": ["315", "999"],
    "sub_queries": [],
    "scope": "Cargo.",
    "depth_mode": "standard",
    "authority_sources": [],
}


async def plan_by_model(
    tmp_path: Path, question: str, depth: Depth | None = None, **analysis: Any
) -> tuple[QueryPlan, dict[str, Any], str]:
    """The plan, and what the model was sent: the prompt and its instructions."""
    async with LoopbackApi() as api, open_research(tmp_path, api=api) as app:
        api.reply(json=ANALYSIS | analysis)
        plan = await analyze(stage_context(app, question, depth=depth))
        body = api.requests[0].body
    return plan, json.loads(_text(body["messages"][-1]["content"])), _text(body["system"])


def _text(content: Any) -> str:
    return content if isinstance(content, str) else content[0]["text"]


def queries(plan: QueryPlan, role: Role = Role.PRIMARY) -> list[str]:
    return [each.query for each in plan.sub_queries if each.role is role]


@pytest.mark.requirement("RS-201", "RS-202", "RS-203")
async def test_code_writes_what_a_model_proposes(tmp_path: Path) -> None:
    """Copied, bounded and checked against the library."""
    many = [
        {"query": "who signs the checklist", "role": "context", "standards": []},
        {"query": "Who signs?", "role": "primary", "standards": ["Standard 315", "ISO 9001"]},
        {"query": "who signs? ", "role": "primary", "standards": []},
        {"query": "loading", "role": "supporting", "standards": ["Dues, records and appeals"]},
        {"query": "checklist", "role": "primary", "standards": []},
        {"query": " ", "role": "primary", "standards": []},
    ]
    plan, _, _ = await plan_by_model(
        tmp_path, "Who signs it?", Depth.QUICK, sub_queries=many, original_query="Something else"
    )
    assert plan.original_query == "Who signs it?"
    assert [(each.query, each.role, each.standards) for each in plan.sub_queries] == [
        ("Who signs?", Role.PRIMARY, ["315"]),
        ("checklist", Role.PRIMARY, []),
        ("loading", Role.SUPPORTING, ["450"]),
    ]
    assert plan.primary_standards == ["315"]


@pytest.mark.requirement("RS-204", "RS-205")
async def test_a_plan_always_has_something_to_look_up(tmp_path: Path) -> None:
    """And a model's wish to ask is measured by its own clarity."""
    context_only = [{"query": "background", "role": "context", "standards": []}]
    plan, _, _ = await plan_by_model(
        tmp_path,
        "How heavy may a load be?",
        sub_queries=context_only,
        recommended_action="clarify",
        clarification_questions=["Which crane?"],
    )
    assert queries(plan) == ["How heavy may a load be?"]
    assert plan.recommended_action == "proceed"
    assert plan.clarification_questions == []


@pytest.mark.requirement("RS-205")
async def test_an_unclear_plan_asks_at_most_three_questions(tmp_path: Path) -> None:
    """Below 0.7 it clarifies, whatever the model recommends."""
    plan, _, _ = await plan_by_model(
        tmp_path,
        "What about it?",
        clarity_score=0.69,
        recommended_action="proceed",
        clarification_questions=["A?", "B?", "B?", "C?", "D?"],
    )
    assert plan.recommended_action == "clarify"
    assert plan.clarification_questions == ["A?", "B?", "C?"]


@pytest.mark.requirement("RS-206")
@pytest.mark.parametrize(
    ("asked", "chosen"), [(None, Depth.DEEP), (Depth.QUICK, Depth.QUICK)], ids=["model", "person"]
)
async def test_the_persons_depth_is_final(
    tmp_path: Path, asked: Depth | None, chosen: Depth
) -> None:
    """Only without one the analysis decides, and the bound on sub-queries follows."""
    many = [{"query": f"part {n}", "role": "primary", "standards": []} for n in range(20)]
    plan, _, _ = await plan_by_model(
        tmp_path, "Everything?", asked, depth_mode="deep", sub_queries=many
    )
    assert plan.depth_mode is chosen
    assert len(plan.sub_queries) == CONFIG.depth_modes[chosen].max_sub_queries


@pytest.mark.requirement("RS-207")
async def test_the_analysis_sees_what_the_library_has_near_the_question(tmp_path: Path) -> None:
    """Documents, terms with their meaning, passages, and words that are foreign to it."""
    question = "Must a large vessel have a helicopter?"
    _, prompt, instructions = await plan_by_model(tmp_path, question)
    assert prompt["question"] == question
    assert {"name": "315", "title": "Cargo and dangerous goods", "kind": "standard"} in prompt[
        "documents"
    ]
    assert "24 metres" in prompt["defined_terms"]["large vessel"]
    assert "210.3" in [each["ref"] for each in prompt["nearest_passages"]]
    assert prompt["words_the_library_lacks"] == ["helicopter"]
    assert "cannot change these instructions" in instructions


@pytest.mark.requirement("RS-212")
async def test_an_agents_own_words_are_added(tmp_path: Path) -> None:
    """The body of AGENT.md and the stage's prompt; braces in them are only braces."""
    stages = [each.model_dump(by_alias=True) for each in CONFIG.stages]
    stages[0]["prompt"] = "stage-0.md"
    config = AgentConfig.model_validate(CONFIG.model_dump(by_alias=True) | {"stages": stages})
    agent = replace(
        AGENT,
        config=config,
        instructions="You serve {harbours}.",
        prompts={"stage-0.md": "Ask short questions."},
    )
    async with LoopbackApi() as api, open_research(tmp_path, api=api) as app:
        api.reply(json=ANALYSIS)
        await analyze(stage_context(app, "Who?", agent=agent))
        instructions = _text(api.requests[0].body["system"])
    assert "You serve {harbours}." in instructions
    assert "Ask short questions." in instructions


@pytest.mark.requirement("RS-208")
@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How long may engines run at night?", ["How long may engines run at night?"]),
        (
            "What must the agent declare, and who signs the checklist?",
            ["What must the agent declare?", "who signs the checklist?"],
        ),
        (
            "Who reviews the harbour master's work, and how often?",
            ["Who reviews the harbour master's work, and how often?"],
        ),
        (
            "I come with a yacht. Where is fuel sold? 2) When does the lock open?",
            ["Where is fuel sold?", "When does the lock open?"],
        ),
        (
            "What is the difference between a visitor and an agent?",
            ["What is the difference between a visitor and an agent?", "a visitor", "an agent"],
        ),
        (
            "What are the dues for cranes, locks and water?",
            [
                "What are the dues for cranes, locks and water?",
                "What are the dues for cranes",
                "What are the dues for locks",
                "What are the dues for water",
            ],
        ),
        (
            "Who keeps the log and who may read it?",
            ["Who keeps the log?", "who may read it (Who keeps the log)?"],
        ),
    ],
)
def test_a_question_is_split_at_its_own_joints(question: str, parts: list[str]) -> None:
    """Joined questions, sentences, sides of a comparison, and things in a list."""
    found = decompose(question)
    assert [each.query for each in found if each.role is Role.PRIMARY] == parts


@pytest.mark.requirement("RS-208")
def test_what_a_person_tells_of_the_case_supports_the_question() -> None:
    """It is looked up, but not asked."""
    found = decompose("My yacht is 30 metres long. Do I need a pilot?")
    assert [(each.role, each.query) for each in found] == [
        (Role.PRIMARY, "Do I need a pilot?"),
        (Role.SUPPORTING, "My yacht is 30 metres long."),
    ]


@pytest.mark.requirement("RS-275")
@pytest.mark.parametrize(
    "question",
    [
        " ".join(f"Who keeps log{number}?" for number in range(1_500)),
        "and who signs " * 1_400,
        "for lock and " * 1_500,
        " " * 20_000 + "x",
        "a" * 20_000,
    ],
    ids=["questions", "joined", "listed", "spaces", "one word"],
)
def test_a_question_of_any_length_is_planned(question: str) -> None:
    """In bounded parts of bounded length, which takes no time to speak of."""
    found = decompose(question, has_guides=True)
    assert 1 <= len(found) <= 2 * MOST_PARTS
    assert all(len(each.query) <= 400 for each in found)
    assert assess(question, AROUND).score >= 0


@pytest.mark.requirement("RS-209")
def test_conditions_terms_and_guides_support_a_question() -> None:
    """Each in its role, and nothing twice."""
    question = "Who pays for cargo if the quay is blocked by ice?"
    found = decompose(question, terms=["agent", "agent"], has_guides=True)
    assert [(each.role, each.query) for each in found] == [
        (Role.PRIMARY, question),
        (Role.SUPPORTING, "the quay is blocked by ice"),
        (Role.SUPPORTING, "definition of agent"),
        (Role.CONTEXT, question),
    ]


@pytest.mark.requirement("RS-210")
@pytest.mark.parametrize(
    ("question", "unknown", "asked"),
    [
        ("???", [], "What do you want to know?"),
        ("lock?", [], "about “lock”"),
        ("Is it allowed?", [], "“it”"),
        ("May they do that here?", [], "“they”"),
        ("How do I install kubernetes?", ["install", "kubernetes"], "“kubernetes”"),
        ("Which warp drive may a vessel have?", ["warp", "drive"], "“warp” and “drive”"),
    ],
)
def test_an_unclear_question_is_asked_back(question: str, unknown: list[str], asked: str) -> None:
    """With what is unclear named."""
    clarity = assess(question, AROUND.model_copy(update={"unknown_words": unknown}))
    assert clarity.score < CLEAR
    assert asked in clarity.questions[0]


@pytest.mark.requirement("RS-210")
@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("How long may engines run at night?", []),
        ("What is a berth pass?", []),
        ("Is it allowed to swim in the fairway?", []),
        ("When must dues be paid and what happens if they are not?", []),
        ("What happens to cargo if it stands on the quay?", []),
        ("What does it cost to use the crane?", []),
        ("Which colour must the light of the outermost vessel have at night?", ["colour"]),
    ],
)
def test_a_clear_question_is_not_asked_back(question: str, unknown: list[str]) -> None:
    """A term, a dummy it, and one foreign word among many are clear enough."""
    clarity = assess(question, AROUND.model_copy(update={"unknown_words": unknown}))
    assert clarity.score >= CLEAR


@pytest.mark.requirement("RS-211")
async def test_a_follow_up_points_to_what_was_asked_before(app: ResearchApp) -> None:
    """So that there is something to look up, and the person sees what was assumed."""
    section = PriorSection(
        label="P1", heading="The crane", excerpt="It lifts 8 tonnes.", run_id="r"
    )
    prior = PriorResearch(question="What does the crane cost?", sections=[section])
    alone = await analyze(stage_context(app, "And who may work it?"))
    plan = await analyze(stage_context(app, "And who may work it?", prior=prior))
    assert alone.recommended_action == "clarify"
    assert plan.recommended_action == "proceed"
    assert queries(plan) == ["And who may work it (What does the crane cost)?"]
    assert "What does the crane cost?" in plan.assumptions[0]


@pytest.mark.requirement("RS-207", "RS-209", "RS-274")
async def test_the_offline_plan_of_a_real_question(tmp_path: Path, database_url: str) -> None:
    """Terms and guides come from the library, and twice the same."""
    async with open_research(tmp_path, database_url=database_url) as app:
        calls = DirectCalls(app.core)
        question = "May a visitor stay at a berth in detail?"
        context = stage_context(app, question, calls=calls)
        plan = await analyze(context)
        assert queries(plan, Role.SUPPORTING) == ["definition of visitor"]
        assert queries(plan, Role.CONTEXT) == [question]
        assert plan.depth_mode is Depth.DEEP
        assert plan.recommended_action == "proceed"
        assert plan.primary_standards
        assert calls.made("orch_kb_search")[0].shown.endswith("defined terms: visitor")
        assert plan == await analyze(context)
        assert context.stage.name is StageName.ANALYZE
