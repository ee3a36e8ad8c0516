"""An answer that the library bears out, or none: measured on labelled questions, and proven
against a model that makes things up."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bench.research_quality import (
    NEAR_REFUSED,
    PRECISION,
    REFUSED,
    WRONGLY_REFUSED,
    Figures,
    Got,
    ask,
)
from bottega.core.llm.testing import LoopbackApi, Received
from bottega.errors import NotFound
from bottega.research.agents.definition import Depth, StageName
from bottega.research.answering.answer import Answer
from bottega.research.answering.asked import unnamed
from bottega.research.pipeline.outputs import AnswerStatus, Delivered, Synthesis
from bottega.research.pipeline.stage import Known
from bottega.research.stages.output import output
from tests.library.questions import questions as tuning_questions_of_the_library
from tests.research.direct_calls import DirectCalls, parts_of, stage_context
from tests.research.house import ResearchHouse, open_research_house
from tests.research.labelled import answer, questions


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[ResearchHouse]:
    async with open_research_house(tmp_path) as house:
        yield house


async def test_a_refusal_says_what_is_missing_what_is_nearest_and_what_to_do(
    house: ResearchHouse,
) -> None:
    """RS-361: in plain words; the nearest are three paragraphs that exist, with links."""
    known = await answer(house, "How much does a hot shower cost in the harbour?")
    assert known.delivered is not None
    delivered = Answer.model_validate(known.delivered.answer)
    assert delivered.status is AnswerStatus.REFUSED
    assert delivered.refusal is not None
    assert any("shower" in reason for reason in delivered.refusal.missing)
    assert not any("takes up" in reason for reason in delivered.refusal.missing)
    assert len(delivered.refusal.nearest) == 3
    for near in delivered.refusal.nearest:
        paragraph = await house.libraries.libraries.paragraph(house.harbour, near.ref)
        assert paragraph.text.startswith(near.text.rstrip("…"))
        assert f"/libraries/harbour/paragraphs/{near.ref}".split("(")[0] in known.delivered.markdown
    assert len(delivered.refusal.advice) == 2
    for heading in ("What is missing", "What is nearest", "What you can do"):
        assert f"## {heading}" in known.delivered.markdown
    assert (delivered.citations, delivered.sections, delivered.summary) == ([], [], "")
    assert not known.delivered.answer_delivered


async def refuse(house: ResearchHouse, synthesis: Synthesis) -> Delivered:
    question = "What may the crane lift?"
    known = Known(retrieval=(await answer(house, question)).retrieval, synthesis=synthesis)
    context = stage_context(house, question, stage=StageName.OUTPUT, known=known)
    return await output(parts_of(house), context)


async def test_a_models_reason_goes_out_only_if_it_can_carry_no_invention(
    house: ResearchHouse,
) -> None:
    """RS-362: no figure and no reference reaches a person unchecked, not even in a refusal."""
    plain = Synthesis(title="T", summary=[], cannot_answer="The paragraphs are about other cranes.")
    assert "about other cranes" in (await refuse(house, plain)).markdown
    sneaky = Synthesis(title="T", summary=[], cannot_answer="By 999.1 it may lift 900 tonnes.")
    delivered = await refuse(house, sneaky)
    assert delivered.status is AnswerStatus.REFUSED
    assert "999" not in delivered.markdown
    assert "900" not in json.dumps(delivered.answer)
    assert "does not say it clearly enough" in delivered.markdown


async def test_the_questions_are_many_and_honest(house: ResearchHouse) -> None:
    """RS-363: 60 of each kind and more, near ones among them, none of the library's own."""
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
        assert (await house.libraries.libraries.paragraph(house.harbour, ref)).ref == ref


@pytest.fixture(scope="module")
def held_out() -> list[Got]:
    return asyncio.run(ask(questions("held_out")))


def test_what_the_library_does_not_say_is_refused(held_out: list[Got]) -> None:
    """RS-364: offline, over all stages, on questions that tuned nothing; every far one."""
    figures = Figures.of(held_out)
    assert figures.refused >= REFUSED
    assert figures.near_refused >= NEAR_REFUSED
    assert all(got.is_refused for got in held_out if got.asked.domain == "far")


def test_what_the_library_says_is_answered(held_out: list[Got]) -> None:
    """RS-365: few questions with an answer are refused, and answers go out as verified."""
    figures = Figures.of(held_out)
    assert figures.wrongly_refused <= WRONGLY_REFUSED
    assert figures.verified >= 0.9


def test_citations_are_right(held_out: list[Got]) -> None:
    """RS-366: what is cited belongs to the matter, and says what is claimed."""
    figures = Figures.of(held_out)
    assert figures.cited_relevant >= PRECISION
    assert figures.borne_out >= PRECISION
    assert figures.found >= 0.85


@pytest.mark.parametrize(
    ("question", "paragraph", "missing"),
    [
        ("What is the penalty for standing there?", "Nobody shall stand there.", ["penalty"]),
        ("Is there a reward for finders?", "Finders report it.", ["reward"]),
        ("Who owns the lighthouse?", "The lighthouse is old.", ["owns"]),
        ("Which vessels may anchor here?", "Vessels may moor here.", ["anchor"]),
        ("How do I apply for a pass?", "A pass is valid for a week.", ["apply"]),
        ("When is the office open?", "The office is grey.", ["open"]),
        ("How loud may an engine be?", "An engine may run at noon.", ["loud"]),
        ("What does the fund spend?", "The fund publishes accounts.", ["spend"]),
        (
            "What happens to a skipper who sings?",
            "A skipper shall not sing.",
            ["what happens then"],
        ),
        ("How often is the crane checked?", "The crane is checked.", ["how often"]),
        ("How large is the beach?", "The beach opens at 9.", ["a measure"]),
        (
            "What is the speed outside the wall?",
            "The speed inside the wall is 4.",
            ["what holds outside"],
        ),
        (
            "How many berth passes are there?",
            "At one berth there are passes.",
            ["what is asked for"],
        ),
        ("What is the penalty for singing?", "The penalty for singing is EUR 5.", []),
        ("Who owns the lighthouse?", "The council owns the lighthouse.", []),
        ("How large is the beach?", "The beach is 40 metres wide.", []),
        ("May I swim?", "Swimming is allowed.", []),
        ("What about the crane at night?", "The crane rests from 19:00.", []),
        ("What are the requirements for a pass?", "A pass shall be shown.", []),
        ("What is the difference between a pilot and a skipper?", "A pilot advises a skipper.", []),
    ],
)
def test_without_a_model_what_is_asked_for_must_be_named(
    question: str, paragraph: str, missing: list[str]
) -> None:
    """RS-367: a sentence in the question's words is no answer if the thing itself is missing."""
    assert unnamed(question, [paragraph]) == missing


def test_the_best_paragraph_decides_what_is_named() -> None:
    """RS-367: two that each have a half are no answer; nothing at all has nothing missing."""
    halves = ["The lighthouse is old.", "The council owns boats."]
    assert unnamed("Who owns the lighthouse?", halves) in (["owns"], ["lighthouse"])
    assert unnamed("Who owns the lighthouse?", [*halves, "He owns the lighthouse."]) == []


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


async def research(tmp_path: Path, *drafts: dict[str, Any]) -> tuple[Known, list[Received]]:
    """A standard run whose model answers with these drafts, the last one ever again."""
    async with LoopbackApi() as api, open_research_house(tmp_path, api=api) as house:
        api.reply(json=PLAN, when=lambda request: not is_synthesis(request))
        for each in drafts:
            api.reply(json=each, when=is_synthesis)
        api.reply(json=drafts[-1], when=is_synthesis, times=5)
        known = await answer(
            house, "What may the crane lift?", Depth.STANDARD, DirectCalls(house.core)
        )
        assert known.delivered is not None
        for citation in known.delivered.answer["citations"]:
            paragraph = await house.libraries.libraries.paragraph(house.harbour, citation["ref"])
            assert paragraph.ref == citation["ref"]
        with pytest.raises(NotFound):
            await house.libraries.libraries.paragraph(house.harbour, "999.1")
        return known, api.requests


async def test_a_model_that_mends_its_answer_is_believed(tmp_path: Path) -> None:
    """RS-328: told what failed, it repairs, and what holds then goes out as verified."""
    known, requests = await research(tmp_path, draft(TRUE, *LIES), draft(TRUE))
    repairs = [request for request in requests if is_repair(request)]
    assert len(repairs) == 1
    asked = json.dumps(repairs[0].body)
    assert "999.1, which the library does not have" in asked
    assert "the claim says" in asked
    assert known.delivered is not None
    assert known.delivered.status is AnswerStatus.VERIFIED
    assert [each["text"] for each in known.delivered.answer["summary_claims"]] == [TRUE["text"]]


async def test_a_model_that_keeps_inventing_is_stopped_at_the_gate(tmp_path: Path) -> None:
    """RS-368: after the last repair nothing invented is left, and nothing is called verified."""
    section = {"heading": "It lifts 900 tonnes", "claims": list(LIES)}
    known, requests = await research(tmp_path, draft(TRUE, *LIES, sections=[section]))
    assert sum(map(is_repair, requests)) == 2
    assert known.delivered is not None
    assert known.delivered.status is AnswerStatus.UNVERIFIED
    delivered = Answer.model_validate(known.delivered.answer)
    assert [each.text for each in delivered.summary_claims] == [TRUE["text"]]
    assert not delivered.sections
    assert {citation.ref for citation in delivered.citations} == {"315.5"}
    assert {each.text for each in delivered.removed} == {each["text"] for each in LIES}
    for invented in ("999.1", "315.5(z)", "p. 3", "900"):
        assert invented not in known.delivered.markdown


async def test_a_model_that_only_invents_gets_no_answer_out(tmp_path: Path) -> None:
    """RS-368: what is left of it is a refusal without any of its sources or statements."""
    known, _ = await research(tmp_path, draft(*LIES[1:2]))
    assert known.delivered is not None
    assert known.delivered.status is AnswerStatus.REFUSED
    assert "Vikings" not in known.delivered.markdown
    assert "999.1" not in known.delivered.markdown
    assert "One statement was written and taken out" in known.delivered.markdown
