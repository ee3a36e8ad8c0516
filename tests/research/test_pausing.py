"""Talking to a paused run: going on, changing the plan, leaving, and every case between."""

from pathlib import Path

import pytest

from bottega.core.llm.testing import LoopbackApi, Received
from bottega.core.runs import Run, RunStatus
from bottega.research.agents.definition import Depth, StageName
from bottega.research.pipeline.schemas import ExitReason
from bottega.research.sessions.files import session_folder
from tests.research.orchestration import Script, ScriptedResearch, open_scripted_research

WEATHER = "Actually what is the weather in Zurich today?"


def kind_of(run: Run) -> str:
    assert run.waiting_for is not None
    return str(run.waiting_for["prompt"]["kind"])


async def types_of(research: ScriptedResearch, run: Run) -> list[str]:
    """What happened from the first pause message on, without the stages' own."""
    types = [event.type for event in await research.events(run)]
    passing = {"substep", "stage_started", "stage_completed"}
    return [each for each in types[types.index("pause_message") :] if each not in passing]


async def begin(research: ScriptedResearch, question: str = "What are the harbour dues?") -> Run:
    """A run at its first pause."""
    return await research.settled(await research.start(question=question))


@pytest.mark.requirement("RS-151", "RS-154")
async def test_a_run_waits_after_the_configured_stages(tmp_path: Path, database_url: str) -> None:
    """With a message made by code, what can be answered, and a status that says so.

    RS-154: one, or a plain word for it, goes on.
    """
    async with open_scripted_research(
        tmp_path, Script(web=True), database_url=database_url
    ) as research:
        run = await begin(research)
        assert (run.status, kind_of(run)) == (RunStatus.PAUSED, "READY")
        assert run.waiting_for is not None
        assert [option["key"] for option in run.waiting_for["prompt"]["options"]] == ["1", "2", "3"]
        [told] = await research.events(run, "pause_message")
        assert told.payload["text"] == run.waiting_for["prompt"]["text"]
        assert (told.payload["stage"], told.payload["kind"]) == (0, "READY")
        assert (await research.runs.state(run.id)).is_paused
        run = await research.say(run, "1")
        assert kind_of(run) == "CONFIRMED"
        run = await research.say(run, "Yes, go ahead.")
        assert run.status is RunStatus.COMPLETED
        assert research.script.names == list(StageName)
        resumed = await research.events(run, "resumed")
        assert [event.payload["reply"] for event in resumed] == ["1", "Yes, go ahead."]


@pytest.mark.requirement("RS-152", "RS-153")
async def test_what_gives_nothing_to_decide_does_not_pause(tmp_path: Path) -> None:
    """A calibration that was skipped. RS-153: a run that was told to go on by itself."""
    async with open_scripted_research(tmp_path, Script(web=False)) as research:
        run = await research.say(await begin(research), "proceed")
        assert run.status is RunStatus.COMPLETED
        assert len(await research.events(run, "paused")) == 1
        research.script.web = True
        run = await research.finish()
        assert run.status is RunStatus.COMPLETED
        assert await research.events(run, "paused", "pause_message") == []


@pytest.mark.requirement("RS-156", "RS-155", "RS-129")
async def test_any_other_words_change_the_plan_and_show_it_again(tmp_path: Path) -> None:
    """At either pause, as often as the person likes.

    RS-155: two asks what to change, and the answer does it.
    RS-129: a depth that the person asks for counts more than the one that was ordered.
    """
    async with open_scripted_research(tmp_path, Script(web=True)) as research:
        run = await research.settled(await research.start(depth=Depth.QUICK))
        run = await research.say(run, "only for small boats")
        assert kind_of(run) == "READY"
        assert run.waiting_for is not None
        assert "revise only for small boats" in run.waiting_for["prompt"]["text"]
        run = await research.say(run, "2")
        assert kind_of(run) == "MODIFYING"
        run = await research.say(run, "make it deep")
        assert kind_of(run) == "READY"
        run = await research.say(run, "1")
        assert kind_of(run) == "CONFIRMED"
        run = await research.say(run, "and add the fees")
        run = await research.say(run, "1")
        assert run.status is RunStatus.COMPLETED
        context = research.script.ran[2][1]
        assert [each.query for each in context.known.current_plan.sub_queries] == [
            "revise and add the fees"
        ]
        assert list(context.replies) == [
            "only for small boats",
            "make it deep",
            "and add the fees",
        ]
        assert context.depth is Depth.DEEP
        modified = await research.events(run, "plan_modified")
        assert [(e.payload["stage"], e.payload["reply"]) for e in modified] == [
            (0, "only for small boats"),
            (0, "make it deep"),
            (1, "and add the fees"),
        ]
        state = await research.runs.state(run.id)
        assert state.sub_query_texts == ["revise and add the fees"]


@pytest.mark.requirement("RS-157", "RS-160")
async def test_leaving_is_asked_about_and_denied(tmp_path: Path) -> None:
    """Case A: who says no goes on with the next stage, as if nothing had been said.

    RS-160: case D: words that ask to leave, or exactly three, are asked about first.
    """
    async with open_scripted_research(tmp_path) as research:
        run = await research.say(await begin(research), "3")
        assert kind_of(run) == "LEAVING"
        state = await research.runs.state(run.id)
        assert (state.is_breakout_pending, state.is_paused) == (True, True)
        run = await research.say(run, "2.")
        assert run.status is RunStatus.COMPLETED
        assert research.script.names == list(StageName)
        assert (await research.runs.result(run.id)).exit_reason is ExitReason.COMPLETED
        assert await types_of(research, run) == [
            *("pause_message", "paused", "replied", "breakout_pending"),
            *("pause_message", "paused", "replied", "resumed", "completed"),
        ]


@pytest.mark.requirement("RS-158", "RS-159", "RS-166")
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
    """Case B: what made us ask is answered next, if it asks something.

    RS-159: case C: other words confirm too, and are themselves what is answered next.
    RS-166: a run that was left is over, and not paused any more.
    """
    async with open_scripted_research(tmp_path) as research:
        run = await research.say(await begin(research), said)
        assert kind_of(run) == "LEAVING"
        run = await research.say(run, reply)
        assert run.status is RunStatus.COMPLETED
        outcome = await research.runs.result(run.id)
        assert (outcome.exit_reason, outcome.open_question) == (ExitReason.BREAKOUT, question)
        [told] = await research.events(run, "breakout")
        assert told.payload["confirmed"] == confirmed
        state = await research.runs.state(run.id)
        assert (state.is_paused, state.is_breakout_pending) == (False, False)
        assert (state.exit_reason, state.was_partial) == (ExitReason.BREAKOUT, True)
        assert run.session_id is not None
        folder = session_folder(research.app.core.choices.data_dir, run.session_id)
        assert '"exitReason": "breakout"' in folder.summary.read_text()
        assert research.script.names == [StageName.ANALYZE]


@pytest.mark.requirement("RS-164")
@pytest.mark.parametrize(
    "said", ["Don't cancel the pipeline, only drop the fees", "This is not a new question: fees"]
)
async def test_negated_words_do_not_leave(tmp_path: Path, said: str) -> None:
    """They change the plan like any others."""
    async with open_scripted_research(tmp_path) as research:
        run = await research.say(await begin(research), said)
        assert kind_of(run) == "READY"
        assert len(await research.events(run, "plan_modified")) == 1


def classifies(request: Received) -> bool:
    return "confidence" in str(request.body.get("output_config"))


@pytest.mark.requirement("RS-161", "RS-162", "RS-163")
async def test_a_model_judges_what_words_do_not_tell(tmp_path: Path) -> None:
    """Case D': it is sure that the message is about another thing: that is asked about.

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
        async with open_scripted_research(tmp_path, api=api) as research:
            run = await begin(research)
            for _ in range(3):
                run = await research.say(run, WEATHER)
                assert kind_of(run) == "READY"
            run = await research.say(run, WEATHER)
            assert kind_of(run) == "LEAVING"
            asked = len(list(filter(classifies, api.requests)))
            run = await research.say(run, "yes")
            assert (await research.runs.result(run.id)).open_question == WEATHER
            told = await research.events(run, "breakout_pending")
            assert [event.payload["detected_by"] for event in told] == ["semantic"]

            run = await begin(research)
            for plain in ("2", "exit the pipeline", "1"):
                run = await research.say(run, plain)
            assert len(list(filter(classifies, api.requests))) == asked == 4


@pytest.mark.requirement("RS-168")
async def test_a_plan_that_cannot_be_changed_stays_and_the_run_waits_on(tmp_path: Path) -> None:
    """A model that fails at a pause costs nobody their run."""
    async with LoopbackApi() as api:
        api.reply(json={"classification": "unclear", "confidence": 1}, when=classifies, times=3)
        api.reply(status=400, text="overfull", when=lambda r: "revise: " in str(r.body))
        async with open_scripted_research(tmp_path, api=api) as research:
            run = await research.say(await begin(research), "only for small boats")
            assert kind_of(run) == "READY"
            assert run.waiting_for is not None
            assert "could not change the plan just now" in run.waiting_for["prompt"]["text"]
            assert "overfull" in run.waiting_for["prompt"]["text"]
            assert await research.events(run, "plan_modified") == []


@pytest.mark.requirement("RS-165")
async def test_long_messages_are_cut_in_events_and_nowhere_else(tmp_path: Path) -> None:
    """500 characters are told, the whole is what is answered next."""
    long = "Something else: " + "why? " * 300
    async with open_scripted_research(tmp_path) as research:
        run = await research.say(await begin(research), long)
        run = await research.say(run, "yes")
        [pending] = await research.events(run, "breakout_pending")
        [left] = await research.events(run, "breakout")
        assert pending.payload["user_message"] == left.payload["user_message"] == long[:500]
        assert (await research.runs.result(run.id)).open_question == long


@pytest.mark.requirement("RS-169")
async def test_replies_through_the_core_s_own_door_do_no_harm(tmp_path: Path) -> None:
    """What is no text is read as some, and an empty one is asked for again."""
    async with open_scripted_research(tmp_path) as research:
        run = await begin(research)
        await research.app.core.runs.reply(run.id, "  ")
        run = await research.settled(run)
        assert kind_of(run) == "READY"
        await research.app.core.runs.reply(run.id, 1)
        assert (await research.settled(run)).status is RunStatus.COMPLETED


@pytest.mark.requirement("RS-167")
async def test_a_question_to_leave_is_still_open_after_a_restart(tmp_path: Path) -> None:
    """It stands in the list of events, so the answer means the same as before."""
    async with open_scripted_research(tmp_path) as research:
        run = await research.say(await begin(research), f"Something else: {WEATHER}")
        run_id, before = run.id, await research.events(run)
    async with open_scripted_research(tmp_path) as research:
        run = await research.runs.get(run_id)
        assert kind_of(run) == "LEAVING"
        assert (await research.runs.state(run_id)).is_breakout_pending
        await research.app.core.runs.recover()
        run = await research.say(run, "2")
        assert run.status is RunStatus.COMPLETED
        after = [event for event in await research.events(run) if event.type != "recovered"]
        assert after[: len(before)] == before
        assert research.script.names == list(StageName)
        assert len(await research.events(run, "breakout_pending")) == 1
