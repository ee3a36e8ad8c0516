"""Turns as the doors see them: begun, answered, cancelled and read, one at a time a session."""

import asyncio
from pathlib import Path

import pytest

from bottega.assistant.gates.gate import Gate, GateItem, GateKind, GateReply, ItemReply
from bottega.assistant.hooks.hook import Hook, Revision
from bottega.assistant.loop.turn import Turn
from bottega.assistant.runs import LONGEST_INPUT
from bottega.core.runs import RunStatus
from bottega.core.sessions import SessionKind
from bottega.errors import BottegaError, Cancelled, Conflict, InvalidInput, NotFound, TooLarge
from tests.assistant.loop_house import PLUGIN, AskFirst, open_loop_house


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


async def test_a_wrong_order_is_refused_before_anything_begins(tmp_path: Path) -> None:
    """AS-150: empty or endless input, unknown plugins, agents and commands, broken files."""
    async with open_loop_house(tmp_path, "Never said.") as house:
        house.command("draft")
        house.agent("broken", maxTurns="many")
        with pytest.raises(InvalidInput, match="empty"):
            await house.start("  \n ")
        with pytest.raises(TooLarge, match="50,001 characters"):
            await house.start("x" * (LONGEST_INPUT + 1))
        with pytest.raises(NotFound, match=PLUGIN):
            await house.runs.start(house.order().model_copy(update={"plugin": "workshopp"}))
        with pytest.raises(NotFound, match="worker"):
            await house.start(agent="wroker")
        with pytest.raises(NotFound, match="draft"):
            await house.start(command="drafft")
        with pytest.raises(InvalidInput, match="maxTurns"):
            await house.start(agent="broken")
        with pytest.raises(InvalidInput, match="no hook"):
            await house.start(hooks=["unheard-of"])
        with pytest.raises(InvalidInput, match="permission mode 'root'"):
            await house.start(permission="root")
        assert await house.core.runs.list() == []
        assert await house.runs.sessions.list(user_id=None) == []


async def test_a_session_has_one_turn_at_a_time(tmp_path: Path, database_url: str) -> None:
    """AS-151: another turn is a Conflict that names the one under way, until it has ended."""
    steps = ("One.", "Two.")
    async with open_loop_house(
        tmp_path, *steps, hooks=[AskFirst()], database_url=database_url
    ) as house:
        house.agent(hooks=["ask-first"])
        first = await house.settled(await house.start())
        session_id = str(first.session_id)
        with pytest.raises(Conflict, match=first.id):
            await house.start("At once!", session_id=session_id)
        await house.reply(first, "confirm")

        both = [house.start(text, session_id=session_id) for text in ("Left?", "Right?")]
        begun = await asyncio.gather(*both, return_exceptions=True)
        refused = [each for each in begun if isinstance(each, Conflict)]
        [second] = [each for each in begun if not isinstance(each, BaseException)]
        assert len(refused) == 1
        await house.settled(second)
        await house.reply(second, "confirm")
        assert (await house.runs.result(second.id)).text == "Two."
        messages = await house.runs.sessions.messages(session_id, user_id="local")
        assert [message.position for message in messages] == [0, 1, 2, 3]


async def test_a_reply_is_held_against_its_gate(tmp_path: Path) -> None:
    """AS-152: an option or item that is not offered is refused by name, and the gate stays open."""
    async with open_loop_house(tmp_path, "Long.", "Short.", hooks=[AskAbout()]) as house:
        house.agent(hooks=["ask-about"])
        run = await house.settled(await house.start())

        async def refused(**fields: object) -> str:
            with pytest.raises(InvalidInput) as error:
                await house.runs.reply(run.id, GateReply.model_validate(fields))
            assert (await house.runs.get(run.id)).status is RunStatus.PAUSED
            return error.value.message

        assert "accept, revise" in await refused(decision="burn")
        plenary = ItemReply(id="plenary", decision="accept")
        assert "starter" in await refused(decision="accept", items=[plenary])
        burnt = ItemReply(id="starter", decision="burn")
        assert "accept, revise" in await refused(decision="accept", items=[burnt])
        shorter = ItemReply(id="starter", decision="revise", text="shorter")
        again = await house.reply(run, "revise", items=[shorter])
        assert again.status is RunStatus.PAUSED, "the revision is asked about anew"
        await house.reply(run, "accept")
        assert (await house.runs.result(run.id)).text == "Short."


async def test_what_asks_nothing_takes_no_reply(tmp_path: Path) -> None:
    """AS-153: a reply to an ended turn is a Conflict; another's turn is not there at all."""
    async with open_loop_house(tmp_path, "Done.", hooks=[AskFirst()]) as house:
        house.agent(hooks=["ask-first"])
        other = await house.core.users.create("Ada")
        run = await house.settled(await house.start())
        reply = GateReply(decision="confirm")
        with pytest.raises(NotFound):
            await house.runs.reply(run.id, reply, user_id=other.id)
        with pytest.raises(NotFound):
            await house.runs.get(run.id, user_id=other.id)
        with pytest.raises(NotFound):
            await house.runs.cancel(run.id, user_id=other.id)
        with pytest.raises(NotFound):
            await house.start(session_id=str(run.session_id), user_id=other.id)
        await house.reply(run, "confirm")
        assert await house.runs.gate(run.id) is None
        with pytest.raises(Conflict, match="asks nothing"):
            await house.runs.reply(run.id, reply)


async def test_a_cancelled_turn_keeps_what_was_said_and_frees_the_session(tmp_path: Path) -> None:
    """AS-154: cancelling ends it for good; the person's words stay, and another turn may begin."""
    async with open_loop_house(tmp_path, "Done.", hooks=[AskFirst()]) as house:
        house.agent(hooks=["ask-first"])
        run = await house.settled(await house.start("Something long."))
        cancelled = await house.runs.cancel(run.id)
        assert cancelled.status is RunStatus.CANCELLED
        with pytest.raises(Cancelled):
            await house.runs.result(run.id)
        session_id = str(run.session_id)
        messages = await house.runs.sessions.messages(session_id, user_id="local")
        assert [message.text for message in messages] == ["Something long."]
        again = await house.settled(await house.start("Something short.", session_id=session_id))
        await house.reply(again, "confirm")
        assert (await house.runs.result(again.id)).text == "Done."


async def test_there_is_no_result_before_the_end(tmp_path: Path) -> None:
    """AS-155: reading the result of a turn under way is a Conflict that says what it waits for."""
    async with open_loop_house(tmp_path, "Done.", hooks=[AskFirst()]) as house:
        house.agent(hooks=["ask-first"])
        run = await house.settled(await house.start())
        with pytest.raises(Conflict, match="waits for your reply") as error:
            await house.runs.result(run.id)
        assert error.value.details["waiting_for"]["prompt"]["kind"] == "feedforward"
        with pytest.raises(NotFound):
            await house.runs.result("run_none")


async def test_a_turn_goes_on_only_in_a_session_that_fits(tmp_path: Path) -> None:
    """AS-156: not in another plugin's session, another kind's, an ended one, or one of nobody."""
    async with open_loop_house(tmp_path, "Done.") as house:
        run = await house.settled(await house.start())
        other = tmp_path / "plugins" / "other" / "agents"
        other.mkdir(parents=True)
        source = tmp_path / "plugins" / PLUGIN / "agents" / "worker.md"
        (other / "worker.md").write_text(source.read_text())
        order = house.order().model_copy(update={"plugin": "other"})
        session_id = str(run.session_id)
        with pytest.raises(InvalidInput, match="belongs to the plugin"):
            await house.runs.start(order, session_id=session_id)
        with pytest.raises(NotFound):
            await house.start(session_id="none")
        coaching = await house.core.sessions.create(SessionKind.COACHING, "project")
        with pytest.raises(NotFound):
            await house.start(session_id=coaching.id)
        await house.core.sessions.end(session_id, user_id="local")
        with pytest.raises(Conflict, match="ended"):
            await house.start(session_id=session_id)


async def test_a_run_of_another_kind_is_none_of_ours(tmp_path: Path) -> None:
    """AS-153: an id of another room's run finds nothing here."""
    from pydantic import BaseModel

    from bottega.core.runs import RunContext

    class Nothing(BaseModel):
        pass

    async def body(run: RunContext, input: Nothing) -> None:
        return None

    async with open_loop_house(tmp_path, "Done.") as house:
        house.core.runs.register("other", body)
        run_id = await house.core.runs.start("other", Nothing())
        with pytest.raises(BottegaError, match="no assistant's turn"):
            await house.runs.get(run_id)
