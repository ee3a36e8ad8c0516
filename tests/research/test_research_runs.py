"""Research runs at the doors: what may begin, who may reply, and what is told of them."""

import asyncio
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from bottega.core.runs import RunContext, RunStatus
from bottega.core.sessions.session import SessionKind
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, Cancelled, Conflict, InvalidInput, NotFound, TooLarge
from bottega.research.pipeline.schemas import KIND, ResearchOrder
from bottega.research.pipeline.service import LONGEST_QUESTION
from bottega.research.sessions.files import session_folder
from tests.research.orchestration import DUES, ScriptedResearch, open_scripted_research


async def refused(research: ScriptedResearch, **changes: Any) -> BottegaError:
    """The error with which a run does not begin; nothing of it is left."""
    with pytest.raises(BottegaError) as caught:
        await research.start(**changes)
    assert await research.app.core.runs.list(kind=KIND) == []
    kind = SessionKind.RESEARCH
    assert await research.app.core.sessions.list(user_id=LOCAL_USER, kind=kind) == []
    return caught.value


@pytest.mark.requirement("RS-181", "RS-182", "RS-183", "RS-184")
async def test_what_cannot_be_worked_on_does_not_begin(tmp_path: Path) -> None:
    """A question without words. RS-182: one of 100,000 words, which is not lost.

    RS-183: a library that is not there, with those that are.
    RS-184: an agent that is not there or broken, with what is wrong.
    """
    broken = tmp_path / "data" / "agents" / "broken"
    broken.mkdir(parents=True)
    (broken / "config.json").write_text('{"stages": []}')
    async with open_scripted_research(tmp_path) as research:
        error = await refused(research, question=" \n ")
        assert isinstance(error, InvalidInput)
        error = await refused(research, question="why " * 100_000)
        assert isinstance(error, TooLarge)
        assert "has 399,999 characters, and 20,000 are the most" in error.message
        assert "nothing is lost" in error.message
        error = await refused(research, library="attic")
        assert isinstance(error, NotFound)
        assert error.message == "There is no library 'attic'. There are: harbour."
        error = await refused(research, agent="nobody")
        assert isinstance(error, NotFound)
        assert error.details["valid_options"] == ["broken", "deep-research"]
        error = await refused(research, agent="broken")
        assert isinstance(error, InvalidInput)
        assert "broken/AGENT.md:1:1: the file is missing" in error.message
        assert "broken/config.json:1:2: " in error.message
        for budget in (-1.0, float("nan"), float("inf"), 1e9):
            assert isinstance(await refused(research, budget_usd=budget), InvalidInput)

        # As long as it may be, and with space around it, is fine.
        run = await research.start(question=f"  {'y' * LONGEST_QUESTION}  ")
        assert run.input["question"] == "y" * LONGEST_QUESTION


@pytest.mark.requirement("RS-185")
async def test_a_follow_up_needs_an_answer_of_the_same_person(tmp_path: Path) -> None:
    """Not one that is absent, another's, still under way, or was left."""
    async with open_scripted_research(tmp_path) as research:
        with pytest.raises(NotFound):
            await research.start(follow_up_of="run_nowhere")
        run = await research.settled(await research.start())
        with pytest.raises(Conflict, match="is paused and has no answer to follow up"):
            await research.start(follow_up_of=run.id)
        for reply in ("3", "1"):
            run = await research.say(run, reply)
        with pytest.raises(Conflict, match="has no answer to follow up"):
            await research.start(follow_up_of=run.id)
        answered = await research.finish()
        research.app.core.runs.register("other", _other)
        other = await research.app.core.runs.start("other", DUES)
        with pytest.raises(NotFound, match="There is no research run"):
            await research.start(follow_up_of=other)
        assert (await research.finish(follow_up_of=answered.id)).status is RunStatus.COMPLETED


async def _other(run: RunContext, order: ResearchOrder) -> None:
    """A run of another kind."""


@pytest.mark.requirement("RS-186")
async def test_of_two_replies_at_once_one_is_taken(tmp_path: Path, database_url: str) -> None:
    """The other is told so, with the status, and the run goes on as if it had not come."""
    async with open_scripted_research(tmp_path, database_url=database_url) as research:
        run = await research.settled(await research.start())
        replies = ("only small boats", "only large boats", "only rafts")
        results = await asyncio.gather(
            *(research.runs.reply(run.id, reply) for reply in replies), return_exceptions=True
        )
        [taken] = [
            place for place, result in enumerate(results) if not isinstance(result, Conflict)
        ]
        late = [result for result in results if isinstance(result, Conflict)]
        assert [error.details["status"] for error in late] == ["running", "running"]
        run = await research.settled(run)
        assert run.status is RunStatus.PAUSED
        [modified] = await research.events(run, "plan_modified")
        assert modified.payload["reply"] == replies[taken]


@pytest.mark.requirement("RS-191")
async def test_a_reply_can_be_held_to_the_pause_it_answers(tmp_path: Path) -> None:
    """A second click answers nothing that the person has not seen."""
    async with open_scripted_research(tmp_path) as research:
        run = await research.settled(await research.start())
        assert run.waiting_for is not None
        seen = run.waiting_for["key"]
        await research.runs.reply(run.id, "only small boats", pause_key=seen)
        run = await research.settled(run)
        with pytest.raises(Conflict, match="now waits for something else") as caught:
            await research.runs.reply(run.id, "1", pause_key=seen)
        assert caught.value.details["waiting_for"] == run.waiting_for
        assert run.waiting_for is not None
        await research.runs.reply(run.id, "1", pause_key=run.waiting_for["key"])
        assert (await research.settled(run)).status is RunStatus.COMPLETED


@pytest.mark.requirement("RS-186")
async def test_replies_that_say_nothing_or_too_much_are_refused(tmp_path: Path) -> None:
    """The run waits on as it did."""
    async with open_scripted_research(tmp_path) as research:
        run = await research.settled(await research.start())
        with pytest.raises(InvalidInput, match="The reply is empty"):
            await research.runs.reply(run.id, " ")
        with pytest.raises(TooLarge, match="The reply has 100,000 characters"):
            await research.runs.reply(run.id, "x" * 100_000)
        assert (await research.runs.get(run.id)).waiting_for == run.waiting_for


@pytest.mark.requirement("RS-187")
async def test_an_answer_is_there_when_the_run_has_ended(tmp_path: Path) -> None:
    """Before that it is told what the run waits for; a cancelled one has none."""
    async with open_scripted_research(tmp_path) as research:
        run = await research.settled(await research.start())
        with pytest.raises(Conflict, match="is paused and has no answer yet") as caught:
            await research.runs.result(run.id)
        assert caught.value.details["waiting_for"] == run.waiting_for
        await research.say(run, "1")
        assert (await research.runs.result(run.id)).markdown.startswith("# write")
        cancelled = await research.settled(await research.start())
        await research.runs.cancel(cancelled.id)
        with pytest.raises(Cancelled):
            await research.runs.result(cancelled.id)


@pytest.mark.requirement("RS-188")
async def test_another_s_run_is_no_run(tmp_path: Path) -> None:
    """Nobody reads, answers or cancels what is not theirs."""
    async with open_scripted_research(tmp_path) as research:
        run = await research.settled(await research.start())
        for attempt in (
            research.runs.get(run.id, "eve"),
            research.runs.state(run.id, "eve"),
            research.runs.reply(run.id, "1", "eve"),
            research.runs.result(run.id, "eve"),
            research.runs.cancel(run.id, "eve"),
        ):
            with pytest.raises(NotFound):
                await attempt
        assert (await research.runs.get(run.id, LOCAL_USER)).status is RunStatus.PAUSED


@pytest.mark.requirement("RS-189")
async def test_a_session_has_one_run_at_a_time(tmp_path: Path) -> None:
    """A reply must mean one run; and only sessions of research have any."""
    async with open_scripted_research(tmp_path) as research:
        run = await research.settled(await research.start())
        with pytest.raises(Conflict, match=r"of this session is paused\. Reply to it") as caught:
            await research.runs.start(DUES, session_id=run.session_id)
        assert caught.value.details["run_id"] == run.id
        await research.say(run, "1")
        again = await research.runs.start(DUES, session_id=run.session_id)
        assert again.session_id == run.session_id
        coaching = await research.app.core.sessions.create(SessionKind.COACHING, "/project")
        with pytest.raises(InvalidInput, match="is of the kind coaching"):
            await research.runs.start(DUES, session_id=coaching.id)
        with pytest.raises(NotFound):
            await research.runs.start(DUES, session_id="nowhere")


@pytest.mark.requirement("RS-190", "RS-143")
async def test_a_cancelled_run_leaves_what_it_had(tmp_path: Path) -> None:
    """Through our door or the core's, at once and for good. RS-143: with its summary."""
    async with open_scripted_research(tmp_path) as research:
        for cancel in (research.runs.cancel, research.app.core.runs.cancel):
            run = await research.settled(await research.start())
            assert (await cancel(run.id)).status is RunStatus.CANCELLED
            await research.runs.stop()
            assert run.session_id is not None
            folder = session_folder(research.app.core.choices.data_dir, run.session_id)
            summary = json.loads(folder.summary.read_text())
            assert (summary["exitReason"], summary["completedStages"]) == ("cancelled", [0])
            with pytest.raises(Conflict):
                await research.runs.reply(run.id, "1")


@pytest.mark.requirement("RS-195")
async def test_sources_are_made_ready_before_a_run_begins(tmp_path: Path) -> None:
    """What cannot be made ready begins no run."""
    asked: list[tuple[Collection[str], str]] = []

    async def switch_on(slugs: Collection[str], *, user_id: str) -> None:
        asked.append((slugs, user_id))
        raise NotFound("There is no source 'almanac'.")

    async with open_scripted_research(tmp_path, switch_on=switch_on) as research:
        error = await refused(research)
        assert error.message == "There is no source 'almanac'."
        required = (await research.runs.agent("deep-research")).meta.sources
        assert asked == [(required, LOCAL_USER)]


@pytest.mark.requirement("RS-196")
async def test_many_runs_at_once_lose_no_event(tmp_path: Path) -> None:
    """Each has its whole list, and each its own substeps."""
    async with open_scripted_research(tmp_path) as research:
        started = await asyncio.gather(*(research.start(auto_proceed=True) for _ in range(20)))
        lists = []
        for run in started:
            assert (await research.settled(run)).status is RunStatus.COMPLETED
            events = await research.events(run)
            assert [event.position for event in events] == list(range(1, len(events) + 1))
            lists.append(sorted(event.type for event in events))
            ids = {e.payload["id"] for e in events if e.type == "substep"}
            assert len(ids) == 5
            assert all(run.id in each for each in ids)
        assert len(set(map(tuple, lists))) == 1
