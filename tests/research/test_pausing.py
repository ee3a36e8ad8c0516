"""Talking to a paused run: going on, changing the plan, leaving, and every case between."""

from pathlib import Path

import pytest

from bottega.core.llm.testing import LoopbackApi, Received
from bottega.core.runs import Run, RunStatus
from bottega.research.agents.definition import Depth, StageName
from bottega.research.folders import session_folder
from bottega.research.pipeline.orders import ExitReason
from tests.research.orchestration import Script, Workshop, open_workshop

WEATHER = "Actually what is the weather in Zurich today?"


def kind_of(run: Run) -> str:
    assert run.waiting_for is not None
    return str(run.waiting_for["prompt"]["kind"])


async def types_of(workshop: Workshop, run: Run) -> list[str]:
    """What happened from the first pause message on, without the stages' own."""
    types = [event.type for event in await workshop.events(run)]
    passing = {"substep", "stage_started", "stage_completed"}
    return [each for each in types[types.index("pause_message") :] if each not in passing]


async def begin(workshop: Workshop, question: str = "What are the harbour dues?") -> Run:
    """A run at its first pause."""
    return await workshop.settled(await workshop.start(question=question))


async def test_a_run_waits_after_the_configured_stages(tmp_path: Path, database_url: str) -> None:
    """RS-151: with a message made by code, what can be answered, and a status that says so.

    RS-154: one, or a plain word for it, goes on.
    """
    async with open_workshop(tmp_path, Script(web=True), database_url=database_url) as workshop:
        run = await begin(workshop)
        assert (run.status, kind_of(run)) == (RunStatus.PAUSED, "READY")
        assert run.waiting_for is not None
        assert [option["key"] for option in run.waiting_for["prompt"]["options"]] == ["1", "2", "3"]
        [told] = await workshop.events(run, "pause_message")
        assert told.payload["text"] == run.waiting_for["prompt"]["text"]
        assert (told.payload["stage"], told.payload["kind"]) == (0, "READY")
        assert (await workshop.runs.state(run.id)).is_paused
        run = await workshop.say(run, "1")
        assert kind_of(run) == "CONFIRMED"
        run = await workshop.say(run, "Yes, go ahead.")
        assert run.status is RunStatus.COMPLETED
        assert workshop.script.names == list(StageName)
        resumed = await workshop.events(run, "resumed")
        assert [event.payload["reply"] for event in resumed] == ["1", "Yes, go ahead."]


async def test_what_gives_nothing_to_decide_does_not_pause(tmp_path: Path) -> None:
    """RS-152: a calibration that was skipped. RS-153: a run that was told to go on by itself."""
    async with open_workshop(tmp_path, Script(web=False)) as workshop:
        run = await workshop.say(await begin(workshop), "proceed")
        assert run.status is RunStatus.COMPLETED
        assert len(await workshop.events(run, "paused")) == 1
        workshop.script.web = True
        run = await workshop.finish()
        assert run.status is RunStatus.COMPLETED
        assert await workshop.events(run, "paused", "pause_message") == []


async def test_any_other_words_change_the_plan_and_show_it_again(tmp_path: Path) -> None:
    """RS-156: at either pause, as often as the person likes.

    RS-155: two asks what to change, and the answer does it.
    RS-129: a depth that the person asks for counts more than the one that was ordered.
    """
    async with open_workshop(tmp_path, Script(web=True)) as workshop:
        run = await workshop.settled(await workshop.start(depth=Depth.QUICK))
        run = await workshop.say(run, "only for small boats")
        assert kind_of(run) == "READY"
        assert run.waiting_for is not None
        assert "revise only for small boats" in run.waiting_for["prompt"]["text"]
        run = await workshop.say(run, "2")
        assert kind_of(run) == "MODIFYING"
        run = await workshop.say(run, "make it deep")
        assert kind_of(run) == "READY"
        run = await workshop.say(run, "1")
        assert kind_of(run) == "CONFIRMED"
        run = await workshop.say(run, "and add the fees")
        run = await workshop.say(run, "1")
        assert run.status is RunStatus.COMPLETED
        context = workshop.script.ran[2][1]
        assert [each.query for each in context.known.current_plan.sub_queries] == [
            "revise and add the fees"
        ]
        assert list(context.replies) == [
            "only for small boats",
            "make it deep",
            "and add the fees",
        ]
        assert context.depth is Depth.DEEP
        modified = await workshop.events(run, "plan_modified")
        assert [(e.payload["stage"], e.payload["reply"]) for e in modified] == [
            (0, "only for small boats"),
            (0, "make it deep"),
            (1, "and add the fees"),
        ]
        state = await workshop.runs.state(run.id)
        assert state.sub_query_texts == ["revise and add the fees"]


async def test_leaving_is_asked_about_and_denied(tmp_path: Path) -> None:
    """RS-157: case A: who says no goes on with the next stage, as if nothing had been said.

    RS-160: case D: words that ask to leave, or exactly three, are asked about first.
    """
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.say(await begin(workshop), "3")
        assert kind_of(run) == "LEAVING"
        state = await workshop.runs.state(run.id)
        assert (state.is_breakout_pending, state.is_paused) == (True, True)
        run = await workshop.say(run, "2.")
        assert run.status is RunStatus.COMPLETED
        assert workshop.script.names == list(StageName)
        assert (await workshop.runs.answer(run.id)).exit_reason is ExitReason.COMPLETED
        assert await types_of(workshop, run) == [
            *("pause_message", "paused", "replied", "breakout_pending"),
            *("pause_message", "paused", "replied", "resumed", "completed"),
        ]


@pytest.mark.parametrize(
    ("said", "reply", "confirmed", "question"),
    [
        (f"Something else: {WEATHER}", "yes", "explicit", f"Something else: {WEATHER}"),
        (f"Something else: {WEATHER}", "1", "explicit", f"Something else: {WEATHER}"),
        ("3", "1.", "explicit", None),
        ("exit the pipeline", "How do I make tea?", "implicit", "How do I make tea?"),
        ("never mind", "Stage 1 looks odd to me", "implicit", "Stage 1 looks odd to me"),
    ],
)
async def test_leaving_is_confirmed(
    tmp_path: Path, said: str, reply: str, confirmed: str, question: str | None
) -> None:
    """RS-158: case B: what made us ask is answered next, if it asks something.

    RS-159: case C: other words confirm too, and are themselves what is answered next.
    RS-166: a run that was left is over, and not paused any more.
    """
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.say(await begin(workshop), said)
        assert kind_of(run) == "LEAVING"
        run = await workshop.say(run, reply)
        assert run.status is RunStatus.COMPLETED
        outcome = await workshop.runs.answer(run.id)
        assert (outcome.exit_reason, outcome.open_question) == (ExitReason.BREAKOUT, question)
        [told] = await workshop.events(run, "breakout")
        assert told.payload["confirmed"] == confirmed
        state = await workshop.runs.state(run.id)
        assert (state.is_paused, state.is_breakout_pending) == (False, False)
        assert (state.exit_reason, state.was_partial) == (ExitReason.BREAKOUT, True)
        assert run.session_id is not None
        folder = session_folder(workshop.house.core.choices.data_dir, run.session_id)
        assert '"exitReason": "breakout"' in folder.summary.read_text()
        assert workshop.script.names == [StageName.ANALYZE]


@pytest.mark.parametrize(
    "said", ["Don't cancel the pipeline, only drop the fees", "This is not a new question: fees"]
)
async def test_negated_words_do_not_leave(tmp_path: Path, said: str) -> None:
    """RS-164: they change the plan like any others."""
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.say(await begin(workshop), said)
        assert kind_of(run) == "READY"
        assert len(await workshop.events(run, "plan_modified")) == 1


def classifies(request: Received) -> bool:
    return "confidence" in str(request.body.get("output_config"))


async def test_a_model_judges_what_words_do_not_tell(tmp_path: Path) -> None:
    """RS-161: case D': it is sure that the message is about another thing: that is asked about.

    RS-162: below 0.7, or when it cannot tell or fails, the message belongs to the run.
    RS-163: words that are plain need no model.
    """
    async with LoopbackApi() as api:
        for reply in (
            {"json": {"classification": "breakout", "confidence": 0.69}},
            {"json": {"classification": "unclear", "confidence": 0.99}},
            {"status": 400, "text": "no"},
            {"json": {"classification": "breakout", "confidence": 0.7}},
        ):
            api.reply(when=classifies, **reply)
        async with open_workshop(tmp_path, api=api) as workshop:
            run = await begin(workshop)
            for _ in range(3):
                run = await workshop.say(run, WEATHER)
                assert kind_of(run) == "READY"
            run = await workshop.say(run, WEATHER)
            assert kind_of(run) == "LEAVING"
            asked = len(list(filter(classifies, api.requests)))
            run = await workshop.say(run, "yes")
            assert (await workshop.runs.answer(run.id)).open_question == WEATHER
            told = await workshop.events(run, "breakout_pending")
            assert [event.payload["detected_by"] for event in told] == ["semantic"]

            run = await begin(workshop)
            for plain in ("2", "exit the pipeline", "1"):
                run = await workshop.say(run, plain)
            assert len(list(filter(classifies, api.requests))) == asked == 4


async def test_a_plan_that_cannot_be_changed_stays_and_the_run_waits_on(tmp_path: Path) -> None:
    """RS-168: a model that fails at a pause costs nobody their run."""
    async with LoopbackApi() as api:
        api.reply(json={"classification": "unclear", "confidence": 1}, when=classifies, times=3)
        api.reply(status=400, text="overfull", when=lambda r: "revise: " in str(r.body))
        async with open_workshop(tmp_path, api=api) as workshop:
            run = await workshop.say(await begin(workshop), "only for small boats")
            assert kind_of(run) == "READY"
            assert run.waiting_for is not None
            assert "could not change the plan just now" in run.waiting_for["prompt"]["text"]
            assert "overfull" in run.waiting_for["prompt"]["text"]
            assert await workshop.events(run, "plan_modified") == []


async def test_long_messages_are_cut_in_events_and_nowhere_else(tmp_path: Path) -> None:
    """RS-165: 500 characters are told, the whole is what is answered next."""
    long = "Something else: " + "why? " * 300
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.say(await begin(workshop), long)
        run = await workshop.say(run, "yes")
        [pending] = await workshop.events(run, "breakout_pending")
        [left] = await workshop.events(run, "breakout")
        assert pending.payload["user_message"] == left.payload["user_message"] == long[:500]
        assert (await workshop.runs.answer(run.id)).open_question == long


async def test_replies_through_the_core_s_own_door_do_no_harm(tmp_path: Path) -> None:
    """RS-169: what is no text is read as some, and an empty one is asked for again."""
    async with open_workshop(tmp_path) as workshop:
        run = await begin(workshop)
        await workshop.house.core.runs.reply(run.id, "  ")
        run = await workshop.settled(run)
        assert kind_of(run) == "READY"
        await workshop.house.core.runs.reply(run.id, 1)
        assert (await workshop.settled(run)).status is RunStatus.COMPLETED


async def test_a_question_to_leave_is_still_open_after_a_restart(tmp_path: Path) -> None:
    """RS-167: it stands in the list of events, so the answer means the same as before."""
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.say(await begin(workshop), f"Something else: {WEATHER}")
        run_id, before = run.id, await workshop.events(run)
    async with open_workshop(tmp_path) as workshop:
        run = await workshop.runs.get(run_id)
        assert kind_of(run) == "LEAVING"
        assert (await workshop.runs.state(run_id)).is_breakout_pending
        await workshop.house.core.runs.recover()
        run = await workshop.say(run, "2")
        assert run.status is RunStatus.COMPLETED
        after = [event for event in await workshop.events(run) if event.type != "recovered"]
        assert after[: len(before)] == before
        assert workshop.script.names == list(StageName)
        assert len(await workshop.events(run, "breakout_pending")) == 1
