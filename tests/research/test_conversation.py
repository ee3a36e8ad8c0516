"""Talking in a research session: to runs, about them, and without them."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bottega.core.events import Event
from bottega.core.llm.testing import LoopbackApi
from bottega.core.runs import RunStatus
from bottega.core.services import Core
from bottega.core.sessions.session import Session, SessionKind
from bottega.core.users import LOCAL_USER
from bottega.errors import BudgetExceeded, Conflict, InvalidInput, ModelError, NotFound, TooLarge
from bottega.research.dialogue.chat import Chat
from bottega.research.dialogue.conversation import Conversation, ConversationTurn
from bottega.research.pipeline.state import read_summary
from bottega.research.sessions.files import session_folder
from bottega.research.sources.service import Sources
from tests.research.orchestration import DUES, Script, ScriptedResearch, open_scripted_research

WEATHER = "Actually what is the weather in zurich today?"


@dataclass
class Room:
    research: ScriptedResearch
    conversation: Conversation
    session: Session
    sources: Sources

    @property
    def core(self) -> Core:
        return self.research.app.core

    async def say(self, text: str, **about: Any) -> ConversationTurn:
        async with asyncio.timeout(20):
            return await self.conversation.say(self.session.id, text, user_id=LOCAL_USER, **about)

    async def told(self) -> list[tuple[str, str]]:
        messages = await self.core.conversations.list(self.session.id, user_id=LOCAL_USER)
        return [(message.role, message.content["type"]) for message in messages]


@asynccontextmanager
async def open_room(
    root: Path,
    script: Script | None = None,
    *,
    database_url: str | None = None,
    api: LoopbackApi | None = None,
    **chat: Any,
) -> AsyncIterator[Room]:
    async with open_scripted_research(root, script, database_url=database_url, api=api) as research:
        app = research.app
        sources = Sources(app.core)
        conversation = Conversation(
            app.core,
            research.runs,
            app.libraries,
            Chat(app.core, app.libraries, sources, **chat),
        )
        session = await app.core.sessions.create(
            SessionKind.RESEARCH, "/p", data={"library": "harbour"}
        )
        try:
            yield Room(research, conversation, session, sources)
        finally:
            await conversation.stop()
            await sources.stop()


@pytest.mark.requirement("RS-460")
async def test_a_question_to_an_agent_becomes_a_run_in_the_conversation(
    tmp_path: Path, database_url: str
) -> None:
    """The question, the pause, the reply and the answer stand in it, in this order."""
    async with open_room(tmp_path, database_url=database_url) as room:
        turn = await room.say("@deep-research What are the dues?")
        assert turn.run is not None
        assert turn.run.status is RunStatus.PAUSED
        question, pause = turn.messages
        assert question.text == "What are the dues?"
        assert "1. Go on" in pause.text
        assert pause.content["run_id"] == turn.run.id

        turn = await room.say("1")
        reply, answer = turn.messages
        assert reply.text == "1"
        assert answer.text == "# write What are the dues?"
        assert answer.content["status"] == "verified"
        assert turn.run is not None
        assert turn.run.status is RunStatus.COMPLETED
        assert await room.told() == [
            ("user", "question"),
            ("assistant", "pause"),
            ("user", "reply"),
            ("assistant", "answer"),
        ]


@pytest.mark.requirement("RS-461")
async def test_words_change_the_plan_and_show_it_again(tmp_path: Path) -> None:
    """A reply that is neither yes nor leaving is worked into the plan."""
    async with open_room(tmp_path) as room:
        await room.say("@deep-research What are the dues?")
        turn = await room.say("only the crane")
        assert turn.run is not None
        assert turn.run.status is RunStatus.PAUSED
        assert "revise only the crane" in turn.messages[-1].text


@pytest.mark.requirement("RS-462")
async def test_a_call_that_cannot_be_is_explained_and_kept(tmp_path: Path) -> None:
    """An unknown agent is answered with those that there are; the words are not lost."""
    async with open_room(tmp_path) as room:
        with pytest.raises(NotFound, match=r"There are: .*deep-research"):
            await room.say("@deep-reserch What?")
        for text in ("@deep-research", "@Deep-Research \n "):
            with pytest.raises(InvalidInput, match="Write your question"):
                await room.say(text)
        assert await room.told() == 3 * [("user", "chat"), ("assistant", "error")]
        kept = await room.conversation.open(room.session.id, user_id=LOCAL_USER)
        assert kept[0].text == "@deep-reserch What?"
        assert await room.core.runs.list() == []


@pytest.mark.requirement("RS-462")
async def test_a_library_has_to_be_known(tmp_path: Path) -> None:
    """One that is not there is named; without any choice those that there are."""
    async with open_room(tmp_path) as room:
        with pytest.raises(NotFound, match="harbour"):
            await room.say("@deep-research Dues?", library="nowhere")
        await room.core.sessions.update(room.session.id, user_id=LOCAL_USER, data={})
        await room.research.app.libraries.libraries.create("second")
        with pytest.raises(InvalidInput, match="harbour, second"):
            await room.say("@deep-research Dues?")


@pytest.mark.requirement("RS-463")
async def test_the_next_question_follows_up_the_last_answer(tmp_path: Path) -> None:
    """By itself, within a session; the stages get the sections that were answered."""
    async with open_room(tmp_path) as room:
        first = await room.say("@deep-research What are the dues?")
        await room.say("proceed")
        second = await room.say("@deep-research And for museums?")
        assert first.run is not None
        assert second.run is not None
        assert second.run.input["follow_up_of"] == first.run.id
        prior = room.research.script.ran[-1][1].prior
        assert prior.question == "What are the dues?"
        assert [section.excerpt for section in prior.sections] == ["write What are the dues?"]


@pytest.mark.requirement("RS-464")
async def test_leaving_answers_the_question_that_led_to_it(tmp_path: Path) -> None:
    """Asked first, then left; the question of before is answered as a chat turn, and the
    partial research is kept."""
    async with open_room(tmp_path) as room:
        await room.say("@deep-research What are the dues?")
        asked = await room.say(WEATHER)
        assert asked.run is not None
        assert asked.run.status is RunStatus.PAUSED
        assert "Shall I end it?" in asked.messages[-1].text

        left = await room.say("yes")
        assert [message.content["type"] for message in left.messages] == ["reply", "info", "chat"]
        assert left.messages[1].content["open_question"] == WEATHER
        assert "does not hold an answer" in left.messages[2].text
        folder = session_folder(room.core.choices.data_dir, room.session.id)
        summary = await read_summary(folder)
        assert summary is not None
        assert (summary.exit_reason, summary.was_partial) == ("breakout", True)
        assert summary.sub_queries == ["plan What are the dues?"]


@pytest.mark.requirement("RS-464")
async def test_leaving_without_a_question_asks_for_one(tmp_path: Path) -> None:
    """ "3" and "1" ask nothing, so nothing is made up to answer."""
    async with open_room(tmp_path) as room:
        await room.say("@deep-research What are the dues?")
        await room.say("3")
        left = await room.say("1")
        assert [message.content["type"] for message in left.messages] == ["reply", "info"]
        assert "What would you like to know?" in left.messages[-1].text


@pytest.mark.requirement("RS-464")
async def test_whoever_moves_on_is_answered(tmp_path: Path) -> None:
    """Neither yes nor no is the next question."""
    async with open_room(tmp_path) as room:
        await room.say("@deep-research What are the dues?")
        await room.say("something else")
        left = await room.say("What does the crane cost for half an hour?")
        assert "EUR 45" in left.messages[-1].text
        assert "450.6" in left.messages[-1].content["references"]


@pytest.mark.requirement("RS-465")
async def test_staying_goes_on(tmp_path: Path) -> None:
    """A denied wish to leave continues the run where it was."""
    async with open_room(tmp_path) as room:
        await room.say("@deep-research What are the dues?")
        await room.say("never mind")
        stayed = await room.say("no, stay")
        assert stayed.run is not None
        assert stayed.run.status is RunStatus.COMPLETED
        assert stayed.messages[-1].content["type"] == "answer"


@pytest.mark.requirement("RS-466")
async def test_a_waiting_run_comes_before_a_new_one(tmp_path: Path) -> None:
    """A second research in a session is refused while the first one waits."""
    async with open_room(tmp_path) as room:
        first = await room.say("@deep-research What are the dues?")
        assert first.run is not None
        with pytest.raises(Conflict, match=first.run.id):
            await room.say("@deep-research Something else entirely")
        assert (await room.core.runs.get(first.run.id)).status is RunStatus.PAUSED


@pytest.mark.requirement("RS-470")
async def test_without_a_model_the_library_is_quoted(tmp_path: Path, database_url: str) -> None:
    """Word for word with references, and it says that no model was used."""
    async with open_room(tmp_path, database_url=database_url) as room:
        turn = await room.say("What does the crane cost for each half hour?")
        asked, answer = turn.messages
        assert (asked.role, answer.role) == ("user", "assistant")
        assert "The crane costs EUR 45 for each half hour begun." in answer.text
        assert "[450.6]" in answer.text
        assert "without a model" in answer.text
        assert answer.content["offline"] is True
        assert answer.content["references"][0] == "450.6"


@pytest.mark.requirement("RS-471")
async def test_what_is_not_there_is_said_not_to_be(tmp_path: Path) -> None:
    """An honest nothing, what is nearest, and what can be done."""
    async with open_room(tmp_path) as room:
        answer = (await room.say("Who won the football championship in 2014?")).messages[-1].text
        assert "does not hold an answer" in answer
        assert "add a document" in answer
        await room.research.app.libraries.libraries.create("second")
        await room.core.sessions.update(room.session.id, user_id=LOCAL_USER, data={})
        answer = (await room.say("What does the crane cost?")).messages[-1].text
        assert "no library to look in" in answer


@pytest.mark.requirement("RS-481")
async def test_words_for_leaving_need_a_run_to_leave(tmp_path: Path) -> None:
    """Without one they are ordinary words."""
    async with open_room(tmp_path) as room:
        turn = await room.say("break out")
        assert turn.run is None
        assert [message.content["type"] for message in turn.messages] == ["chat", "chat"]


@pytest.mark.requirement("RS-472")
async def test_somebody_may_ask_what_became_of_the_research(tmp_path: Path) -> None:
    """After an error too, from the summary that the run left."""
    async with open_room(tmp_path, Script(broken_search=True)) as room:
        await room.say("@deep-research What are the dues?")
        failed = await room.say("1")
        assert failed.messages[-1].content["type"] == "error"
        assert "The index is away." in failed.messages[-1].text
        answer = (await room.say("what happened?")).messages[-1].text
        assert "What are the dues?" in answer
        assert "The index is away." in answer


@pytest.mark.requirement("RS-473")
async def test_a_model_looks_things_up_and_cites_them(tmp_path: Path) -> None:
    """With the library's tools, what was said before, and the prior research escaped;
    the text is heard as it comes, and a reference that the library lacks is marked."""
    async with LoopbackApi() as api, open_room(tmp_path, api=api) as room:
        await room.core.conversations.append(
            room.session.id, "user", {"type": "chat"}, "x" * 3000, user_id=LOCAL_USER
        )
        left = session_folder(room.core.choices.data_dir, room.session.id).summary
        left.parent.mkdir(parents=True)
        left.write_text('{"originalQuery": "Dues & <fees>?", "exitReason": "breakout"}')
        heard: list[Event] = []
        room.core.bus.on("conversation.*", heard.append)
        api.reply(tool=("library_search", {"query": "crane cost"}), usage=(1_000, 10))
        text = "It costs EUR 45 [450.6], or nothing [999.9]."
        api.reply(text=text, usage=(2_000, 10))

        answer = (await room.say("What does the crane cost?")).messages[-1]

        assert answer.text == text.replace("[999.9]", "[999.9] *(not in the library)*")
        assert answer.content["references"] == ["450.6"]
        assert answer.content["unknown_references"] == ["999.9"]
        assert answer.content["cost"] == pytest.approx((3_000 * 3 + 20 * 15) / 1e6)
        first, second = (request.body for request in api.requests)
        asked = str(first["messages"])
        assert "<question>Dues &amp; &lt;fees&gt;?</question>" in asked
        assert "x" * 999 in asked
        assert "x" * 1001 not in asked
        assert "The crane costs EUR 45" in str(second["messages"])
        assert {"library_search", "get_paragraph"} <= {tool["name"] for tool in first["tools"]}
        assert "".join(event.payload.get("text", "") for event in heard) == text
        used = [event.payload["tool"] for event in heard if event.topic == "conversation.tool"]
        assert used == ["library_search"]
        assert not any(event.durable for event in heard)


@pytest.mark.requirement("RS-474")
async def test_one_message_at_a_time(tmp_path: Path) -> None:
    """A second message is refused with the first one named, and disturbs nothing."""
    async with LoopbackApi() as api, open_room(tmp_path, api=api) as room:
        released = asyncio.Event()
        api.reply(text="Here I am.", hold=released)
        first = asyncio.create_task(room.say("What is slow?"))
        await api.received(1)
        with pytest.raises(Conflict, match="What is slow"):
            await room.say("And this?")
        released.set()
        assert (await first).messages[-1].text == "Here I am."
        assert await room.told() == [("user", "chat"), ("assistant", "chat")]


@pytest.mark.requirement("RS-475")
async def test_a_turn_goes_on_when_whoever_asked_is_gone(tmp_path: Path) -> None:
    """Its answer is in the conversation when they come back."""
    async with LoopbackApi() as api, open_room(tmp_path, api=api) as room:
        released = asyncio.Event()
        api.reply(text="Here I am.", hold=released)
        asking = asyncio.create_task(room.say("Are you there?"))
        await api.received(1)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        answered = asyncio.Event()
        room.core.conversations.on_append(lambda *_: answered.set())
        released.set()
        async with asyncio.timeout(20):
            await answered.wait()
        messages = await room.conversation.open(room.session.id, user_id=LOCAL_USER)
        assert [message.text for message in messages] == ["Are you there?", "Here I am."]


@pytest.mark.requirement("RS-476")
async def test_a_turn_that_fails_keeps_what_was_said(tmp_path: Path) -> None:
    """The person's words and why they were not answered; the next turn works."""
    async with LoopbackApi() as api, open_room(tmp_path, api=api) as room:
        api.reply(status=400, text="no")
        with pytest.raises(ModelError):
            await room.say("Hello?")
        api.reply(text="Hello.")
        assert (await room.say("And now?")).messages[-1].text == "Hello."
        assert await room.told() == [
            ("user", "chat"),
            ("assistant", "error"),
            ("user", "chat"),
            ("assistant", "chat"),
        ]


@pytest.mark.requirement("RS-477")
async def test_a_turn_has_a_budget(tmp_path: Path) -> None:
    """A model that cannot stop looking things up is stopped."""
    async with LoopbackApi() as api, open_room(tmp_path, api=api, turn_budget_usd=0.01) as room:
        api.reply(tool=("library_search", {"query": "dues"}), usage=(2_000, 100), times=20)
        with pytest.raises(BudgetExceeded):
            await room.say("What are the dues?")
        assert len(api.requests) == 2


@pytest.mark.requirement("RS-478")
async def test_what_a_run_said_unheard_is_told_once(tmp_path: Path, database_url: str) -> None:
    """A run that ended while nobody listened is in the conversation when it is next opened,
    once, however often and by whomever."""
    async with open_room(tmp_path, database_url=database_url) as room:
        runs = room.research.runs
        run = await runs.start(DUES, session_id=room.session.id)
        await room.research.settled(run)
        await room.research.say(run, "1")
        assert await room.told() == []

        app = room.research.app
        after_restart = Conversation(app.core, runs, app.libraries, Chat(app.core, app.libraries))
        opened = await asyncio.gather(
            *(
                each.open(room.session.id, user_id=LOCAL_USER)
                for each in (room.conversation, after_restart, room.conversation)
            )
        )
        told = [("user", "question"), ("assistant", "pause"), ("user", "reply")]
        assert await room.told() == [*told, ("assistant", "answer")]
        assert all(messages[-1].content["type"] == "answer" for messages in opened)
        assert all(message.id.startswith("msg-") for message in opened[0])
        await room.say("What does the crane cost?")
        assert await room.told() == [
            *told,
            ("assistant", "answer"),
            ("user", "chat"),
            ("assistant", "chat"),
        ]


@pytest.mark.requirement("RS-478")
async def test_a_cancelled_run_is_told_of(tmp_path: Path) -> None:
    """So is one that a person cancelled."""
    async with open_room(tmp_path) as room:
        turn = await room.say("@deep-research What are the dues?")
        assert turn.run is not None
        await room.research.runs.cancel(turn.run.id)
        messages = await room.conversation.open(room.session.id, user_id=LOCAL_USER)
        assert "was cancelled" in messages[-1].text
        assert (await room.say("hello")).run is None


@pytest.mark.requirement("RS-479")
async def test_what_cannot_be_said_is_refused(tmp_path: Path) -> None:
    """Nothing, too much, and in a session that is another's or of another kind."""
    async with open_room(tmp_path) as room:
        with pytest.raises(InvalidInput, match="empty"):
            await room.say("  \n ")
        with pytest.raises(TooLarge, match="20,001"):
            await room.say("x" * 20_001)
        with pytest.raises(NotFound):
            await room.conversation.say(room.session.id, "hello", user_id="another")
        coaching = await room.core.sessions.create(SessionKind.COACHING, "/p")
        for session_id in (coaching.id, "nowhere"):
            with pytest.raises(NotFound):
                await room.conversation.say(session_id, "hello", user_id=LOCAL_USER)
            with pytest.raises(NotFound):
                await room.conversation.open(session_id, user_id=LOCAL_USER)
        assert await room.told() == []


@pytest.mark.requirement("RS-480")
@pytest.mark.parametrize("mode", ["explore", "ask"])
async def test_the_tools_of_sources_are_at_hand(tmp_path: Path, mode: str) -> None:
    """Of those that are switched on, a real process; in `explore` only what changes
    nothing."""
    async with LoopbackApi() as api, open_room(tmp_path, api=api) as room:
        await room.core.sessions.note(room.session.id, user_id=LOCAL_USER, permission_mode=mode)
        peer = room.core.choices.data_dir / "sources" / "peer"
        peer.mkdir(parents=True)
        server = str(Path(__file__).parent / "servers" / "stdio_peer.py")
        config = {"type": "stdio", "name": "Peer", "command": sys.executable, "args": [server]}
        (peer / "config.json").write_text(json.dumps(config))
        await room.sources.enable("peer", user_id=LOCAL_USER)
        api.reply(tool=("mcp__peer__echo", {"text": "a word from outside"}))
        api.reply(text="It said something.")

        await room.say("What does the peer say?")

        offered, answered = (request.body for request in api.requests)
        names = {tool["name"] for tool in offered["tools"]}
        assert "mcp__peer__echo" in names
        assert ("mcp__peer__fail" in names) is (mode == "ask")
        assert "a word from outside" in json.dumps(answered["messages"][-1])
