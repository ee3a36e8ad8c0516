"""Cases, played and judged three ways, with parts taken away."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from bottega.assistant.evals.cases import BASELINE, EvalCase, Expectations, Variant, load_cases
from bottega.assistant.evals.criteria import judge_structure
from bottega.assistant.evals.engine import run_evals
from bottega.assistant.evals.playthrough import Played, Player
from bottega.assistant.evals.report import (
    AssistantKind,
    AssistantReport,
    CaseResult,
    EvalFinding,
)
from bottega.assistant.evals.rubric import RubricVerdict, Verdicts, in_order
from bottega.assistant.sessions.schemas import LoopResult, LoopStatus
from bottega.conversation.gates import GateKind, GateReply, ItemReply
from bottega.core.llm.testing import LoopbackApi
from bottega.errors import InvalidInput, NotFound
from tests.assistant.builders import put_plugin
from tests.assistant.offline_turns import OfflineAssistant, open_offline

SUBJECTS = ("computing", "technologies", "maths", "french", "english", "history")


async def evaluate(room: OfflineAssistant, *cases: EvalCase, **options: object) -> AssistantReport:
    its, chosen = room.service, list(cases) or None
    return await run_evals(its.core, its.runs, its.memory_files, cases=chosen, **options)  # type: ignore[arg-type]


def finding(result: CaseResult, criterion: str) -> EvalFinding:
    return next(each for each in result.findings if each.criterion == criterion)


@pytest.mark.requirement("AS-681")
async def test_twenty_cases_ship() -> None:
    """Sixteen lessons over six subjects and four classes, four reviews, each its own."""
    cases = await load_cases()
    lessons = [case for case in cases if case.command.startswith("lesson-planning:")]
    reviews = [case for case in cases if case.command == "code-review:review"]
    assert (len(cases), len(lessons), len(reviews)) == (20, 16, 4)
    assert {case.class_id for case in lessons} == {"1B", "2A", "2C", "3B"}
    assert all(any(case.name.startswith(each) for case in lessons) for each in SUBJECTS)
    assert {case.command for case in lessons} >= {"lesson-planning:refine-lesson"}
    assert all(case.expect.sections and case.expect.rubric for case in cases)
    assert len({case.input for case in cases}) == 20


@pytest.mark.requirement("AS-693")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cases: [{name: A b}]", "cases.0.name"),
        ("cases: [", "broken.yaml"),
        ("cases: [{name: a, command: x:y, input: z, colour: red}]", "colour"),
        (
            "cases: [{name: a, command: x:y, input: z}, {name: a, command: x:y, input: z}]",
            "Twice: a",
        ),
    ],
)
async def test_a_wrong_case_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With the file and what is wrong in it."""
    (tmp_path / "broken.yaml").write_text(text)
    with pytest.raises(InvalidInput, match=message.replace(".", r"\.")):
        await load_cases(tmp_path)


@pytest.mark.requirement("AS-693")
async def test_unknown_cases_and_ablations_are_refused(tmp_path: Path) -> None:
    """Each with what there is."""
    with pytest.raises(NotFound, match="'latin'") as missing:
        await load_cases(containing="latin")
    assert "maths-equations-2a" in missing.value.details["valid_options"]
    async with open_offline(tmp_path) as room:
        with pytest.raises(InvalidInput, match="'colours'") as wrong:
            await evaluate(room, without=["colours"])
    assert wrong.value.details["valid_options"] == ["memory", "skills", "subagents", "workspace"]


DOCUMENT = """# Loops for 3B

## Starter

Two questions for 3B, 5 minutes: shorter starters work.

## Differentiation

- EAL: a word list.

## Curriculum

- TCH 3-14a: reads loops. [evidence: curriculum/c.md:L1-L1 "reads and explains code with loops"]
"""
CURRICULUM = "- TCH 3-14a: reads and explains code with loops.\n"


def played(text: str, expect: Expectations, status: LoopStatus = LoopStatus.SUCCESS) -> Played:
    case = EvalCase(name="a", command="x:y", input="z", expect=expect)
    result = LoopResult(status=status, text=text, reason="because")
    return Played(case, Variant("v"), result, files={"curriculum/c.md": CURRICULUM})


def scores(text: str, **expect: object) -> dict[str, float | None]:
    expectations = Expectations.model_validate(expect)
    return {each.criterion: each.score for each in judge_structure(played(text, expectations))}


@pytest.mark.requirement("AS-682")
def test_structure_is_judged_by_what_stands_there() -> None:
    """A share of what was expected; what is missing is named."""
    expect = {
        "sections": ["starter", "plenary"],
        "class_context": ["3B", "pairs"],
        "differentiation": ["EAL", "dyslex*"],
        "memory": ["short* starter*"],
        "mentions": ["word list"],
    }
    assert scores(DOCUMENT, **expect) == {
        "ended well": 1.0,
        "sections": 0.5,
        "class context": 0.5,
        "differentiation": 0.5,
        "memory": 1.0,
        "mentions": 1.0,
    }
    assert set(scores("", **expect).values()) == {1.0, 0.0}
    notes = {
        each.criterion: each.note
        for each in judge_structure(played(DOCUMENT, Expectations.model_validate(expect)))
    }
    assert notes["sections"] == "missing: plenary"


@pytest.mark.requirement("AS-682")
def test_needs_must_be_answered_where_they_belong() -> None:
    """A need that is only named elsewhere does not count as differentiation."""
    elsewhere = "# A\n\n## Starter\n\nEAL pupils first.\n\n## Differentiation\n\nNone.\n"
    assert scores(elsewhere, differentiation=["EAL"])["differentiation"] == 0.0
    assert scores("EAL pupils first.", differentiation=["EAL"])["differentiation"] == 1.0


@pytest.mark.requirement("AS-682")
def test_a_turn_that_did_not_end_well_is_seen() -> None:
    """With its status and reason."""
    found = list(judge_structure(played("", Expectations(), LoopStatus.MAX_TURNS)))
    assert (found[0].score, found[0].note) == (0.0, "error_max_turns: because")


@pytest.mark.requirement("AS-683")
@pytest.mark.parametrize(
    ("text", "score"),
    [
        (DOCUMENT, 1.0),
        (DOCUMENT.replace("L1-L1", "L9-L9"), 0.0),
        (DOCUMENT.replace("explains code with", "sings about"), 0.0),
        (DOCUMENT.replace("curriculum/c.md", "curriculum/none.md"), 0.0),
        (DOCUMENT + "- TCH 9-99z: made up.\n", 0.5),
        ("# Nothing\n", 0.0),
    ],
)
def test_evidence_must_hold(text: str, score: float) -> None:
    """Pointers that hold, of all pointers and of all claims that nothing bears out."""
    found = scores(text, evidence=True)["evidence"]
    assert found is not None
    assert found <= score if score < 1 else found == score


@dataclass
class Ablated:
    report: AssistantReport
    left_behind: list[str]


@pytest.fixture(scope="module")
def played_out(tmp_path_factory: pytest.TempPathFactory) -> Ablated:
    """One shipped case, offline, with every ablation; and a person who has a wish."""

    async def run() -> Ablated:
        case = (await load_cases(containing="computing-iteration-3b"))[0]
        wish = ItemReply(id="starter", decision="revise", text="more challenge")
        reply = GateReply(decision="accept", items=[wish])
        case = case.model_copy(update={"replies": {GateKind.ADJUDICATION: [reply]}})
        async with open_offline(tmp_path_factory.mktemp("evals")) as room:
            without = ["skills", "workspace", "memory", "subagents"]
            report = await evaluate(room, case, without=without)
            return Ablated(report, await left_behind(room))

    return asyncio.run(run())


@pytest.fixture
def ablated(played_out: Ablated) -> AssistantReport:
    return played_out.report


async def left_behind(room: OfflineAssistant) -> list[str]:
    """What is still there of the guests that played."""
    core = room.service.core
    guests = [user for user in await core.users.list() if user.name.startswith("eval guest")]
    assert guests
    found = [path.name for path in (core.choices.data_dir / "workspaces").glob("*")]
    for user in guests:
        found += [each.id for each in await room.service.runs.sessions.list(user_id=user.id)]
        found += [each.path for each in await room.service.memory_files.list(user.id)]
    return found


@pytest.mark.requirement("AS-686")
def test_the_trace_tells_what_was_done(ablated: AssistantReport) -> None:
    """Skills by tier, files and memory that were read, and guardrails that passed."""
    baseline = ablated.results[0]
    assert len(baseline.conduct.skills) >= 2
    assert baseline.conduct.skill_files
    assert "classes/3B.md" in baseline.conduct.files_read
    assert baseline.conduct.memory_reads > 0
    assert baseline.conduct.prompt_tokens["class_memory"] > 0
    # Three guardrails, two of them again after the revision.
    assert baseline.conduct.guardrails_passed == baseline.conduct.guardrails_run == 5
    behavioural = {
        each.criterion: each.score for each in baseline.findings if each.kind == "behavioural"
    }
    assert behavioural == {
        "skills read": 1.0,
        "skill files read": 1.0,
        "workspace read": 1.0,
        "memory read": 1.0,
        "guardrails passed": 1.0,
    }


@pytest.mark.requirement("AS-687")
def test_gates_are_answered_for_the_case(ablated: AssistantReport) -> None:
    """The case's own answer first, then what Enter would say."""
    decisions = ablated.results[0].conduct.decisions
    assert decisions["feedforward confirm"] == 1
    # The second time only the revised section is asked about.
    assert decisions["adjudication accept"] == 2
    assert decisions["reflection skip"] >= 1


@pytest.mark.requirement("AS-688")
def test_ablations_show_what_a_part_is_worth(ablated: AssistantReport) -> None:
    """Each variant beside the baseline, criterion by criterion."""
    names = [BASELINE, "no skills", "no workspace", "no memory", "one agent"]
    assert [each.name for each in ablated.variants] == names
    deltas = {each.name: each.criterion_deltas for each in ablated.variants}
    assert deltas["no skills"].keys() >= {"skills read", "skill files read"}
    assert deltas["no workspace"]["evidence"] == -1.0
    assert deltas["no workspace"]["workspace read"] == -1.0
    assert deltas["no memory"]["memory"] < 0
    assert deltas["no memory"]["memory read"] == -1.0
    assert deltas["one agent"] == {}
    by_name = {each.name: each for each in ablated.variants}
    assert by_name["no memory"].memory_tokens == 0 < by_name[BASELINE].memory_tokens
    delta = by_name["no workspace"].score_delta
    assert delta is not None
    assert delta < -0.2


@pytest.mark.requirement("AS-685")
def test_without_a_model_nothing_is_judged(ablated: AssistantReport) -> None:
    """Left out with the reason, and not counted as bad."""
    assert ablated.offline
    assert ablated.skipped == ["judged: skipped: no model is there to judge"]
    assert all(each.by_kind["judged"] is None for each in ablated.variants)
    assert ablated.variants[0].score == 1.0


@pytest.mark.requirement("AS-690")
def test_a_report_can_be_read_in_three_ways(ablated: AssistantReport) -> None:
    """Markdown with deltas and costs, tables for a terminal, JSON that comes back."""
    assert "| no workspace | 1 |" in ablated.markdown
    assert "### What no skills changes" in ablated.markdown
    assert "- skills read: -1.00" in ablated.markdown
    assert "$0.0000" in ablated.markdown
    assert "computing-iteration-3b" in ablated.markdown
    data = json.loads(ablated.model_dump_json())
    assert data["markdown"] == ablated.markdown
    assert data["results"][0]["score"] == 1.0
    assert data["variants"][2]["score_delta"] == ablated.variants[2].score_delta


@pytest.mark.requirement("AS-691")
def test_cases_leave_nothing_behind(played_out: Ablated) -> None:
    """No session, memory or file; their traces stay."""
    assert played_out.left_behind == []
    assert len({result.trace_id for result in played_out.report.results}) == 5


AGENT = """---
model: claude-sonnet-4-5-20250929
provider: anthropic
description: Answers.
---
Answer.
"""
REMEMBERING = """---
skills: 0
lists:
  all: {from: memory}
---
# {topic}

{each:all}
- {text}
{end}
"""
QUIET_PLUGIN = {"agents/planner.md": AGENT, "agents/reviewer.md": AGENT}


def case(name: str = "a", **fields: object) -> EvalCase:
    made = {"name": name, "command": "lessons:create-lesson", "input": "loops for 3B", **fields}
    return EvalCase.model_validate(made)


@pytest.mark.requirement("AS-684", "AS-689", "AS-690")
async def test_a_judge_scores_by_the_rubric_and_models_are_compared(tmp_path: Path) -> None:
    """AS-684 AS-689 AS-690: over the real wire; turn and judge each with their cost."""
    verdicts = Verdicts(
        verdicts=[
            RubricVerdict(criterion="It is clear.", score=5, reason="All of it."),
            RubricVerdict(criterion="It is kind.", score=2, reason="The first line."),
        ]
    )
    rubric = ["It is clear.", "It is kind."]
    async with LoopbackApi() as api, open_offline(tmp_path, api=api) as room:
        put_plugin(tmp_path / "data" / "plugins", files=QUIET_PLUGIN)
        api.reply(
            json=verdicts.model_dump(),
            times=2,
            when=lambda request: "output_config" in request.body,
        )
        asked = case(expect={"rubric": rubric, "mentions": ["echo"]})
        other = "anthropic:claude-haiku-4-5-20251001"
        report = await evaluate(room, asked, models=[other])
        judged = [json.loads(json.dumps(each.body)) for each in api.requests]
    baseline = report.results[0]
    assert not report.offline
    assert [each.score for each in baseline.findings if each.kind is AssistantKind.JUDGED] == [
        1.0,
        0.25,
    ]
    assert finding(baseline, "It is kind.").note == "The first line."
    assert baseline.cost > 0
    assert baseline.judge_cost > 0
    assert [each.name for each in report.variants] == [BASELINE, other]
    assert {body["model"] for body in judged} >= {
        "claude-sonnet-4-5-20250929",
        "claude-haiku-4-5-20251001",
    }
    delta = report.variants[1].cost_delta
    assert delta is not None
    assert delta < 0
    assert f"{delta:+.4f}" in report.markdown


@pytest.mark.requirement("AS-684")
def test_verdicts_find_their_criteria() -> None:
    """By their words, else by their place; one that is left out is not made up."""
    one, two = (RubricVerdict(criterion=name, score=3, reason="r") for name in ("B", "reworded"))
    assert in_order(["a", "b"], Verdicts(verdicts=[two, one])) == [two, one]
    assert in_order(["a", "b"], Verdicts(verdicts=[one])) == [None, one]


@pytest.mark.requirement("AS-692", "AS-691")
async def test_one_broken_case_does_not_cost_the_others(tmp_path: Path) -> None:
    """AS-692 AS-691: its error is its result; and no case knows what another remembered."""
    async with open_offline(tmp_path) as room:
        put_plugin(tmp_path / "data" / "plugins", files=QUIET_PLUGIN)
        folder = tmp_path / "data" / "plugins" / "lessons" / "offline"
        folder.mkdir()
        (folder / "create-lesson.md").write_text(REMEMBERING)
        remembered = case("b", memory={"MEMORY.md": "- They love drumming on tables.\n"})
        report = await evaluate(
            room,
            case("a", command="lessons:nothing"),
            remembered.model_copy(update={"expect": Expectations(memory=["drumming"])}),
            case("c", expect={"memory": ["drumming"]}),
        )
        assert await left_behind(room) == []
    broken, with_memory, without = report.results
    assert broken.status is None
    assert "nothing" in (broken.error or "")
    assert finding(broken, "ended well").score == 0.0
    assert finding(with_memory, "memory").score == 1.0
    assert finding(without, "memory").score == 0.0
    assert "failed" in report.markdown


@pytest.mark.requirement("AS-692")
async def test_a_fault_of_ours_is_a_result_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a case comes to, the report has it."""
    play = Player.play

    async def stumble(player: Player, asked: EvalCase, variant: Variant) -> Played:
        if asked.name == "a":
            raise RuntimeError("the floor gave way")
        return await play(player, asked, variant)

    monkeypatch.setattr(Player, "play", stumble)
    async with open_offline(tmp_path) as room:
        put_plugin(tmp_path / "data" / "plugins", files=QUIET_PLUGIN)
        report = await evaluate(room, case("a"), case("b"))
    by_name = {result.case: result for result in report.results}
    assert "the floor gave way" in (by_name["a"].error or "")
    assert by_name["a"].score is None
    assert by_name["b"].error is None


@pytest.mark.requirement("AS-694")
async def test_offline_drafts_of_every_subject_have_what_is_expected(tmp_path: Path) -> None:
    """One case of each subject, one that refines, one review; by rules and by the trace."""
    names = (*(f"{subject}-" for subject in SUBJECTS[1:]), "refine-", "review-sql")
    cases = await load_cases()
    chosen = [next(case for case in cases if case.name.startswith(name)) for name in names]
    async with open_offline(tmp_path) as room:
        report = await evaluate(room, *chosen, judge=False)
    weak = {
        result.case: [(each.criterion, each.note) for each in result.findings if each.score != 1.0]
        for result in report.results
    }
    judged = {
        each.kind for result in report.results for each in result.findings if each.score is None
    }
    assert judged == {AssistantKind.JUDGED}
    assert {
        name: [each for each in found if "switched off" not in each[1]]
        for name, found in weak.items()
    } == {case.name: [] for case in chosen}
