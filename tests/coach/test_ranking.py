"""Issues ranked, and things to read found, without a model."""

import pytest

from bottega.coach.dashboard.issues import (
    AssessedIssue,
    OpenGap,
    OpenIssue,
    Profile,
    RecentIssue,
    SkillStage,
    estimate_difficulty,
    issue_assessment,
    prompt,
    rank,
)
from bottega.coach.dashboard.materials import (
    WEB_SEARCH_TOOL,
    FoundResource,
    GapToStudy,
    LearningMaterials,
    RecommendedReading,
    Study,
    addresses,
    learning_materials,
    pages,
    pages_about,
    recommend,
    tech_stack,
    with_real_addresses,
)
from bottega.coach.enums import Difficulty, Stage
from bottega.core.files.tree import TreeNode
from bottega.core.llm.tasks import Tier

TYPO = OpenIssue(1, "Typo in the README", "It says *tabel*.", ("documentation",))
CENTS = OpenIssue(
    2, "Cents get lost when a sum is split", "Rounding of floating point sums is wrong.", ("bug",)
)
RACE = OpenIssue(3, "Race condition in the scheduler", "Two threads deadlock.", ("concurrency",))


def assess(*issues: OpenIssue, **profile: object) -> dict[int, AssessedIssue]:
    found = rank(Profile(issues=issues, **profile))  # type: ignore[arg-type]
    return {issue.number: issue for issue in found.issues}


@pytest.mark.parametrize(
    ("issue", "difficulty"),
    [
        (TYPO, Difficulty.BEGINNER),
        (CENTS, Difficulty.BEGINNER),
        (RACE, Difficulty.ADVANCED),
        (OpenIssue(4, "Cache grows", "…"), Difficulty.ADVANCED),
        (OpenIssue(5, "Tidy up", "x" * 2_000), Difficulty.INTERMEDIATE),
        (OpenIssue(6, "Race", "deadlock", ("good first issue",)), Difficulty.BEGINNER),
    ],
)
def test_difficulty_is_read_from_labels_words_and_length(
    issue: OpenIssue, difficulty: Difficulty
) -> None:
    assert estimate_difficulty(issue) == difficulty


@pytest.mark.requirement("SC-085")
@pytest.mark.parametrize(
    ("stage", "fits"),
    [
        (Stage.NOVICE, ["good_fit", "too_advanced"]),
        (Stage.COMPETENT, ["good_fit", "stretch"]),
        (Stage.EXPERT, ["good_fit", "good_fit"]),
    ],
)
def test_suitability_follows_the_learners_stage(stage: Stage, fits: list[str]) -> None:
    """The same two issues, for a novice, someone competent and an expert."""
    found = assess(TYPO, RACE, skills=(SkillStage("Python", stage, 0.8),))
    assert [found[1].suitability, found[3].suitability] == fits
    assert stage.words in found[1].suitability_reason


def test_someone_of_whom_nothing_is_known_is_a_novice_and_told_so() -> None:
    assert "nothing is known of you yet" in assess(RACE)[3].suitability_reason


@pytest.mark.requirement("CO-07")
def test_each_factor_lifts_an_issue_and_is_reported() -> None:
    """Assigned, a gap, recent work: each alone puts an issue first."""
    plain, other = OpenIssue(8, "Rename a button", ""), OpenIssue(9, "Sort the guest list", "")
    assert list(assess(plain, other)) == [8, 9]

    tagged = OpenIssue(9, "Sort the guest list", "", user_tagged=True)
    by_tag = assess(plain, tagged)
    assert list(by_tag) == [9, 8]
    assert by_tag[9].priority_factors.user_tagged

    by_gap = assess(plain, other, gaps=(OpenGap("Sorting by key", "high"),))
    assert list(by_gap) == [9, 8]
    assert by_gap[9].priority_factors.addresses_knowledge_gap
    assert "Sorting by key" in by_gap[9].learning_opportunities
    assert "Sorting by key" in by_gap[9].suitability_reason

    recent = (RecentIssue("The guest list is not sorted", None),)
    by_recent = assess(plain, other, recent_sessions=recent)
    assert list(by_recent) == [9, 8]
    assert by_recent[9].priority_factors.similar_to_recent_work
    assert by_recent[9].priority_score > by_recent[8].priority_score


@pytest.mark.requirement("FR-173")
def test_at_most_ten_issues_are_chosen_and_none_is_made_up() -> None:
    issues = [OpenIssue(number, f"Issue {number}", "") for number in range(1, 31)]
    found = rank(Profile(issues=tuple(issues))).issues
    assert len(found) == 10
    assert {issue.number for issue in found} <= set(range(1, 31))


@pytest.mark.requirement("EC-84")
def test_no_issues_are_no_issues() -> None:
    assert rank(Profile(issues=())).issues == []


@pytest.mark.requirement("FR-183", "FR-174")
def test_the_issue_task_gives_the_model_everything_about_the_learner() -> None:
    """A typed task whose prompt has the five parts."""
    profile = Profile(
        issues=(CENTS,),
        skills=(SkillStage("Python", Stage.COMPETENT, 0.6),),
        recent_sessions=(RecentIssue("Split the bill", "2026-01-01"),),
        gaps=(OpenGap("Money", "high"),),
        memories=("Struggled with floats.",),
    )
    told = prompt(profile)
    for part in ("Cents get lost", "competent", "Split the bill", "Money", "Struggled with floats"):
        assert part in told
    assert issue_assessment.tier == Tier.STRONG
    assert "too_advanced" in issue_assessment.instructions


@pytest.mark.requirement("FR-184", "FR-163")
def test_the_materials_task_may_search_and_knows_the_stage() -> None:
    """The stage is in the instructions, the search tool beside the task."""
    assert WEB_SEARCH_TOOL == {"type": "web_search_20250305", "name": "web_search"}
    novice, expert = learning_materials(Stage.NOVICE), learning_materials(Stage.EXPERT)
    assert "novice" in novice.instructions
    assert novice.instructions != expert.instructions
    assert learning_materials(Stage.NOVICE) is novice


@pytest.mark.parametrize(
    ("topic", "address"),
    [
        ("Floating point money", "floatingpoint"),
        ("Regular expressions", "howto/regex"),
        ("Async error handling", "asyncio-task"),
        ("Binary search", "bisect"),
        ("React state management", "managing-state"),
        ("Mutable default arguments", "controlflow"),
        ("Context managers", "contextlib"),
    ],
)
def test_the_fitting_page_comes_first(topic: str, address: str) -> None:
    assert address in pages_about(GapToStudy(topic, "high"), "python")[0].url


def test_pages_of_the_projects_own_language_come_first() -> None:
    gap = GapToStudy("Closures", "low")
    assert pages_about(gap, "javascript")[0].language == "javascript"
    assert pages_about(gap, "python")[0].language == "python"


def test_nothing_is_recommended_where_the_list_has_nothing() -> None:
    study = Study((GapToStudy("Kerning of display typefaces", "low"),), "python")
    assert recommend(study).recommendations == []


def test_a_kata_on_the_topic_is_named() -> None:
    study = Study((GapToStudy("Regular expressions", "low"),), "python", ("Regular tides",))
    [found] = recommend(study).recommendations
    assert found.practice_connection == "Then try the kata “Regular tides”."
    assert {resource.url for resource in found.resources} <= addresses()


def test_our_list_has_each_address_once_and_all_are_secure() -> None:
    assert len(addresses()) == len(pages()) >= 50
    assert all(address.startswith("https://") for address in addresses())


@pytest.mark.requirement("SC-086", "EC-87")
def test_an_address_that_nobody_found_is_not_shown() -> None:
    """What the search returned, and what we ship; nothing from memory."""

    def resource(url: str) -> FoundResource:
        return FoundResource(
            type="article",
            title="…",
            url=url,
            description="…",
            relevance="direct",
            estimated_time="1 hour",
        )

    shipped = pages()[0].url
    urls = ["https://found.example/a", shipped, "https://invented.example/b"]
    materials = LearningMaterials(
        recommendations=[
            RecommendedReading(
                knowledge_gap="Money",
                resources=[resource(url) for url in urls],
                study_order="…",
                practice_connection=None,
            )
        ]
    )
    [shown] = with_real_addresses(materials, {"https://found.example/a"} | addresses())
    assert [resource.url for resource in shown.resources] == urls[:2]


def test_the_tech_stack_is_the_languages_that_are_code() -> None:
    def file(path: str) -> TreeNode:
        return {"name": path, "path": path, "type": "file"}

    names = ["a.py", "b.py", "c.ts", "README.md", "x.json", "y.json", "z.json"]
    tree: TreeNode = {
        "name": "p",
        "path": "",
        "type": "directory",
        "children": [file(name) for name in names],
    }
    assert tech_stack(tree) == "python, typescript"
