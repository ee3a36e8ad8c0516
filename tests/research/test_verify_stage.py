"""Stage 4: what the library bears out of an answer, on four axes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bottega.core.llm.testing import LoopbackApi
from bottega.research.agents.definition import StageName, Thresholds
from bottega.research.pipeline.context import StageOutputs
from bottega.research.pipeline.schemas import (
    AnswerSection,
    Calibration,
    Claim,
    ClaimedRelation,
    PriorResearch,
    PriorSection,
    Synthesis,
    Verified,
    WebSource,
)
from bottega.research.stages.verify import verify
from tests.library.builders import STANDARDS
from tests.research.builders import ResearchApp, open_research
from tests.research.direct_calls import AGENT, CONFIG, DirectCalls, stage_context

CLAIMS = Path(__file__).parents[1] / "library" / "data" / "claims_tuning.jsonl"
CRANE = Claim(text="The crane may lift up to 8 tonnes.", citations=["315.5"])
WRONG = Claim(text="The crane may lift up to 12 tonnes.", citations=["315.5"])
DRIVER = Claim(text="Only a crane driver may work the crane.", citations=["315.6"])
INVENTED = Claim(text="The crane is painted yellow.", citations=["999.1"])
QUESTION = "What may the crane lift?"


def answer_of(*claims: Claim, **fields: object) -> Synthesis:
    return Synthesis.model_validate({"title": "Crane", "summary": list(claims), **fields})


async def check(
    app: ResearchApp,
    synthesis: Synthesis,
    *,
    web: Sequence[WebSource] = (),
    prior: PriorResearch | None = None,
    thresholds: Thresholds | None = None,
    calls: DirectCalls | None = None,
) -> Verified:
    calibration = Calibration(skipped=False, web_sources=list(web)) if web else None
    config = CONFIG.model_copy(update={"verification": thresholds or Thresholds()})
    context = stage_context(
        app,
        QUESTION,
        stage=StageName.VERIFY,
        known=StageOutputs(synthesis=synthesis, calibration=calibration),
        prior=prior,
        calls=calls,
        agent=replace(AGENT, config=config),
    )
    return await verify(context)


@pytest.mark.requirement("RS-301")
async def test_a_claim_is_held_against_every_paragraph_that_it_cites(
    tmp_path: Path, database_url: str
) -> None:
    """One reference that bears it out is enough, and only such ones are kept."""
    both = DRIVER.model_copy(update={"citations": ["100.2", "315.6"]})
    spoken = Claim(
        text="The agent shall declare dangerous goods to the harbour master at least 72 hours "
        "before they arrive by sea.",
        citations=["315.12 (a)"],
    )
    async with open_research(tmp_path, database_url=database_url) as app:
        verified = await check(app, answer_of(CRANE, both, spoken, WRONG))
    assert [each.verdict for each in verified.claims] == ["supported"] * 3 + ["unsupported"]
    assert [each.claim.citations for each in verified.claims[:3]] == [
        ["315.5"],
        ["315.6"],
        ["315.12(a)"],
    ]
    assert verified.verification_scores.citation_accuracy == 0.75


@pytest.mark.requirement("RS-302")
async def test_one_reference_that_does_not_exist_fails_the_answer(app: ResearchApp) -> None:
    """Whatever the scores, and also beside a good one or for a missing sub-paragraph."""
    lenient = Thresholds(
        entityGrounding=0, citationAccuracy=0, relationPreservation=0, maxContradictions=99
    )
    beside = CRANE.model_copy(update={"citations": ["315.5", "315.5(z)"]})
    verified = await check(app, answer_of(CRANE, INVENTED, beside), thresholds=lenient)
    assert not verified.all_passed
    assert verified.missing_source_texts == ["999.1", "315.5(z)"]
    assert [each.invented for each in verified.claims] == [[], ["999.1"], ["315.5(z)"]]
    assert [each.verdict for each in verified.claims] == ["supported", "unsupported", "unsupported"]
    without = await check(app, answer_of(CRANE), thresholds=lenient)
    assert without.all_passed
    assert not without.missing_source_texts


@pytest.mark.requirement("RS-303")
async def test_what_cites_nothing_fails_unless_it_claims_nothing(app: ResearchApp) -> None:
    """A sentence that only leads through the answer does not count."""
    leading = Claim(text="The following section explains the crane.")
    sneaky = Claim(text="The following is allowed: the crane lifts anything.")
    bare = Claim(text="Cranes are expensive.")
    verified = await check(app, answer_of(leading, CRANE))
    assert verified.all_passed
    assert verified.verification_scores.citation_accuracy == 1.0
    assert not verified.failures
    verified = await check(app, answer_of(leading, CRANE, sneaky, bare))
    assert [each.verdict for each in verified.claims].count("uncited") == 3
    assert verified.verification_scores.citation_accuracy == 0.333
    told = "\n".join(verified.failures)
    assert leading.text not in told
    assert all(f"“{claim.text}” cites nothing" in told for claim in (sneaky, bare))


@pytest.mark.requirement("RS-304")
async def test_names_and_figures_must_stand_in_the_cited_paragraphs(app: ResearchApp) -> None:
    """Those that the answer lists, and those that code finds in its claims."""
    found = Claim(text="The crane of Rotterdam may lift up to 8 tonnes.", citations=["315.5"])
    verified = await check(app, answer_of(CRANE, found, entities=["crane", "Kraken"]))
    # crane and 8 tonnes are there, Kraken and Rotterdam are not.
    assert verified.verification_scores.entity_grounding == 0.5
    assert not verified.all_passed
    for name in ("Kraken", "Rotterdam"):
        assert any(f"“{name}” is named" in failure for failure in verified.failures)
    good = await check(app, answer_of(CRANE, entities=["crane"]))
    assert good.verification_scores.entity_grounding == 1.0


@pytest.mark.requirement("RS-305")
async def test_relations_must_hold_in_their_direction(app: ResearchApp) -> None:
    """None claimed is all kept; a turned one fails and says so."""
    assert (await check(app, answer_of(CRANE))).verification_scores.relation_preservation == 1.0
    right = ClaimedRelation(source="315.12(a)", target="315.12", relation="belongs_to")
    turned = ClaimedRelation(source="315.12", target="315.12(a)", relation="belongs_to")
    odd = ClaimedRelation(source="", target="x" * 900, relation="y" * 90)
    verified = await check(app, answer_of(CRANE, relations=[right, turned]))
    assert verified.verification_scores.relation_preservation == 0.5
    assert not verified.all_passed
    assert any("the other way round" in failure for failure in verified.failures)
    verified = await check(app, answer_of(CRANE, relations=[right, odd]))
    assert verified.verification_scores.relation_preservation == 0.5


@pytest.mark.requirement("RS-306")
async def test_contradictions_are_counted_and_none_is_allowed(app: ResearchApp) -> None:
    """Between claims, and between a claim and a paragraph that another one cites."""
    verified = await check(app, answer_of(CRANE, WRONG))
    assert verified.verification_scores.contradictions >= 2
    assert any("contradict each other" in failure for failure in verified.failures)
    assert not verified.all_passed
    assert (await check(app, answer_of(CRANE, DRIVER))).verification_scores.contradictions == 0


@pytest.mark.requirement("RS-307")
@pytest.mark.parametrize(
    ("thresholds", "passed"),
    [
        (Thresholds(citationAccuracy=0.5, maxContradictions=9, entityGrounding=0.1), True),
        (Thresholds(citationAccuracy=0.6, maxContradictions=9, entityGrounding=0.1), False),
        (Thresholds(citationAccuracy=0.5, maxContradictions=0, entityGrounding=0.1), False),
        (Thresholds(citationAccuracy=0.5, maxContradictions=9, entityGrounding=0.9), False),
    ],
)
async def test_the_agents_thresholds_decide(
    tmp_path: Path, thresholds: Thresholds, passed: bool
) -> None:
    """Each axis alone can fail an answer; what reaches its threshold passes."""
    async with open_research(tmp_path) as app:
        verified = await check(app, answer_of(CRANE, WRONG), thresholds=thresholds)
        assert verified.all_passed is passed


@pytest.mark.requirement("RS-308")
async def test_sources_come_word_for_word(app: ResearchApp) -> None:
    """The text of every cited paragraph, an item with the words that lead to it."""
    sea = Claim(
        text="The agent shall declare dangerous goods to the harbour master at least 72 hours "
        "before they arrive by sea.",
        citations=["315.12(a)"],
    )
    verified = await check(app, answer_of(CRANE, sea, INVENTED))
    file = STANDARDS / "315-cargo-and-dangerous-goods.md"
    written = file.read_text("utf-8")
    assert set(verified.source_texts) == {"315.5", "315.12(a)"}
    for text in verified.source_texts.values():
        assert all(line in written for line in text.splitlines())
    assert verified.source_texts["315.12(a)"].splitlines() == [
        "The agent shall declare dangerous goods to the harbour master:",
        "at least 72 hours before they arrive by sea;",
    ]


@pytest.mark.requirement("RS-309")
async def test_failures_are_sentences_to_act_on(app: ResearchApp) -> None:
    """Each quotes the claim as it stands, says why, and what the paragraph really says."""
    verified = await check(app, answer_of(WRONG, INVENTED))
    about_wrong, about_invented = verified.failures[:2]
    assert WRONG.text in about_wrong
    assert "“12 tonnes”" in about_wrong
    assert "315.5 says: “The crane may lift up to 8 tonnes." in about_wrong
    assert INVENTED.text in about_invented
    assert "999.1, which the library does not have" in about_invented


@pytest.mark.requirement("RS-310")
async def test_every_check_is_a_call_and_no_claim_is_checked_twice(app: ResearchApp) -> None:
    """A substep a claim, and one for each of the other axes that has something to do."""
    calls = DirectCalls(app.core)
    relation = ClaimedRelation(source="315.12(a)", target="315.12", relation="belongs_to")
    section = AnswerSection(heading="Crane", claims=[CRANE, DRIVER])
    synthesis = answer_of(CRANE, sections=[section], relations=[relation], entities=["crane"])
    verified = await check(app, synthesis, calls=calls)
    assert len(verified.claims) == 3
    assert [each.tool for each in calls.substeps] == [
        "orch_citation_verify",
        "orch_citation_verify",
        "orch_entity_verify",
        "orch_relation_verify",
        "orch_contradiction_check",
    ]
    assert calls.substeps[0].shown == "315.5: supported"


@pytest.mark.requirement("RS-311")
async def test_a_claim_from_prior_research_is_held_against_what_that_cited(
    app: ResearchApp,
) -> None:
    """It gets the paragraph that bears it out as its own citation, or fails."""
    prior = PriorResearch(
        question="Who may use the crane?",
        sections=[
            PriorSection(
                label="P1",
                heading="Crane",
                excerpt="Only a crane driver may work it.",
                run_id="run-0",
                citations=["315.5", "315.6"],
            ),
            PriorSection(
                label="P2", heading="Gone", excerpt="", run_id="run-0", citations=["777.7"]
            ),
        ],
    )
    known = Claim(text="Only a crane driver may work the crane [P1].")
    false = Claim(text=WRONG.text, labels=["P1"])
    gone = Claim(text="The lock is blue.", labels=["P2"])
    verified = await check(app, answer_of(known, false, gone), prior=prior)
    assert [each.verdict for each in verified.claims] == ["supported", "unsupported", "unsupported"]
    assert verified.claims[0].claim == Claim(
        text="Only a crane driver may work the crane.", citations=["315.6"], labels=["P1"]
    )
    assert not verified.missing_source_texts


@pytest.mark.requirement("RS-312")
async def test_the_web_alone_confirms_nothing(app: ResearchApp) -> None:
    """Such a claim stays open if the page has its words, and fails if it has not."""
    page = WebSource(
        label="W1",
        url="https://example.org",
        title="Harbour cranes",
        excerpt="A harbour crane is inspected every spring.",
    )
    told = Claim(text="A harbour crane is inspected every spring.", labels=["W1"])
    false = Claim(text="The pilot is paid by the council.", labels=["W1"])
    unknown = Claim(text="The crane sings.", labels=["W7"])
    verified = await check(app, answer_of(CRANE, told, false, unknown), web=[page])
    assert [each.verdict for each in verified.claims] == [
        "supported",
        "undecided",
        "unsupported",
        "uncited",
    ]
    assert verified.verification_scores.citation_accuracy == 0.25


@pytest.mark.requirement("RS-313")
async def test_impossible_claims_and_references_are_judged_not_feared(
    app: ResearchApp,
) -> None:
    """Empty and endless ones fail as claims; an answer without any has no accuracy."""
    odd = answer_of(
        Claim(text=" ", citations=["315.5"]),
        Claim(text="x " * 9_000, citations=["315.5"]),
        Claim(text="The crane may lift up to 8 tonnes.", citations=["", "y" * 900]),
    )
    verified = await check(app, odd)
    assert [each.verdict for each in verified.claims] == ["uncited", "unsupported", "unsupported"]
    assert not verified.all_passed
    nothing = await check(app, answer_of())
    assert nothing.verification_scores.citation_accuracy == 0
    assert not nothing.all_passed


def loosely_said() -> list[Claim]:
    """Claims in other words than the library's; which are open is the reader's matter."""
    labelled = [json.loads(line) for line in CLAIMS.read_text("utf-8").splitlines()]
    return [
        Claim(text=each["claim"], citations=[each["ref"]])
        for each in labelled
        if each["kind"] == "paraphrase"
    ][:40]


@pytest.mark.requirement("RS-314")
async def test_what_the_reader_leaves_open_a_model_decides(tmp_path: Path) -> None:
    """Over the real wire; its verdict counts, and no decided claim is sent to it."""
    async with open_research(tmp_path) as app:
        offline = await check(app, answer_of(*loosely_said()))
    left_open = [each.claim for each in offline.claims if each.verdict == "undecided"][:3]
    assert left_open, "the reader decides every claim"
    (tmp_path / "model").mkdir()
    async with LoopbackApi() as api, open_research(tmp_path / "model", api=api) as app:
        api.reply(
            json={"supported": True, "confidence": 0.9, "reason": "It says so."},
            times=len(left_open),
        )
        verified = await check(app, answer_of(CRANE, *left_open))
        assert [each.verdict for each in verified.claims] == ["supported"] * (1 + len(left_open))
        assert len(api.requests) == len(left_open)
