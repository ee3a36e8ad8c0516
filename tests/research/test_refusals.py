"""An answer that the library bears out, or none: measured on labelled questions, and proven
against a model that makes things up."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.research_quality import Figures, Got, ask
from bottega.core.llm.testing import LoopbackApi, Received
from bottega.core.search_types import Fit
from bottega.errors import NotFound
from bottega.research.agents.definition import Depth, StageName
from bottega.research.pipeline.context import StageOutputs
from bottega.research.pipeline.schemas import AnswerStatus, Claim, Delivered, Synthesis
from bottega.research.pipeline.views import ResearchAnswer
from bottega.research.stages.output import output
from tests.library.questions import questions as tuning_questions_of_the_library
from tests.research.builders import ResearchApp, open_research
from tests.research.direct_calls import DirectCalls, stage_context
from tests.research.labelled import answer, questions


@pytest.mark.requirement("RS-361")
async def test_a_refusal_says_what_is_missing_what_is_nearest_and_what_to_do(
    app: ResearchApp,
) -> None:
    """In plain words; the nearest are three paragraphs that exist, with links."""
    known = await answer(app, "How much does a hot shower cost in the harbour?")
    assert known.delivered is not None
    delivered = ResearchAnswer.model_validate(known.delivered.answer)
    assert delivered.status is AnswerStatus.REFUSED
    assert delivered.refusal is not None
    assert any("shower" in reason for reason in delivered.refusal.missing)
    assert not any("takes up" in reason for reason in delivered.refusal.missing)
    assert len(delivered.refusal.nearest) == 3
    for near in delivered.refusal.nearest:
        paragraph = await app.libraries.libraries.paragraph(app.harbour, near.ref)
        assert paragraph.text.startswith(near.text.rstrip("…"))
        assert f"/libraries/harbour/paragraphs/{near.ref}".split("(")[0] in known.delivered.markdown
    assert len(delivered.refusal.advice) == 2
    for heading in ("What is missing", "What is nearest", "What you can do"):
        assert f"## {heading}" in known.delivered.markdown
    assert (delivered.citations, delivered.sections, delivered.summary) == ([], [], "")
    assert not known.delivered.answer_delivered


async def refuse(app: ResearchApp, synthesis: Synthesis) -> Delivered:
    question = "What may the crane lift?"
    known = StageOutputs(retrieval=(await answer(app, question)).retrieval, synthesis=synthesis)
    context = stage_context(app, question, stage=StageName.OUTPUT, known=known)
    return await output(context)


@pytest.mark.requirement("RS-362")
async def test_a_models_reason_goes_out_only_if_it_can_carry_no_invention(
    app: ResearchApp,
) -> None:
    """No figure and no reference reaches a person unchecked, not even in a refusal."""
    plain = Synthesis(title="T", summary=[], cannot_answer="The paragraphs are about other cranes.")
    assert "about other cranes" in (await refuse(app, plain)).markdown
    sneaky = Synthesis(title="T", summary=[], cannot_answer="By 999.1 it may lift 900 tonnes.")
    delivered = await refuse(app, sneaky)
    assert delivered.status is AnswerStatus.REFUSED
    assert "999" not in delivered.markdown
    assert "900" not in json.dumps(delivered.answer)
    assert "does not say it clearly enough" in delivered.markdown


@pytest.mark.requirement("RS-363")
async def test_the_questions_are_many_and_honest(app: ResearchApp) -> None:
    """60 of each kind and more, near ones among them, none of the library's own."""
    asked = questions()
    kinds = Counter(each.answerable for each in asked)
    near = sum(each.domain == "near" for each in asked)
    assert min(kinds[True], kinds[False]) >= 60
    assert near >= kinds[False] / 2
    assert len({each.question for each in asked}) == len(asked)
    known = {each.question for each in tuning_questions_of_the_library()}
    assert not known & {each.question for each in asked}
    for split in ("tuning", "held_out"):
        mine = [each for each in asked if each.split == split]
        assert {each.domain for each in mine} == {"inside", "reworded", "near", "far"}
    assert all(bool(each.refs) == each.answerable for each in asked)
    for ref in {ref for each in asked for ref in (*each.refs, *each.also)}:
        assert (await app.libraries.libraries.paragraph(app.harbour, ref)).ref == ref


@pytest.fixture(scope="module")
def some() -> list[Got]:
    """Every fifth question, of each kind."""
    return asyncio.run(ask(questions("held_out")[::5]))


@pytest.mark.requirement("RS-364")
def test_what_is_far_from_the_library_is_refused(some: list[Got]) -> None:
    """Offline, over all stages, on questions that tuned nothing."""
    far = [got for got in some if got.asked.domain == "far"]
    assert far
    assert all(got.is_refused for got in far)


@pytest.mark.requirement("RS-365")
def test_a_refusal_needs_that_nothing_fits(some: list[Got]) -> None:
    """Whatever goes out without a model shows where to look, likeliest first."""
    for got in some:
        chances = [each.probability for each in got.answer.passages]
        assert chances == sorted(chances, reverse=True)
        fits = [each for each in got.answer.passages if each.fit is not Fit.NOTHING]
        assert bool(fits) or got.is_refused
        assert len(got.answer.passages) <= 5


@pytest.mark.requirement("RS-366")
def test_citations_say_what_is_claimed(some: list[Got]) -> None:
    """Without a model in their own words."""
    assert Figures.of(some).borne_out >= 0.9


@pytest.mark.requirement("RS-367")
def test_verified_needs_all_three_truths(some: list[Got]) -> None:
    """That it stands there, that the paragraph says so, and that it is what was asked."""
    answered = [got.answer for got in some if not got.is_refused]
    assert answered
    for given in answered:
        truths = [(each.quoted, each.supported, each.answers) for each in given.summary_claims]
        assert all(truth is not None and truth.method for each in truths for truth in each)
        holds = any(answers.holds for _, _, answers in truths if answers)
        assert holds or given.status is not AnswerStatus.VERIFIED


@pytest.mark.requirement("RS-367")
async def test_a_quotation_that_answers_nothing_is_not_verified(app: ResearchApp) -> None:
    """It agrees with itself, which proves nothing."""
    question = "What does a hot shower cost?"
    crane = {"text": "The crane may lift up to 8 tonnes.", "citations": ["315.5"]}
    synthesis = Synthesis(title="T", summary=[Claim.model_validate(crane)])
    known = StageOutputs(retrieval=(await answer(app, question)).retrieval, synthesis=synthesis)
    context = stage_context(app, question, stage=StageName.OUTPUT, known=known)
    delivered = await output(context)
    assert delivered.status is AnswerStatus.UNVERIFIED
    (claim,) = ResearchAnswer.model_validate(delivered.answer).summary_claims
    assert claim.quoted is not None
    assert claim.quoted.holds
    assert claim.answers is not None
    assert not claim.answers.holds
    assert "may not be what was asked" in delivered.markdown


def claim(text: str, *refs: str) -> dict[str, Any]:
    return {"text": text, "citations": list(refs), "labels": []}


def draft(*summary: dict[str, Any], sections: Any = ()) -> dict[str, Any]:
    return {
        "title": "The crane",
        "summary": list(summary),
        "sections": list(sections),
        "key_findings": [],
        "conclusions": [],
        "entities": [],
        "relations": [],
        "cannot_answer": None,
    }


PLAN = {
    "clarity_score": 1.0,
    "recommended_action": "proceed",
    "assumptions": [],
    "alternative_interpretations": [],
    "clarification_questions": [],
    "primary_standards": [],
    "sub_queries": [{"query": "crane lift tonnes", "role": "primary", "standards": []}],
    "scope": "",
    "depth_mode": "standard",
    "authority_sources": [],
}
TRUE = claim("The crane may lift up to 8 tonnes.", "315.5")
LIES = (
    claim("The crane may lift up to 12 tonnes.", "315.5"),
    claim("The crane was built by Vikings.", "999.1"),
    claim("The crane may lift up to 8 tonnes on Sundays.", "315.5", "315.5(z)"),
    claim("Cranes are dangerous.", "A book that nobody wrote, p. 3"),
)


def is_synthesis(request: Received) -> bool:
    return "You answer a question from a library" in json.dumps(request.body)


def is_repair(request: Received) -> bool:
    return is_synthesis(request) and "what_failed" in json.dumps(request.body)


async def research(tmp_path: Path, *drafts: dict[str, Any]) -> tuple[StageOutputs, list[Received]]:
    """A standard run whose model answers with these drafts, the last one ever again."""
    async with LoopbackApi() as api, open_research(tmp_path, api=api) as app:
        api.reply(json=PLAN, when=lambda request: not is_synthesis(request))
        for each in drafts:
            api.reply(json=each, when=is_synthesis)
        api.reply(json=drafts[-1], when=is_synthesis, times=5)
        known = await answer(app, "What may the crane lift?", Depth.STANDARD, DirectCalls(app.core))
        assert known.delivered is not None
        for citation in known.delivered.answer["citations"]:
            paragraph = await app.libraries.libraries.paragraph(app.harbour, citation["ref"])
            assert paragraph.ref == citation["ref"]
        with pytest.raises(NotFound):
            await app.libraries.libraries.paragraph(app.harbour, "999.1")
        return known, api.requests


@pytest.mark.requirement("RS-328")
async def test_a_model_that_mends_its_answer_is_believed(tmp_path: Path) -> None:
    """Told what failed, it repairs, and what holds then goes out as verified."""
    known, requests = await research(tmp_path, draft(TRUE, *LIES), draft(TRUE))
    repairs = [request for request in requests if is_repair(request)]
    assert len(repairs) == 1
    asked = json.dumps(repairs[0].body)
    assert "999.1, which the library does not have" in asked
    assert "the claim says" in asked
    assert known.delivered is not None
    assert known.delivered.status is AnswerStatus.VERIFIED
    assert [each["text"] for each in known.delivered.answer["summary_claims"]] == [TRUE["text"]]


@pytest.mark.requirement("RS-368")
async def test_a_model_that_keeps_inventing_is_stopped_at_the_gate(tmp_path: Path) -> None:
    """After the last repair nothing invented is left, and nothing is called verified."""
    section = {"heading": "It lifts 900 tonnes", "claims": list(LIES)}
    known, requests = await research(tmp_path, draft(TRUE, *LIES, sections=[section]))
    assert sum(map(is_repair, requests)) == 2
    assert known.delivered is not None
    assert known.delivered.status is AnswerStatus.UNVERIFIED
    delivered = ResearchAnswer.model_validate(known.delivered.answer)
    assert [each.text for each in delivered.summary_claims] == [TRUE["text"]]
    assert not delivered.sections
    assert {citation.ref for citation in delivered.citations} == {"315.5"}
    assert {each.text for each in delivered.removed} == {each["text"] for each in LIES}
    for invented in ("999.1", "315.5(z)", "p. 3", "900"):
        assert invented not in known.delivered.markdown


@pytest.mark.requirement("RS-368")
async def test_a_model_that_only_invents_gets_no_answer_out(tmp_path: Path) -> None:
    """What is left of it is a refusal without any of its sources or statements."""
    known, _ = await research(tmp_path, draft(*LIES[1:2]))
    assert known.delivered is not None
    assert known.delivered.status is AnswerStatus.REFUSED
    assert "Vikings" not in known.delivered.markdown
    assert "999.1" not in known.delivered.markdown
    assert "One statement was written and taken out" in known.delivered.markdown


@pytest.mark.requirement("RS-369")
async def test_a_configured_model_reads_before_anything_is_refused(tmp_path: Path) -> None:
    """Though the reader finds that nothing fits: it is a hint, and no veto."""
    async with LoopbackApi() as api, open_research(tmp_path, api=api) as app:
        api.reply(json=PLAN, when=lambda request: not is_synthesis(request))
        api.reply(json=draft(TRUE), when=is_synthesis, times=5)
        question = "Which zeppelins does the mayor own?"
        known = await answer(app, question, Depth.STANDARD, DirectCalls(app.core))
        assert any(map(is_synthesis, api.requests))
    assert known.retrieval is not None
    assert known.retrieval.answerable
    assert known.retrieval.confidence < 0.5
