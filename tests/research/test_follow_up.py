"""What a follow-up question starts from."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bottega.core.runs import RunContext, RunStatus
from bottega.core.services import Core
from bottega.core.sessions.session import SessionKind
from bottega.core.users import LOCAL_USER
from bottega.errors import NotFound
from bottega.research.agents.definition import FollowUpConfig
from bottega.research.pipeline.follow_up import last_answered, load_prior
from bottega.research.pipeline.schemas import (
    KIND,
    AnswerStatus,
    ExitReason,
    ResearchOrder,
    ResearchOutcome,
)
from tests.app import open_app


def answer(*sections: tuple[str, str, list[str]], **extra: Any) -> dict[str, Any]:
    """As `answer.json` has it."""
    return {
        "version": 1,
        "sections": [
            {
                "heading": heading,
                "text": text,
                "claims": [{"text": text, "citations": citations, "labels": []}],
                "citations": citations,
            }
            for heading, text, citations in sections
        ],
        **extra,
    }


@asynccontextmanager
async def open_answers(root: Path, outcomes: dict[str, ResearchOutcome]) -> AsyncIterator[Core]:
    """A house whose research runs come to what is given for their question."""
    async with open_app(root) as app:

        async def research(_: RunContext, order: ResearchOrder) -> ResearchOutcome:
            return outcomes[order.question]

        app.core.runs.register(KIND, research)
        yield app.core


async def ask(core: Core, question: str, **order: Any) -> str:
    session_id = order.pop("session_id", None)
    run_id = await core.runs.start(
        KIND, ResearchOrder(question=question, library="harbour", **order), session_id=session_id
    )
    assert (await core.runs.wait(run_id)).status is RunStatus.COMPLETED
    return run_id


def answered(*sections: tuple[str, str, list[str]], **extra: Any) -> ResearchOutcome:
    return ResearchOutcome(
        exit_reason=ExitReason.COMPLETED,
        status=AnswerStatus.VERIFIED,
        answer=answer(*sections, **extra),
    )


@pytest.mark.requirement("RS-450")
async def test_a_follow_up_gets_the_sections_of_the_answer(tmp_path: Path) -> None:
    """Labels, headings, 200-character excerpts and the paragraphs that were cited."""
    outcome = answered(
        ("Dues", "A visitor pays EUR 1.80. " + "x" * 300, ["450.1", "450.3"]),
        ("Waivers", "The harbour master may waive them.", ["450.12", "450.1"]),
    )
    async with open_answers(tmp_path, {"What are the dues?": outcome}) as core:
        run = await ask(core, "What are the dues?")
        prior = await load_prior(core, run, LOCAL_USER, FollowUpConfig())
    assert prior
    assert prior.question == "What are the dues?"
    first, second = prior.sections
    assert (first.label, first.heading, first.run_id) == ("P1", "Dues", run)
    assert first.excerpt.startswith("A visitor pays EUR 1.80.")
    assert len(first.excerpt) == 200
    assert (second.label, second.citations) == ("P2", ["450.12", "450.1"])
    assert prior.cited == ["450.1", "450.3", "450.12"]


@pytest.mark.requirement("RS-451")
async def test_a_chain_of_follow_ups_accumulates_the_newest_first(tmp_path: Path) -> None:
    """At most thirty sections over the whole chain, or fewer if the agent says so."""
    outcomes = {
        f"Question {number}": answered(
            *((f"{number}.{part}", "Text.", [f"{number}00.{part}"]) for part in range(12))
        )
        for number in range(1, 4)
    }
    async with open_answers(tmp_path, outcomes) as core:
        before: str | None = None
        for question in outcomes:
            before = await ask(core, question, follow_up_of=before)
        assert before is not None
        prior = await load_prior(core, before, LOCAL_USER, FollowUpConfig())
        few = await load_prior(core, before, LOCAL_USER, FollowUpConfig(maxPriorSections=5))
    assert [section.label for section in prior.sections] == [f"P{n}" for n in range(1, 31)]
    assert [section.heading for section in prior.sections[:2]] == ["3.0", "3.1"]
    assert prior.sections[-1].heading == "1.5"
    assert "100.5" in prior.cited
    assert "100.6" not in prior.cited
    assert [section.heading for section in few.sections] == [f"3.{part}" for part in range(5)]


@pytest.mark.requirement("RS-450")
async def test_the_short_answer_counts_as_a_section(tmp_path: Path) -> None:
    """A quick answer has nothing but its summary, and that is followed up too."""
    short = {"text": "EUR 1.80 a metre.", "citations": ["450.1"]}
    outcome = answered(summary="EUR 1.80 a metre [450.1].", summary_claims=[short])
    async with open_answers(tmp_path, {"Dues?": outcome}) as core:
        prior = await load_prior(core, await ask(core, "Dues?"), LOCAL_USER, FollowUpConfig())
    assert [(each.heading, each.excerpt) for each in prior.sections] == [
        ("In short", "EUR 1.80 a metre.")
    ]
    assert prior.cited == ["450.1"]


@pytest.mark.requirement("RS-452")
async def test_an_agent_may_do_without(tmp_path: Path) -> None:
    """Follow-ups can be off, and so can leaving out what was cited already."""
    async with open_answers(tmp_path, {"Dues?": answered(("Dues", "Text.", ["450.1"]))}) as core:
        run = await ask(core, "Dues?")
        assert not await load_prior(core, run, LOCAL_USER, FollowUpConfig(enabled=False))
        prior = await load_prior(core, run, LOCAL_USER, FollowUpConfig(deltaRetrieval=False))
    assert prior.sections[0].citations == ["450.1"]
    assert prior.cited == []


@pytest.mark.requirement("RS-453")
async def test_only_ones_own_answers_are_followed_up(tmp_path: Path) -> None:
    """Nobody loads another's research; a refusal and a broken answer give nothing."""
    refusal = ResearchOutcome(
        exit_reason=ExitReason.COMPLETED,
        status=AnswerStatus.REFUSED,
        answer=answer(("Nothing", "Not there.", [])),
    )
    broken = ResearchOutcome(exit_reason=ExitReason.COMPLETED, answer={"sections": "none"})
    outcomes = {"Refused?": refusal, "Broken?": broken}
    async with open_answers(tmp_path, outcomes) as core:
        refused, odd = await ask(core, "Refused?"), await ask(core, "Broken?")
        for run in (refused, odd):
            assert not await load_prior(core, run, LOCAL_USER, FollowUpConfig())
            with pytest.raises(NotFound):
                await load_prior(core, run, "another", FollowUpConfig())


@pytest.mark.requirement("RS-454")
async def test_the_last_answer_of_a_session_is_found(tmp_path: Path) -> None:
    """The newest run of the session that came to an answer; others are passed over."""
    left = ResearchOutcome(exit_reason=ExitReason.BREAKOUT, open_question="Who won?")
    outcomes = {
        "First?": answered(("A", "Text.", ["100.1"])),
        "Second?": answered(("B", "Text.", ["100.2"])),
        "Left?": left,
    }
    async with open_answers(tmp_path, outcomes) as core:
        session = await core.sessions.create(SessionKind.RESEARCH, "/p")
        assert await last_answered(core, session.id, LOCAL_USER) is None
        runs = [await ask(core, question, session_id=session.id) for question in outcomes]
        await ask(core, "First?")
        found = await last_answered(core, session.id, LOCAL_USER)
    assert found is not None
    assert found.id == runs[1]
