"""Stage 2: what the library has on each sub-query, and what that leads to."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bottega.errors import Unavailable
from bottega.library.service import Answerability, Hit, Kind, LibraryService, ParagraphView, Role
from bottega.research.agents.definition import Depth, FollowUpConfig, StageName
from bottega.research.pipeline.outputs import QueryPlan, Retrieval, SubQuery
from bottega.research.pipeline.stage import Known
from bottega.research.stages.answerability import combine
from bottega.research.stages.gathering import Gathered
from bottega.research.stages.retrieve import retrieve
from bottega.research.talking.prior import PriorResearch, PriorSection
from tests.research.direct_calls import AGENT, CONFIG, DirectCalls, parts_of, stage_context
from tests.research.house import ResearchHouse, open_research_house

DECLARE = "When must dangerous goods be declared?"
#: Questions of two parts over the example standards, and whether it holds an answer to them.
TWO_PARTS = {
    "When does the lock open, and what does an opening at night cost?": True,
    "Who may work the crane and how much does it lift?": True,
    "How long may cargo stand on the quay, and who pays for storing it afterwards?": True,
    "How long is the harbour log kept and who may read it?": True,
    "When must dues be paid and how high is the interest on late payment?": True,
    "What is the speed limit inside the breakwater? What is the penalty for going faster?": True,
    "Where is fuel taken in, and what must I do if I spill fuel?": True,
    "How many vessels fit in the lock and in which order do they enter?": True,
    "What does the berth pass cost and what colour is it?": False,
    "Who paints the lighthouse, and how tall is it?": False,
    "Where can I park my car and is there a restaurant near the quay?": False,
    "What is the salary of the lock keeper, and how many holidays does the pilot get?": False,
    "Which insurance does a visitor need and who checks the engine's emissions?": False,
    "How deep is the fairway, and how wide is the harbour entrance?": False,
    "Is there wireless internet at the berths and what is the password?": False,
    "Who elects the council and how long is a term of office?": False,
}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[ResearchHouse]:
    async with open_research_house(tmp_path) as house:
        yield house


def plan_of(question: str, *sub_queries: SubQuery) -> QueryPlan:
    return QueryPlan(
        original_query=question,
        clarity_score=0.9,
        recommended_action="proceed",
        sub_queries=list(sub_queries) or [SubQuery(query=question)],
    )


async def retrieved(
    house: ResearchHouse,
    plan: QueryPlan,
    *,
    depth: Depth = Depth.STANDARD,
    calls: DirectCalls | None = None,
    prior: PriorResearch | None = None,
    replies: tuple[str, ...] = (),
    libraries: LibraryService | None = None,
    delta: bool = True,
) -> Retrieval:
    follow_up = FollowUpConfig.model_validate({"deltaRetrieval": delta})
    config = CONFIG.model_copy(update={"follow_up": follow_up})
    context = stage_context(
        house,
        plan.original_query,
        stage=StageName.RETRIEVE,
        depth=depth,
        known=Known(plan=plan),
        calls=calls,
        prior=prior,
        replies=replies,
        agent=replace(AGENT, config=config),
    )
    parts = parts_of(house)
    return await retrieve(replace(parts, libraries=libraries or parts.libraries), context)


async def test_each_sub_query_is_one_search(tmp_path: Path, database_url: str) -> None:
    """RS-241: with the depth's number, held to its standards; guides are asked for context."""
    plan = plan_of(
        DECLARE,
        SubQuery(query="dangerous goods", standards=["450"]),
        SubQuery(query="distress flares", role=Role.CONTEXT),
    )
    async with open_research_house(tmp_path, database_url=database_url) as house:
        calls = DirectCalls(house.core)
        found = await retrieved(house, plan, depth=Depth.QUICK, calls=calls)
    first, second = calls.made("orch_kb_search")[:2]
    assert first.input == {"query": "dangerous goods", "role": "primary", "standards": ["450"]}
    assert first.shown.startswith("10 found: 450.")
    assert second.shown.startswith("10 found: G1.4.2")
    by_search = [each for each in found.paragraphs if not each.paths[0].startswith(("hop", "bel"))]
    primary = [each for each in by_search if each.role is Role.PRIMARY]
    assert {each.paragraph.ref.partition(".")[0] for each in primary} == {"450"}
    context = [each for each in by_search if each.role is Role.CONTEXT]
    assert {each.paragraph.kind for each in context} == {Kind.GUIDE}
    assert all("guide" in each.paths for each in context)


async def test_hops_lead_on_from_the_best(house: ResearchHouse) -> None:
    """RS-242: from one paragraph in quick research, from three in standard, each its own family."""
    for depth, starts in ((Depth.QUICK, 1), (Depth.STANDARD, 3)):
        calls = DirectCalls(house.core)
        found = await retrieved(house, plan_of(DECLARE), depth=depth, calls=calls)
        hops = [each for each in calls.made("orch_hop_retrieve") if "paragraph" in each.input]
        assert len(hops) == starts
        assert hops[0].input["paragraph"] == "315.12"
        assert len({each.input["paragraph"].partition("(")[0] for each in hops}) == starts
    assert any("hop:315.12" in each.paths for each in found.paragraphs)


def test_a_paragraph_stands_once_with_its_best_role_and_score() -> None:
    """RS-243: and with every path that led to it; scores of two searches are made comparable."""

    def hit(ref: str, score: float) -> Hit:
        paragraph = ParagraphView(
            id=ref,
            ref=ref,
            text="x",
            headings=[],
            start=None,
            document_id="d",
            document="D",
            path="d.md",
            kind=Kind.STANDARD,
        )
        return Hit(paragraph=paragraph, score=score, rrf_score=0, paths=["keyword"])

    gathered = Gathered()
    gathered.add_hits(SubQuery(query="b", role=Role.CONTEXT), [hit("1", 40), hit("2", 20)])
    gathered.add_hits(SubQuery(query="a"), [hit("3", 0.4), hit("1", 0.1)])
    ranked = gathered.ranked()
    assert [(each.paragraph.ref, each.role.value, each.score) for each in ranked] == [
        ("3", "primary", 1.0),
        ("1", "primary", 0.5),
        ("2", "context", 0.25),
    ]
    assert ranked[1].paths == ["guide", "keyword"]
    assert ranked[1].sub_query == "b"
    assert gathered.total == 4


async def test_retrieval_counts_what_it_found(house: ResearchHouse) -> None:
    """RS-244: before and after repeats, by role, with the documents covered."""
    plan = plan_of(
        DECLARE, SubQuery(query=DECLARE), SubQuery(query="declaration", role=Role.SUPPORTING)
    )
    found = await retrieved(house, plan)
    assert found.unique_after_dedup == len(found.paragraphs)
    assert len({each.paragraph.id for each in found.paragraphs}) == len(found.paragraphs)
    assert found.total_paragraphs_found > found.unique_after_dedup
    assert sum(found.role_counts.values()) == found.unique_after_dedup
    assert found.standards_covered[0] == "Cargo and dangerous goods"
    scores = [each.score for each in found.paragraphs]
    assert scores == sorted(scores, reverse=True)


async def test_a_sub_query_that_finds_nothing_is_skipped(house: ResearchHouse) -> None:
    """RS-245: with the reason; the others are answered."""
    plan = plan_of(DECLARE, SubQuery(query=DECLARE), SubQuery(query=" ", role=Role.SUPPORTING))
    found = await retrieved(house, plan)
    assert len(found.skipped_sub_queries) == 1
    assert "The query is empty" in found.skipped_sub_queries[0]
    assert found.paragraphs[0].paragraph.ref == "315.12"


async def test_when_no_search_works_the_stage_fails(house: ResearchHouse) -> None:
    """RS-245: that is a fault to be told, and no sign that there is no answer."""
    with pytest.raises(Unavailable, match="No search in the library worked"):
        await retrieved(house, plan_of(DECLARE, SubQuery(query=" ")))


async def test_what_was_cited_before_is_not_fetched_again(house: ResearchHouse) -> None:
    """RS-246: it is listed instead, unless the agent wants it all."""
    section = PriorSection(label="P1", heading="Sea", excerpt="72 hours.", run_id="r")
    prior = PriorResearch(question="?", sections=[section], cited=["315.12(a)", "999.1"])
    found = await retrieved(house, plan_of(DECLARE), prior=prior)
    refs = [each.paragraph.ref for each in found.paragraphs]
    assert "315.12(a)" not in refs
    assert "315.12(b)" in refs
    assert found.prior_cited == ["315.12(a)"]
    whole = await retrieved(house, plan_of(DECLARE), prior=prior, delta=False)
    assert "315.12(a)" in [each.paragraph.ref for each in whole.paragraphs]
    assert whole.prior_cited == []


async def test_leads_and_items_come_together(house: ResearchHouse) -> None:
    """RS-247: whichever of them was found."""
    question = "by works on the quay"
    found = await retrieved(house, plan_of(question), depth=Depth.QUICK)
    refs = [each.paragraph.ref for each in found.paragraphs]
    assert {"210.17", "210.17(b)"} <= set(refs)
    plan = plan_of("declare to the harbour master", SubQuery(query="315.12"))
    found = await retrieved(house, plan, depth=Depth.QUICK)
    refs = [each.paragraph.ref for each in found.paragraphs]
    assert {"315.12(a)", "315.12(b)", "315.12(c)"} <= set(refs)


async def test_a_document_that_is_not_there_holds_nothing_back(house: ResearchHouse) -> None:
    """RS-249: the person may have named what nobody has."""
    plan = plan_of(DECLARE, SubQuery(query=DECLARE, standards=["999"]))
    found = await retrieved(house, plan)
    assert found.skipped_sub_queries == []
    assert found.paragraphs[0].paragraph.ref == "315.12"


async def test_questions_of_two_parts_are_judged_part_by_part(house: ResearchHouse) -> None:
    """RS-248: neither refused for having two parts nor answered for one word that is there."""
    judged = {
        question: (await retrieved(house, plan_of(question), depth=Depth.QUICK)).answerable
        for question in TWO_PARTS
    }
    assert judged == TWO_PARTS


@pytest.mark.parametrize(
    ("wholes", "parts", "answerable", "confidence"),
    [
        ([0.8], [], True, 0.8),
        ([0.4], [], False, 0.4),
        ([0.3], [0.2, 0.9], True, 0.9),
        ([0.2], [0.2, 0.9], False, 0.2),
        ([0.1, 0.7], [], True, 0.7),
    ],
)
def test_the_judgements_are_put_together_by_one_rule(
    wholes: list[float], parts: list[float], answerable: bool, confidence: float
) -> None:
    """RS-248: a part carries the question only if the whole is not far from an answer."""

    def judged(confidence: float) -> Answerability:
        return Answerability(
            answerable=confidence >= 0.5,
            confidence=confidence,
            reasons=[f"{confidence}"],
            best=None,
        )

    found = combine([judged(each) for each in wholes], [judged(each) for each in parts])
    assert (found.answerable, found.confidence) == (answerable, confidence)
    assert answerable or found.reasons == [f"{wholes[0]}"]


async def test_what_a_person_added_counts(house: ResearchHouse) -> None:
    """RS-250: a vague question becomes one that has an answer."""
    vague = plan_of("Is it allowed?")
    alone = await retrieved(house, vague)
    assert not alone.answerable
    assert alone.reasons == ["The question does not say what “it” stands for."]
    added = await retrieved(house, vague, replies=("proceed", "swimming in the fairway"))
    assert added.answerable
