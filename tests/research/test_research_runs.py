"""Research runs at the doors: what may begin, who may reply, and what is told of them."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bottega.core.runs import RunContext, RunStatus
from bottega.core.sessions import SessionKind
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, Cancelled, Conflict, InvalidInput, NotFound, TooLarge
from bottega.research.agents.definition import Agent
from bottega.research.folders import session_folder
from bottega.research.pipeline.orders import KIND, ResearchOrder
from bottega.research.runs import LONGEST_QUESTION
from tests.research.orchestration import DUES, Workshop, open_workshop


async def refused(workshop: Workshop, **changes: Any) -> BottegaError:
    """The error with which a run does not begin; nothing of it is left."""
    with pytest.raises(BottegaError) as caught:
        await workshop.start(**changes)
    assert await workshop.house.core.runs.list(kind=KIND) == []
    kind = SessionKind.RESEARCH
    assert await workshop.house.core.sessions.list(user_id=LOCAL_USER, kind=kind) == []
    return caught.value


async def test_what_cannot_be_worked_on_does_not_begin(tmp_path: Path) -> None:
    """RS-181: a question without words. RS-182: one of 100,000 words, which is not lost.

    RS-183: a library that is not there, with those that are.
    RS-184: an agent that is not there or broken, with what is wrong.
    """
    broken = tmp_path / "data" / "agents" / "broken"
    broken.mkdir(parents=True)
    (broken / "config.json").write_text('{"stages": []}')
    async with open_workshop(tmp_path) as workshop:
        error = await refused(workshop, question=" \n ")
        assert isinstance(error, InvalidInput)
        error = await refused(workshop, question="why " * 100_000)
        assert isinstance(error, TooLarge)
        assert "has 399,999 characters, and 20,000 are the most" in error.message
        assert "nothing is lost" in error.message
        error = await refused(workshop, library="attic")
        assert isinstance(error, NotFound)
        assert error.message == "There is no library 'attic'. There are: harbour."
        error = await refused(workshop, agent="nobody")
        assert isinstance(error, NotFound)
        assert error.details["valid_options"] == ["broken", "deep-research"]
        error = await refused(workshop, agent="broken")
        assert isinstance(error, InvalidInput)
        assert "broken/AGENT.md:1:1: the file is missing" in error.message
        assert "broken/config.json:1:2: " in error.message
        for budget in (-1.0, float("nan"), float("inf"), 1e9):
            assert isinstance(await refused(workshop, budget_usd=budget), InvalidInput)

        # As long as it may be, and with space around it, is fine.
        run = await workshop.start(question=f"  {'y' * LONGEST_QUESTION}  ")
        assert run.input["question"] == "y" * LONGEST_QUESTION


async def test_a_follow_up_needs_an_answer_of_the_same_person(tmp_path: Path) -> None:
    """RS-185: not one that is absent, another's, still under way, or was left."""
    async with open_workshop(tmp_path) as workshop:
        with pytest.raises(NotFound):
            await workshop.start(follow_up_of="run_nowhere")
        run = await workshop.settled(await workshop.start())
        with pytest.raises(Conflict, match="is paused and has no answer to follow up"):
            await workshop.start(follow_up_of=run.id)
        for reply in ("3", "1"):
            run = await workshop.say(run, reply)
        with pytest.raises(Conflict, match="has no answer to follow up"):
            await workshop.start(follow_up_of=run.id)
        answered = await workshop.finish()
        workshop.house.core.runs.register("other", _other)
        other = await workshop.house.core.runs.start("other", DUES)
        with pytest.raises(NotFound, match="There is no research run"):
            await workshop.start(follow_up_of=other)
        assert (await workshop.finish(follow_up_of=answered.id)).status is RunStatus.COMPLETED


async def _other(run: RunContext, order: ResearchOrder) -> None:
    """A run of another kind."""


async def test_of_two_replies_at_once_one_is_taken(tmp_path: Path, database_url: str) -> None:
    """RS-186: the other is told so, with the status, and the run goes on as if it had not come."""
    async with open_workshop(tmp_path, database_url=database_url) as workshop:
        run = await workshop.settled(await workshop.start())
        replies = ("only small boats", "only large boats", "only rafts")
        results = await asyncio.gather(
            *(workshop.runs.reply(run.id, reply) for reply in replies), return_exceptions=True
        )
        [taken] = [
            place for place, result in enumerate(results) if not isinstance(result, Conflict)
        ]
        late = [result for result in results if isinstance(result, Conflict)]
        assert [error.details["status"] for error in late] == ["running", "running"]
        run = await workshop.settled(run)
        assert run.status is RunStatus.PAUSED
        [modified] = await workshop.events(run, "plan_modified")
        assert modified.payload["reply"] == replies[taken]


async def test_a_reply_can_be_held_to_the_pause_it_answers(tmp_path: Path) -> None:
    """RS-191: a second click answers nothing that the person has not seen."""
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.settled(await workshop.start())
        assert run.waiting_for is not None
        seen = run.waiting_for["key"]
        await workshop.runs.reply(run.id, "only small boats", pause_key=seen)
        run = await workshop.settled(run)
        with pytest.raises(Conflict, match="now waits for something else") as caught:
            await workshop.runs.reply(run.id, "1", pause_key=seen)
        assert caught.value.details["waiting_for"] == run.waiting_for
        assert run.waiting_for is not None
        await workshop.runs.reply(run.id, "1", pause_key=run.waiting_for["key"])
        assert (await workshop.settled(run)).status is RunStatus.COMPLETED


async def test_replies_that_say_nothing_or_too_much_are_refused(tmp_path: Path) -> None:
    """RS-186: the run waits on as it did."""
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.settled(await workshop.start())
        with pytest.raises(InvalidInput, match="The reply is empty"):
            await workshop.runs.reply(run.id, " ")
        with pytest.raises(TooLarge, match="The reply has 100,000 characters"):
            await workshop.runs.reply(run.id, "x" * 100_000)
        assert (await workshop.runs.get(run.id)).waiting_for == run.waiting_for


async def test_an_answer_is_there_when_the_run_has_ended(tmp_path: Path) -> None:
    """RS-187: before that it is told what the run waits for; a cancelled one has none."""
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.settled(await workshop.start())
        with pytest.raises(Conflict, match="is paused and has no answer yet") as caught:
            await workshop.runs.answer(run.id)
        assert caught.value.details["waiting_for"] == run.waiting_for
        await workshop.say(run, "1")
        assert (await workshop.runs.answer(run.id)).markdown.startswith("# write")
        cancelled = await workshop.settled(await workshop.start())
        await workshop.runs.cancel(cancelled.id)
        with pytest.raises(Cancelled):
            await workshop.runs.answer(cancelled.id)


async def test_another_s_run_is_no_run(tmp_path: Path) -> None:
    """RS-188: nobody reads, answers or cancels what is not theirs."""
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.settled(await workshop.start())
        for attempt in (
            workshop.runs.get(run.id, "eve"),
            workshop.runs.state(run.id, "eve"),
            workshop.runs.events(run.id, user_id="eve"),
            workshop.runs.reply(run.id, "1", "eve"),
            workshop.runs.answer(run.id, "eve"),
            workshop.runs.cancel(run.id, "eve"),
        ):
            with pytest.raises(NotFound):
                await attempt
        assert (await workshop.runs.get(run.id, LOCAL_USER)).status is RunStatus.PAUSED


async def test_a_session_has_one_run_at_a_time(tmp_path: Path) -> None:
    """RS-189: a reply must mean one run; and only sessions of research have any."""
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.settled(await workshop.start())
        with pytest.raises(Conflict, match=r"of this session is paused\. Reply to it") as caught:
            await workshop.runs.start(DUES, session_id=run.session_id)
        assert caught.value.details["run_id"] == run.id
        await workshop.say(run, "1")
        again = await workshop.runs.start(DUES, session_id=run.session_id)
        assert again.session_id == run.session_id
        coaching = await workshop.house.core.sessions.create(SessionKind.COACHING, "/project")
        with pytest.raises(InvalidInput, match="is of the kind coaching"):
            await workshop.runs.start(DUES, session_id=coaching.id)
        with pytest.raises(NotFound):
            await workshop.runs.start(DUES, session_id="nowhere")


async def test_a_cancelled_run_leaves_what_it_had(tmp_path: Path) -> None:
    """RS-190: through our door or the core's, at once and for good. RS-143: with its summary."""
    async with open_workshop(tmp_path) as workshop:
        for cancel in (workshop.runs.cancel, workshop.house.core.runs.cancel):
            run = await workshop.settled(await workshop.start())
            assert (await cancel(run.id)).status is RunStatus.CANCELLED
            await workshop.runs.stop()
            assert run.session_id is not None
            folder = session_folder(workshop.house.core.choices.data_dir, run.session_id)
            summary = json.loads(folder.summary.read_text())
            assert (summary["exitReason"], summary["completedStages"]) == ("cancelled", [0])
            with pytest.raises(Conflict):
                await workshop.runs.reply(run.id, "1")


async def test_sources_are_made_ready_before_a_run_begins(tmp_path: Path) -> None:
    """RS-195: what cannot be made ready begins no run."""
    asked: list[tuple[str, str]] = []

    async def prepare(agent: Agent, user_id: str) -> None:
        asked.append((agent.slug, user_id))
        raise NotFound("There is no source 'almanac'.")

    async with open_workshop(tmp_path, prepare=prepare) as workshop:
        error = await refused(workshop)
        assert error.message == "There is no source 'almanac'."
        assert asked == [("deep-research", LOCAL_USER)]


async def test_many_runs_at_once_lose_no_event(tmp_path: Path) -> None:
    """RS-196: each has its whole list, and each its own substeps."""
    async with open_workshop(tmp_path) as workshop:
        started = await asyncio.gather(*(workshop.start(auto_proceed=True) for _ in range(20)))
        lists = []
        for run in started:
            assert (await workshop.settled(run)).status is RunStatus.COMPLETED
            events = await workshop.events(run)
            assert [event.position for event in events] == list(range(1, len(events) + 1))
            lists.append(sorted(event.type for event in events))
            ids = {e.payload["id"] for e in events if e.type == "substep"}
            assert len(ids) == 6
            assert all(run.id in each for each in ids)
        assert len(set(map(tuple, lists))) == 1
