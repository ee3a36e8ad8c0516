"""Turns as the doors see them: begun, answered, cancelled and read, one at a time a session."""

import asyncio
from pathlib import Path

import pytest

from bottega.assistant.loop.hooks import Hook, Revision
from bottega.assistant.loop.runs import LONGEST_INPUT
from bottega.assistant.loop.turn import Turn
from bottega.conversation.gates import Gate, GateItem, GateKind, GateReply, ItemReply
from bottega.core.runs import RunStatus
from bottega.core.sessions.session import SessionKind
from bottega.errors import BottegaError, Cancelled, Conflict, InvalidInput, NotFound, TooLarge
from tests.assistant.loop_app import PLUGIN, AskFirst, open_loop


class AskAbout(Hook):
    """A gate with items after the loop."""

    name = "ask-about"

    async def post_loop(self, turn: Turn) -> Revision | None:
        item = GateItem(id="starter", title="Starter", options=["accept", "revise"])
        options = ["accept", "revise"]
        gate = Gate(
            kind=GateKind.ADJUDICATION,
            text="What do you say?",
            items=[item],
            options=options,
            default="accept",
        )
        reply = await turn.person.ask(gate)
        if reply.items and reply.items[0].decision == "revise":
            return Revision(f"Change the starter: {reply.items[0].text}")
        return None


@pytest.mark.requirement("AS-150")
async def test_a_wrong_order_is_refused_before_anything_begins(tmp_path: Path) -> None:
    """Empty or endless input, unknown plugins, agents and commands, broken files."""
    async with open_loop(tmp_path, "Never said.") as app:
        app.command("draft")
        app.agent("broken", maxTurns="many")
        with pytest.raises(InvalidInput, match="empty"):
            await app.start("  \n ")
        with pytest.raises(TooLarge, match="50,001 characters"):
            await app.start("x" * (LONGEST_INPUT + 1))
        with pytest.raises(NotFound, match=PLUGIN):
            await app.runs.start(app.order().model_copy(update={"plugin": "workshopp"}))
        with pytest.raises(NotFound, match="worker"):
            await app.start(agent="wroker")
        with pytest.raises(NotFound, match="draft"):
            await app.start(command="drafft")
        with pytest.raises(InvalidInput, match="maxTurns"):
            await app.start(agent="broken")
        with pytest.raises(InvalidInput, match="no hook"):
            await app.start(hooks=["unheard-of"])
        with pytest.raises(InvalidInput, match="permission mode 'root'"):
            await app.start(permission="root")
        assert await app.core.runs.list() == []
        assert await app.runs.sessions.list(user_id=None) == []


@pytest.mark.requirement("AS-151")
async def test_a_session_has_one_turn_at_a_time(tmp_path: Path, database_url: str) -> None:
    """Another turn is a Conflict that names the one under way, until it has ended."""
    steps = ("One.", "Two.")
    async with open_loop(tmp_path, *steps, hooks=[AskFirst()], database_url=database_url) as app:
        app.agent(hooks=["ask-first"])
        first = await app.settled(await app.start())
        session_id = str(first.session_id)
        with pytest.raises(Conflict, match=first.id):
            await app.start("At once!", session_id=session_id)
        await app.reply(first, "confirm")

        both = [app.start(text, session_id=session_id) for text in ("Left?", "Right?")]
        begun = await asyncio.gather(*both, return_exceptions=True)
        refused = [each for each in begun if isinstance(each, Conflict)]
        [second] = [each for each in begun if not isinstance(each, BaseException)]
        assert len(refused) == 1
        await app.settled(second)
        await app.reply(second, "confirm")
        assert (await app.runs.result(second.id)).text == "Two."
        messages = await app.runs.sessions.messages(session_id, user_id="local")
        assert [message.position for message in messages] == [0, 1, 2, 3]


@pytest.mark.requirement("AS-152")
async def test_a_reply_is_held_against_its_gate(tmp_path: Path) -> None:
    """An option or item that is not offered is refused by name, and the gate stays open."""
    async with open_loop(tmp_path, "Long.", "Short.", hooks=[AskAbout()]) as app:
        app.agent(hooks=["ask-about"])
        run = await app.settled(await app.start())

        async def refused(**fields: object) -> str:
            with pytest.raises(InvalidInput) as error:
                await app.runs.reply(run.id, GateReply.model_validate(fields))
            assert (await app.runs.get(run.id)).status is RunStatus.PAUSED
            return error.value.message

        assert "accept, revise" in await refused(decision="burn")
        plenary = ItemReply(id="plenary", decision="accept")
        assert "starter" in await refused(decision="accept", items=[plenary])
        burnt = ItemReply(id="starter", decision="burn")
        assert "accept, revise" in await refused(decision="accept", items=[burnt])
        shorter = ItemReply(id="starter", decision="revise", text="shorter")
        again = await app.reply(run, "revise", items=[shorter])
        assert again.status is RunStatus.PAUSED, "the revision is asked about anew"
        await app.reply(run, "accept")
        assert (await app.runs.result(run.id)).text == "Short."


@pytest.mark.requirement("AS-153")
async def test_what_asks_nothing_takes_no_reply(tmp_path: Path) -> None:
    """A reply to an ended turn is a Conflict; another's turn is not there at all."""
    async with open_loop(tmp_path, "Done.", hooks=[AskFirst()]) as app:
        app.agent(hooks=["ask-first"])
        other = await app.core.users.create("Ada")
        run = await app.settled(await app.start())
        reply = GateReply(decision="confirm")
        with pytest.raises(NotFound):
            await app.runs.reply(run.id, reply, user_id=other.id)
        with pytest.raises(NotFound):
            await app.runs.get(run.id, user_id=other.id)
        with pytest.raises(NotFound):
            await app.runs.cancel(run.id, user_id=other.id)
        with pytest.raises(NotFound):
            await app.start(session_id=str(run.session_id), user_id=other.id)
        await app.reply(run, "confirm")
        assert await app.runs.gate(run.id) is None
        with pytest.raises(Conflict, match="asks nothing"):
            await app.runs.reply(run.id, reply)


@pytest.mark.requirement("AS-154")
async def test_a_cancelled_turn_keeps_what_was_said_and_frees_the_session(tmp_path: Path) -> None:
    """Cancelling ends it for good; the person's words stay, and another turn may begin."""
    async with open_loop(tmp_path, "Done.", hooks=[AskFirst()]) as app:
        app.agent(hooks=["ask-first"])
        run = await app.settled(await app.start("Something long."))
        cancelled = await app.runs.cancel(run.id)
        assert cancelled.status is RunStatus.CANCELLED
        with pytest.raises(Cancelled):
            await app.runs.result(run.id)
        session_id = str(run.session_id)
        messages = await app.runs.sessions.messages(session_id, user_id="local")
        assert [message.text for message in messages] == ["Something long."]
        again = await app.settled(await app.start("Something short.", session_id=session_id))
        await app.reply(again, "confirm")
        assert (await app.runs.result(again.id)).text == "Done."


@pytest.mark.requirement("AS-155")
async def test_there_is_no_result_before_the_end(tmp_path: Path) -> None:
    """Reading the result of a turn under way is a Conflict that says what it waits for."""
    async with open_loop(tmp_path, "Done.", hooks=[AskFirst()]) as app:
        app.agent(hooks=["ask-first"])
        run = await app.settled(await app.start())
        with pytest.raises(Conflict, match="waits for your reply") as error:
            await app.runs.result(run.id)
        assert error.value.details["waiting_for"]["prompt"]["kind"] == "feedforward"
        with pytest.raises(NotFound):
            await app.runs.result("run_none")


@pytest.mark.requirement("AS-156")
async def test_a_turn_goes_on_only_in_a_session_that_fits(tmp_path: Path) -> None:
    """Not in another plugin's session, another kind's, an ended one, or one of nobody."""
    async with open_loop(tmp_path, "Done.") as app:
        run = await app.settled(await app.start())
        other = tmp_path / "plugins" / "other" / "agents"
        other.mkdir(parents=True)
        source = tmp_path / "plugins" / PLUGIN / "agents" / "worker.md"
        (other / "worker.md").write_text(source.read_text())
        order = app.order().model_copy(update={"plugin": "other"})
        session_id = str(run.session_id)
        with pytest.raises(InvalidInput, match="belongs to the plugin"):
            await app.runs.start(order, session_id=session_id)
        with pytest.raises(NotFound):
            await app.start(session_id="none")
        coaching = await app.core.sessions.create(SessionKind.COACHING, "project")
        with pytest.raises(NotFound):
            await app.start(session_id=coaching.id)
        await app.core.sessions.end(session_id, user_id="local")
        with pytest.raises(Conflict, match="ended"):
            await app.start(session_id=session_id)


@pytest.mark.requirement("AS-153")
async def test_a_run_of_another_kind_is_none_of_ours(tmp_path: Path) -> None:
    """An id of another room's run finds nothing here."""
    from pydantic import BaseModel

    from bottega.core.runs import RunContext

    class Nothing(BaseModel):
        pass

    async def body(run: RunContext, input: Nothing) -> None:
        return None

    async with open_loop(tmp_path, "Done.") as app:
        app.core.runs.register("other", body)
        run_id = await app.core.runs.start("other", Nothing())
        with pytest.raises(BottegaError, match="no assistant's turn"):
            await app.runs.get(run_id)
