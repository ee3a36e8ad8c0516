"""Stage 2: what the library has on each sub-query, and what that leads to."""

from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest

from bottega.core.search_types import Fit
from bottega.errors import Unavailable
from bottega.library.service import Answerability, Hit, Kind, LibraryService, ParagraphView, Role
from bottega.research.agents.definition import Depth, FollowUpConfig, StageName
from bottega.research.pipeline.context import StageOutputs
from bottega.research.pipeline.schemas import (
    PriorResearch,
    PriorSection,
    QueryPlan,
    Retrieval,
    SubQuery,
)
from bottega.research.stages.retrieve import FoundParagraphs, combine, retrieve
from tests.research.builders import ResearchApp, open_research
from tests.research.direct_calls import AGENT, CONFIG, DirectCalls, stage_context

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


def plan_of(question: str, *sub_queries: SubQuery) -> QueryPlan:
    return QueryPlan(
        original_query=question,
        clarity_score=0.9,
        recommended_action="proceed",
        sub_queries=list(sub_queries) or [SubQuery(query=question)],
    )


async def retrieved(
    app: ResearchApp,
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
        app,
        plan.original_query,
        stage=StageName.RETRIEVE,
        depth=depth,
        known=StageOutputs(plan=plan),
        calls=calls,
        prior=prior,
        replies=replies,
        agent=replace(AGENT, config=config),
    )
    if libraries is not None:
        services = replace(context.services, libraries=libraries)
        context = replace(context, services=services)
    return await retrieve(context)


@pytest.mark.requirement("RS-241")
async def test_each_sub_query_is_one_search(tmp_path: Path, database_url: str) -> None:
    """With the depth's number, held to its standards; guides are asked for context."""
    plan = plan_of(
        DECLARE,
        SubQuery(query="dangerous goods", standards=["450"]),
        SubQuery(query="distress flares", role=Role.CONTEXT),
    )
    async with open_research(tmp_path, database_url=database_url) as app:
        calls = DirectCalls(app.core)
        found = await retrieved(app, plan, depth=Depth.QUICK, calls=calls)
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


@pytest.mark.requirement("RS-242")
async def test_hops_lead_on_from_the_best(app: ResearchApp) -> None:
    """From one paragraph in quick research, from three in standard, each its own family."""
    for depth, starts in ((Depth.QUICK, 1), (Depth.STANDARD, 3)):
        calls = DirectCalls(app.core)
        found = await retrieved(app, plan_of(DECLARE), depth=depth, calls=calls)
        hops = [each for each in calls.made("orch_hop_retrieve") if "paragraph" in each.input]
        assert len(hops) == starts
        assert hops[0].input["paragraph"] == "315.12"
        assert len({each.input["paragraph"].partition("(")[0] for each in hops}) == starts
    assert any("hop:315.12" in each.paths for each in found.paragraphs)


@pytest.mark.requirement("RS-243")
def test_a_paragraph_stands_once_with_its_best_role_and_score() -> None:
    """And with every path that led to it; scores of two searches are made comparable."""

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

    gathered = FoundParagraphs()
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


@pytest.mark.requirement("RS-244")
async def test_retrieval_counts_what_it_found(app: ResearchApp) -> None:
    """Before and after repeats, by role, with the documents covered."""
    plan = plan_of(
        DECLARE, SubQuery(query=DECLARE), SubQuery(query="declaration", role=Role.SUPPORTING)
    )
    found = await retrieved(app, plan)
    assert found.unique_after_dedup == len(found.paragraphs)
    assert len({each.paragraph.id for each in found.paragraphs}) == len(found.paragraphs)
    assert found.total_paragraphs_found > found.unique_after_dedup
    assert sum(found.role_counts.values()) == found.unique_after_dedup
    assert found.standards_covered[0] == "Cargo and dangerous goods"
    scores = [each.score for each in found.paragraphs]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.requirement("RS-245")
async def test_a_sub_query_that_finds_nothing_is_skipped(app: ResearchApp) -> None:
    """With the reason; the others are answered."""
    plan = plan_of(DECLARE, SubQuery(query=DECLARE), SubQuery(query=" ", role=Role.SUPPORTING))
    found = await retrieved(app, plan)
    assert len(found.skipped_sub_queries) == 1
    assert "The query is empty" in found.skipped_sub_queries[0]
    assert found.paragraphs[0].paragraph.ref == "315.12"


@pytest.mark.requirement("RS-245")
async def test_when_no_search_works_the_stage_fails(app: ResearchApp) -> None:
    """That is a fault to be told, and no sign that there is no answer."""
    with pytest.raises(Unavailable, match="No search in the library worked"):
        await retrieved(app, plan_of(DECLARE, SubQuery(query=" ")))


@pytest.mark.requirement("RS-246")
async def test_what_was_cited_before_is_not_fetched_again(app: ResearchApp) -> None:
    """It is listed instead, unless the agent wants it all."""
    section = PriorSection(label="P1", heading="Sea", excerpt="72 hours.", run_id="r")
    prior = PriorResearch(question="?", sections=[section], cited=["315.12(a)", "999.1"])
    found = await retrieved(app, plan_of(DECLARE), prior=prior)
    refs = [each.paragraph.ref for each in found.paragraphs]
    assert "315.12(a)" not in refs
    assert "315.12(b)" in refs
    assert found.prior_cited == ["315.12(a)"]
    whole = await retrieved(app, plan_of(DECLARE), prior=prior, delta=False)
    assert "315.12(a)" in [each.paragraph.ref for each in whole.paragraphs]
    assert whole.prior_cited == []


@pytest.mark.requirement("RS-247")
async def test_leads_and_items_come_together(app: ResearchApp) -> None:
    """Whichever of them was found."""
    question = "by works on the quay"
    found = await retrieved(app, plan_of(question), depth=Depth.QUICK)
    refs = [each.paragraph.ref for each in found.paragraphs]
    assert {"210.17", "210.17(b)"} <= set(refs)
    plan = plan_of("declare to the harbour master", SubQuery(query="315.12"))
    found = await retrieved(app, plan, depth=Depth.QUICK)
    refs = [each.paragraph.ref for each in found.paragraphs]
    assert {"315.12(a)", "315.12(b)", "315.12(c)"} <= set(refs)


@pytest.mark.requirement("RS-249")
async def test_a_document_that_is_not_there_holds_nothing_back(app: ResearchApp) -> None:
    """The person may have named what nobody has."""
    plan = plan_of(DECLARE, SubQuery(query=DECLARE, standards=["999"]))
    found = await retrieved(app, plan)
    assert found.skipped_sub_queries == []
    assert found.paragraphs[0].paragraph.ref == "315.12"


@pytest.mark.requirement("RS-248")
async def test_questions_of_two_parts_are_judged_part_by_part(app: ResearchApp) -> None:
    """Neither refused for having two parts nor answered for one word that is there."""
    found = {
        question: await retrieved(app, plan_of(question), depth=Depth.QUICK)
        for question in TWO_PARTS
    }
    with_answer = [found[each] for each, has_one in TWO_PARTS.items() if has_one]
    without = [found[each] for each, has_one in TWO_PARTS.items() if not has_one]
    assert mean(each.confidence for each in with_answer) > mean(each.confidence for each in without)
    for each in found.values():
        fits = [passage for passage in each.passages if passage.fit is not Fit.NOTHING]
        assert each.answerable == bool(fits)
        assert len(each.passages) <= 5


@pytest.mark.requirement("RS-248")
@pytest.mark.parametrize(
    ("wholes", "parts", "answerable", "confidence"),
    [
        ([0.8], [], True, 0.8),
        ([0.4], [], False, 0.4),
        ([0.3], [0.2, 0.9], True, 0.9),
        ([0.2], [0.2, 0.9], True, 0.9),
        ([0.1, 0.7], [], True, 0.7),
    ],
)
def test_the_judgements_are_put_together_by_one_rule(
    wholes: list[float], parts: list[float], answerable: bool, confidence: float
) -> None:
    """What is likeliest decides, the whole or a part; what is missing is told of the whole."""

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


@pytest.mark.requirement("RS-250")
async def test_what_a_person_added_counts(app: ResearchApp) -> None:
    """A vague question becomes one that has an answer."""
    vague = plan_of("Is it allowed?")
    alone = await retrieved(app, vague)
    assert not alone.answerable
    assert alone.reasons == ["The question does not say what “it” stands for."]
    added = await retrieved(app, vague, replies=("proceed", "swimming in the fairway"))
    assert added.answerable
