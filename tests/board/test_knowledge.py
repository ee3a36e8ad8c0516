"""Three tiers of memory: recorded, handed over, judged by what came of it, promoted."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.board.changes.agent_types import AgentType
from bottega.board.knowledge import outcomes
from bottega.board.knowledge.context import ContextCandidate, ContextItem, assemble
from bottega.board.knowledge.schemas import (
    BoardTier,
    GlobalItem,
    KnowledgeListRequest,
    NewKnowledge,
    ProjectItem,
    TaskCategory,
    TaskItem,
)
from bottega.board.knowledge.service import Knowledge
from bottega.board.knowledge.tables import HANDED_OVER_FROM, GlobalKnowledge
from bottega.board.knowledge.texts import says_the_same, similarities
from bottega.core.services import Core
from bottega.core.text.words import estimate_tokens
from bottega.errors import InvalidInput, NotFound
from tests.board.builders import (
    add_change,
    add_project,
    add_session,
    global_row,
    lesson,
    open_board,
    pattern,
    project_row,
)

CENTS = "Keep every amount of money in whole cents."


@pytest.fixture
async def core(tmp_path: Path, database_url: str) -> AsyncIterator[Core]:
    async with open_board(tmp_path, database_url=database_url, projects={}) as app:
        await add_project(app.core, "bakery")
        yield app.core


@pytest.fixture
def knowledge(core: Core) -> Knowledge:
    return Knowledge(core)


async def attempt(
    knowledge: Knowledge, category: TaskCategory, content: str, session_id: str | None = None
) -> TaskItem:
    recorded = await knowledge.record(
        NewKnowledge(
            tier=BoardTier.TASK,
            category=category,
            content=content,
            project_id="bakery",
            change_id="add-discounts",
            session_id=session_id,
        )
    )
    assert isinstance(recorded.item, TaskItem)
    return recorded.item


async def add_global(core: Core, number: int, **values: object) -> GlobalKnowledge:
    row = GlobalKnowledge(
        **{
            "category": "pattern",
            "key": f"key_{number}",
            "title": f"Title {number}",
            "content": f"Content {number}",
            "confidence": 7,
            **values,
        }
    )
    async with core.database.write() as session:
        session.add(row)
    return row


async def use(core: Core, knowledge: Knowledge, item: ContextItem, change_id: str) -> None:
    change = await add_change(core, "bakery", change_id)
    await knowledge.used(change, [item])


@pytest.mark.requirement("BD-501")
async def test_a_tasks_memory_is_appended_line_by_line(core: Core, knowledge: Knowledge) -> None:
    """Each line is kept with its session, the same one twice too."""
    await add_change(core, "bakery", "add-discounts")
    await add_session(core, "s1")
    first = await attempt(knowledge, TaskCategory.CHALLENGE, "The total is a float.", "s1")
    second = await attempt(knowledge, TaskCategory.CHALLENGE, "The total is a float.", "s1")
    assert first.id != second.id
    asked = KnowledgeListRequest(
        tier=BoardTier.TASK, project_id="bakery", change_id="add-discounts"
    )
    page = await knowledge.curation.list(asked)
    assert [(item.id, item.content) for item in page.items] == [
        (second.id, "The total is a float."),
        (first.id, "The total is a float."),
    ]
    assert isinstance(page.items[0], TaskItem)
    assert page.items[0].session_id == "s1"


@pytest.mark.requirement("BD-502")
async def test_a_projects_memory_has_one_item_for_a_key(core: Core, knowledge: Knowledge) -> None:
    """The newer text stands, the older is handed back."""
    old = await knowledge.record(lesson("Prices are in prices.csv.", "bakery", key="prices"))
    new = await knowledge.record(lesson("Prices come from the shop's API.", "bakery", key="prices"))
    assert (old.is_new, new.is_new) == (True, False)
    assert new.item.id == old.item.id
    assert new.item.content == "Prices come from the shop's API."
    assert new.replaced == "Prices are in prices.csv."
    elsewhere = await knowledge.record(
        lesson("Prices are columns.", "bakery", key="prices", category="naming")
    )
    assert elsewhere.is_new


@pytest.mark.requirement("BD-502")
async def test_what_only_begins_with_the_same_words_replaces_nothing(
    core: Core, knowledge: Knowledge
) -> None:
    """A key that was made of the first words is no choice of anybody's."""
    begin = "When an order is paid for at the counter "
    for make in (lambda text: lesson(text, "bakery"), pattern):
        first = await knowledge.record(make(begin + "print a receipt and open the drawer."))
        second = await knowledge.record(make(begin + "never ask for the customer's name."))
        again = await knowledge.record(make(begin + "never ask for the customer's name."))
        assert (second.is_new, second.replaced) == (True, None)
        assert (again.is_new, again.item.id) == (False, second.item.id)
        assert (await knowledge.curation.get(first.item.tier, first.item.id)) == first.item


@pytest.mark.requirement("BD-503")
async def test_global_knowledge_met_again_gains_evidence_but_no_usage(
    core: Core, knowledge: Knowledge
) -> None:
    """By key; a source counts once."""
    await add_change(core, "bakery", "add-discounts")
    await add_change(core, "bakery", "add-taxes")
    first = await knowledge.record(
        pattern(CENTS, key="cents", project_id="bakery", change_id="add-discounts")
    )
    for _ in range(2):
        again = await knowledge.record(
            pattern("Money is cents.", key="cents", project_id="bakery", change_id="add-taxes")
        )
    assert again.item.id == first.item.id
    assert isinstance(again.item, GlobalItem)
    assert again.item.content == CENTS
    assert (again.item.confidence, again.item.usage_count) == (6, 0)
    assert [line.split(" · ")[0] for line in again.item.evidence] == [
        "bakery/add-discounts",
        "bakery/add-taxes",
    ]


@pytest.mark.requirement("BD-504")
async def test_a_tier_refuses_what_is_not_its_own(core: Core, knowledge: Knowledge) -> None:
    """Categories with the valid ones, unknown changes, projects and sessions."""
    with pytest.raises(InvalidInput, match="'solution' is no category of the project tier") as bad:
        await knowledge.record(lesson("x", "bakery", category="solution"))
    assert bad.value.details["valid_options"] == [
        "architecture",
        "naming",
        "business_logic",
        "file_structure",
        "dependencies",
    ]
    with pytest.raises(NotFound, match="no change 'add-discounts'"):
        await attempt(knowledge, TaskCategory.DECISION, "x")
    with pytest.raises(NotFound, match="no project 'nowhere'"):
        await knowledge.record(lesson("x", "nowhere"))
    await add_change(core, "bakery", "add-discounts")
    with pytest.raises(NotFound, match="no session 'nobody'"):
        await attempt(knowledge, TaskCategory.DECISION, "x", "nobody")
    with pytest.raises(InvalidInput, match="project_id is missing"):
        await knowledge.record(
            NewKnowledge(tier=BoardTier.PROJECT, category="naming", content="Nothing is named.")
        )


@pytest.mark.requirement("BD-529")
async def test_each_tier_is_searched_by_the_words_of_its_items(
    core: Core, knowledge: Knowledge
) -> None:
    """All words, anywhere in the key, the title or the text, in any order."""
    await add_change(core, "bakery", "add-discounts")
    await attempt(knowledge, TaskCategory.DECISION, CENTS)
    await attempt(knowledge, TaskCategory.CHALLENGE, "The clock of the till is wrong.")
    await knowledge.record(lesson(CENTS, "bakery", "add-discounts"))
    await add_global(core, 1, title="Money", content=CENTS)
    for tier in BoardTier:
        for words, found in (("WHOLE money", 1), ("whole ovens", 0), ("100%", 0)):
            page = await knowledge.curation.list(KnowledgeListRequest(tier=tier, search=words))
            assert len(page.items) == found, (tier, words)


@pytest.mark.requirement("BD-505")
async def test_two_who_record_one_key_at_once_make_one_item(
    core: Core, knowledge: Knowledge
) -> None:
    """Whoever is second meets the first's."""
    for number in range(8):
        await add_change(core, "bakery", f"change-{number}")
    recorded = await asyncio.gather(
        *(
            knowledge.record(
                pattern(CENTS, key="cents", project_id="bakery", change_id=f"change-{number}")
            )
            for number in range(8)
        )
    )
    assert len({each.item.id for each in recorded}) == 1
    assert sum(each.is_new for each in recorded) == 1
    row = await global_row(core, recorded[0].item.id)
    assert len(row.evidence) == 8
    assert row.confidence == 10


@pytest.mark.requirement("BD-506", "BD-507")
async def test_only_proven_global_knowledge_is_handed_over_the_most_used_first(
    core: Core, knowledge: Knowledge
) -> None:
    await add_global(core, 100, confidence=6, usage_count=99)
    await add_global(core, 101, success_rate=79, usage_count=99)
    for number in range(12):
        await add_global(core, number, usage_count=number, success_rate=80)
    found = await knowledge.context("bakery", "none", AgentType.GENERAL_PURPOSE, 4_000)
    titles = [line[4:] for line in found.text.splitlines() if line.startswith("### ")]
    assert titles == [f"Title {number}" for number in range(11, 1, -1)]


@pytest.mark.requirement("BD-508")
async def test_the_agents_type_filters_global_knowledge(core: Core, knowledge: Knowledge) -> None:
    """By tags or else by the title; what names no subject is for everybody."""
    await add_global(core, 1, title="Routers", tags=["tRPC"])
    await add_global(core, 2, title="Waiting", tags=["Playwright", "CI"])
    await add_global(core, 3, title="Write a migration for every schema change", tags=[])
    await add_global(core, 4, title="Leave it simpler than it was", tags=[])
    await add_global(core, 5, title="Forms", tags=["accessibility"])

    async def told(agent_type: AgentType) -> set[str]:
        found = await knowledge.context("bakery", "none", agent_type, 4_000)
        return {line[4:10] for line in found.text.splitlines() if line.startswith("### ")}

    assert await told(AgentType.T3_STACK_DEVELOPER) == {"Router", "Leave "}
    assert await told(AgentType.E2E_TEST_ENGINEER) == {"Waitin", "Leave "}
    assert await told(AgentType.DATABASE_ARCHITECT) == {"Write ", "Leave "}
    assert await told(AgentType.UX_DESIGN_SPECIALIST) == {"Forms", "Leave "}
    assert len(await told(AgentType.GENERAL_PURPOSE)) == 5


@pytest.mark.requirement("BD-509")
async def test_a_projects_memory_is_handed_over_in_that_project_only(
    core: Core, knowledge: Knowledge
) -> None:
    """From relevance 7, the most relevant first."""
    await add_project(core, "garage")
    await knowledge.record(lesson("Ovens are numbered.", "bakery", key="ovens", relevance=7))
    await knowledge.record(lesson("Rolls have a price.", "bakery", key="rolls", relevance=9))
    await knowledge.record(lesson("Bread is brown.", "bakery", key="bread", relevance=6))
    await knowledge.record(lesson("Tyres are round.", "garage", key="tyres", relevance=10))
    found = await knowledge.context("bakery", "none", AgentType.GENERAL_PURPOSE, 4_000)
    assert [line for line in found.text.splitlines() if line.startswith("- ")] == [
        "- **rolls**: Rolls have a price.",
        "- **ovens**: Ovens are numbered.",
    ]


@pytest.mark.requirement("BD-510", "BD-511")
async def test_earlier_attempts_are_handed_over_newest_first(
    core: Core, knowledge: Knowledge
) -> None:
    await add_change(core, "bakery", "add-discounts")
    before = await knowledge.context("bakery", "add-discounts", AgentType.GENERAL_PURPOSE, 4_000)
    assert "*No previous attempts*" in before.text
    assert before.items == ()
    await attempt(knowledge, TaskCategory.CHALLENGE, "Totals are floats.")
    await attempt(knowledge, TaskCategory.SOLUTION, "Round at the end.")
    after = await knowledge.context("bakery", "add-discounts", AgentType.GENERAL_PURPOSE, 4_000)
    assert after.text.endswith(
        "## Earlier attempts at this change\n\n"
        "- **solution**: Round at the end.\n- **challenge**: Totals are floats."
    )
    assert [line for line in after.text.splitlines() if line.startswith("#")] == [
        "# What is remembered",
        "## What has worked in every project",
        "## What is known about this project",
        "## Earlier attempts at this change",
    ]
    assert "not orders to follow" in after.text


def candidates(tier: BoardTier, number: int, size: int) -> list[ContextCandidate]:
    return [
        ContextCandidate(ContextItem(tier, f"{tier}{n}"), f"- {n:02} " + "ä" * (2 * size - 3))
        for n in range(number)
    ]


@pytest.mark.requirement("BD-512")
@pytest.mark.parametrize("budget", [0, 60, 100, 101, 150, 333, 1_000, 5_000])
def test_a_context_keeps_to_its_budget_and_cuts_whole_items(budget: int) -> None:
    """Whatever the budget, and in bytes, not letters."""
    those = {
        tier: candidates(tier, 8, size) for tier, size in zip(BoardTier, (30, 7, 55), strict=True)
    }
    found = assemble(those, budget)
    assert estimate_tokens(found.text) <= budget
    assert found.tokens == estimate_tokens(found.text)
    whole = {each.text for of_tier in those.values() for each in of_tier}
    items = [line for line in found.text.splitlines() if line.startswith("- ")]
    assert set(items) <= whole
    assert len(items) == len(found.items) == 24 - found.left_out
    if budget == 5_000:
        assert found.left_out == 0


@pytest.mark.requirement("BD-513")
def test_each_tier_has_a_share_and_leftovers_flow() -> None:
    """A tier that is full cannot push out another, and an empty one gives its part away."""
    crowded = assemble({tier: candidates(tier, 100, 10) for tier in BoardTier}, 1_000)
    counts = {tier: sum(item.tier is tier for item in crowded.items) for tier in BoardTier}
    assert counts[BoardTier.TASK] >= 18
    assert counts[BoardTier.PROJECT] >= 25
    assert counts[BoardTier.GLOBAL] >= 30
    alone = assemble({BoardTier.GLOBAL: candidates(BoardTier.GLOBAL, 100, 10)}, 1_000)
    assert len(alone.items) > 1.9 * counts[BoardTier.GLOBAL]
    # An item that does not fit its share is passed over for smaller ones, and gets what is left.
    big = ContextCandidate(ContextItem(BoardTier.TASK, "big"), "x" * 4 * 300)
    mixed = assemble({BoardTier.TASK: [big, *candidates(BoardTier.TASK, 1, 10)]}, 1_000)
    assert mixed.left_out == 0


@pytest.mark.requirement("BD-514")
async def test_what_was_handed_over_counts_once_for_each_change(
    core: Core, knowledge: Knowledge
) -> None:
    """A holder that asks again is told again, and nothing more is counted."""
    change = await add_change(core, "bakery", "add-discounts")
    everywhere = await add_global(core, 1)
    here = await knowledge.record(lesson("Ovens are numbered.", "bakery", relevance=7))
    for _ in range(2):
        found = await knowledge.context("bakery", change.id, AgentType.GENERAL_PURPOSE, 4_000)
        await knowledge.used(change, found.items)
    assert (await global_row(core, everywhere.id)).usage_count == 1
    row = await project_row(core, here.item.id)
    assert row.usage_count == 1
    assert row.last_used is not None


@pytest.mark.requirement("BD-515")
@pytest.mark.parametrize(
    ("helped", "failed", "rate"), [(0, 0, 100), (0, 1, 80), (0, 2, 67), (4, 1, 89), (10, 4, 78)]
)
def test_the_success_rate_is_the_share_of_uses_that_helped(
    helped: int, failed: int, rate: int
) -> None:
    """(4 + helped) / (4 + helped + failed), so that one early failure does not sink it."""
    assert outcomes.success_rate(helped, failed) == rate


@pytest.mark.requirement("BD-516")
async def test_knowledge_rises_to_be_handed_over_and_falls_again(
    core: Core, knowledge: Knowledge
) -> None:
    """Four uses that helped lift 5 to 7; a failure drops it below."""
    row = await add_global(core, 1, confidence=5)
    item = ContextItem(BoardTier.GLOBAL, row.id)
    seen = []
    for number, helped in enumerate([True, True, True, True, False]):
        await use(core, knowledge, item, f"change-{number}")
        await knowledge.outcome("bakery", f"change-{number}", helped)
        now = await global_row(core, row.id)
        seen.append((now.confidence, now.success_rate))
    assert seen == [(5, 100), (6, 100), (6, 100), (7, 100), (6, 89)]
    found = await knowledge.context("bakery", "none", AgentType.GENERAL_PURPOSE, 4_000)
    assert found.items == ()


@pytest.mark.requirement("BD-521")
async def test_a_projects_relevance_moves_by_the_same_rule(
    core: Core, knowledge: Knowledge
) -> None:
    recorded = await knowledge.record(lesson("Ovens are numbered.", "bakery"))
    item = ContextItem(BoardTier.PROJECT, recorded.item.id)
    seen = []
    for number, helped in enumerate([True, True, False, False]):
        await use(core, knowledge, item, f"change-{number}")
        await knowledge.outcome("bakery", f"change-{number}", helped)
        seen.append((await project_row(core, recorded.item.id)).relevance)
    assert seen == [5, 6, 5, 4]


@pytest.mark.requirement("BD-517")
async def test_what_is_found_again_independently_rises(core: Core, knowledge: Knowledge) -> None:
    """Also after it fell so low that nobody is given it."""
    row = await add_global(
        core, 1, key="cents", content=CENTS, evidence=["bakery/old · 2026-01-01"]
    )
    item = ContextItem(BoardTier.GLOBAL, row.id)
    for number in range(2):
        await use(core, knowledge, item, f"failed-{number}")
        await knowledge.outcome("bakery", f"failed-{number}", False)
    fallen = await global_row(core, row.id)
    assert (fallen.confidence, fallen.success_rate) == (5, 67)
    for number in range(4):
        await add_change(core, "bakery", f"found-{number}")
        await knowledge.record(
            pattern(CENTS, key="cents", project_id="bakery", change_id=f"found-{number}")
        )
    back = await global_row(core, row.id)
    assert (back.confidence, back.success_rate) == (9, 80)
    found = await knowledge.context("bakery", "none", AgentType.GENERAL_PURPOSE, 4_000)
    assert found.items == (item,)


@pytest.mark.requirement("BD-518")
async def test_what_an_agent_was_told_and_tells_back_confirms_nothing(
    core: Core, knowledge: Knowledge
) -> None:
    row = await add_global(core, 1, key="cents", content=CENTS, evidence=["a · 2026-01-01"])
    await use(core, knowledge, ContextItem(BoardTier.GLOBAL, row.id), "told")
    await knowledge.record(pattern(CENTS, key="cents", project_id="bakery", change_id="told"))
    unmoved = await global_row(core, row.id)
    assert (unmoved.confidence, unmoved.evidence) == (7, ["a · 2026-01-01"])


@pytest.mark.requirement("BD-519")
async def test_an_outcome_counts_once_and_the_last_word_stands(
    core: Core, knowledge: Knowledge
) -> None:
    """Applied twice is applied once; reopened afterwards, it did not help."""
    row = await add_global(core, 1)
    await use(core, knowledge, ContextItem(BoardTier.GLOBAL, row.id), "other")
    await knowledge.outcome("bakery", "other", True)
    await use(core, knowledge, ContextItem(BoardTier.GLOBAL, row.id), "add-discounts")
    for _ in range(3):
        await knowledge.outcome("bakery", "add-discounts", True)
    assert (await global_row(core, row.id)).confidence == 8
    for _ in range(3):
        await knowledge.outcome("bakery", "add-discounts", False)
    now = await global_row(core, row.id)
    assert (now.confidence, now.success_rate) == (7, outcomes.success_rate(1, 1))


@pytest.mark.requirement("BD-520")
async def test_over_many_changes_what_helps_stays_and_what_does_not_leaves(
    core: Core, knowledge: Knowledge
) -> None:
    """Simulated: nine in ten against one in two, from the same start."""
    good, bad = await add_global(core, 1), await add_global(core, 2)
    handed_over = {good.id: 0, bad.id: 0}
    for number in range(40):
        change = await add_change(core, "bakery", f"change-{number}")
        found = await knowledge.context("bakery", change.id, AgentType.GENERAL_PURPOSE, 4_000)
        for item in found.items:
            handed_over[item.id] += 1
        # Each change is given one of them, so that the outcome is that one's.
        mine = found.items[number % len(found.items)]
        await knowledge.used(change, [mine])
        helped = number % 20 < 18 if mine.id == good.id else number % 4 < 2
        await knowledge.outcome("bakery", change.id, helped)
    assert handed_over[good.id] == 40
    assert handed_over[bad.id] < 20
    proven = await global_row(core, good.id)
    assert proven.confidence >= HANDED_OVER_FROM
    assert proven.success_rate >= 90


@pytest.mark.requirement("BD-522")
async def test_an_applied_change_teaches_its_project(core: Core, knowledge: Knowledge) -> None:
    """Solutions, with the change, the session and the day; twice teaches nothing new."""
    await add_change(core, "bakery", "add-discounts")
    await add_session(core, "s1")
    await attempt(knowledge, TaskCategory.CHALLENGE, "Totals were floats.", "s1")
    await attempt(knowledge, TaskCategory.SOLUTION, CENTS, "s1")
    for _ in range(2):
        [item] = await knowledge.promote("bakery", "add-discounts")
    assert item.content == CENTS
    assert (item.category, item.relevance) == ("business_logic", 7)
    [line] = item.evidence
    assert line.startswith("bakery/add-discounts · session s1 · 20")
    found = await knowledge.context("bakery", "another", AgentType.GENERAL_PURPOSE, 4_000)
    assert CENTS in found.text


@pytest.mark.requirement("BD-523")
async def test_decisions_of_attempts_that_were_given_up_are_not_promoted(
    core: Core, knowledge: Knowledge
) -> None:
    await add_change(core, "bakery", "add-discounts")
    await add_session(core, "s1")
    await add_session(core, "s2")
    await attempt(knowledge, TaskCategory.DECISION, "Read discounts from a spreadsheet.", "s1")
    await attempt(knowledge, TaskCategory.DECISION, "Keep discounts beside the prices.", "s2")
    await attempt(knowledge, TaskCategory.SOLUTION, "Apply them after the sum.", "s2")
    promoted = await knowledge.promote("bakery", "add-discounts")
    assert {(item.category, item.content) for item in promoted} == {
        ("architecture", "Keep discounts beside the prices."),
        ("business_logic", "Apply them after the sum."),
    }


@pytest.mark.requirement("BD-524")
async def test_what_stands_in_two_projects_becomes_global(core: Core, knowledge: Knowledge) -> None:
    """With both sources as evidence; under one key a different thing stays at home."""
    await add_project(core, "garage")
    await add_change(core, "bakery", "add-discounts")
    await add_change(core, "garage", "add-invoices")
    await knowledge.record(
        lesson("Tests comparing dates freeze the clock.", "bakery", "add-discounts")
    )
    assert (await knowledge.curation.list(KnowledgeListRequest(tier=BoardTier.GLOBAL))).items == []
    await knowledge.record(
        lesson("Tests that compare dates freeze the clock.", "garage", "add-invoices")
    )
    await knowledge.record(lesson("Log in with a cookie.", "bakery", key="login"))
    await knowledge.record(lesson("Sign requests with a key pair.", "garage", key="login"))
    [item] = (await knowledge.curation.list(KnowledgeListRequest(tier=BoardTier.GLOBAL))).items
    assert isinstance(item, GlobalItem)
    assert "freeze the clock" in item.content
    assert (item.confidence, item.tags) == (6, ["tests"])
    assert {line.split(" · ")[0] for line in item.evidence} == {
        "bakery/add-discounts",
        "garage/add-invoices",
    }


@pytest.mark.requirement("BD-525")
async def test_what_helped_three_times_becomes_global(core: Core, knowledge: Knowledge) -> None:
    recorded = await knowledge.record(lesson(CENTS, "bakery", relevance=7))
    for number in range(3):
        assert (
            await knowledge.curation.list(KnowledgeListRequest(tier=BoardTier.GLOBAL))
        ).items == []
        await use(core, knowledge, ContextItem(BoardTier.PROJECT, recorded.item.id), f"c-{number}")
        await knowledge.outcome("bakery", f"c-{number}", True)
    [item] = (await knowledge.curation.list(KnowledgeListRequest(tier=BoardTier.GLOBAL))).items
    assert isinstance(item, GlobalItem)
    assert (item.content, item.category, item.source_project) == (CENTS, "lesson", "bakery")


@pytest.mark.requirement("BD-526")
async def test_near_duplicates_are_merged_and_keep_the_older_words(
    core: Core, knowledge: Knowledge
) -> None:
    """Within a project, under different keys."""
    await add_change(core, "bakery", "one")
    await add_change(core, "bakery", "two")
    first = await knowledge.record(
        lesson("Freeze the clock in tests that compare dates.", "bakery", "one")
    )
    second = await knowledge.record(
        lesson("Tests comparing dates should freeze the clock.", "bakery", "two")
    )
    third = await knowledge.record(
        lesson("Never freeze the clock in tests that compare dates.", "bakery", "two")
    )
    assert second.item.id == first.item.id != third.item.id
    assert isinstance(second.item, ProjectItem)
    assert second.item.content == "Freeze the clock in tests that compare dates."
    assert (second.item.relevance, len(second.item.evidence)) == (6, 2)


async def test_a_status_line_is_kept_in_a_tasks_log_and_refused_above_it(
    core: Core, knowledge: Knowledge
) -> None:
    """Also where the change is applied and its solutions are promoted."""
    await add_change(core, "bakery", "add-discounts")
    await attempt(knowledge, TaskCategory.SOLUTION, "All tests passed.")
    note = await attempt(knowledge, TaskCategory.SOLUTION, CENTS)
    assert [item.content for item in await knowledge.promote("bakery", "add-discounts")] == [CENTS]
    for new in (lesson("All tests passed.", "bakery"), pattern("Build succeeded.")):
        with pytest.raises(InvalidInput, match="was not kept") as refused:
            await knowledge.record(new)
        assert refused.value.details["admission"] == "refused"
    with pytest.raises(InvalidInput, match="was not kept"):
        await knowledge.curation.promote(
            BoardTier.TASK, (await attempt(knowledge, TaskCategory.SOLUTION, "ok")).id
        )
    assert note.content == CENTS


async def test_a_record_says_whether_it_was_kept_or_merged(
    core: Core, knowledge: Knowledge
) -> None:
    """In other case, under another category and key: the same text is the same item."""
    first = await knowledge.record(lesson(CENTS, "bakery", key="cents"))
    again = await knowledge.record(lesson(CENTS.upper(), "bakery", category="naming", key="other"))
    newer = await knowledge.record(lesson("Money is in cents.", "bakery", key="cents"))
    assert (first.admission, again.admission, newer.admission) == ("kept", "merged", "kept")
    assert again.item.id == first.item.id == newer.item.id
    assert (again.reason is not None, newer.replaced) == (True, CENTS)


@pytest.mark.requirement("BD-526")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("tRPC routers live in src/router.", "tRPC routers are kept in src/router.", True),
        ("Run migrations before the start.", "Run migrations after the start.", False),
        ("Index orders.customer_id.", "Index orders.created_at.", False),
        ("Retry an upload 2 times.", "Retry an upload 3 times.", False),
        ("Enable strict mode in mypy.", "Disable strict mode in mypy.", False),
    ],
)
async def test_opposites_and_other_names_are_not_the_same(
    core: Core, one: str, other: str, same: bool
) -> None:
    """Though their vectors are close."""
    [score] = await similarities(core.embedder, one, [other])
    assert score > 0.6
    assert says_the_same(one, other, score) is same
