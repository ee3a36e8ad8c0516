"""Questions of agents, and people's answers."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.board.agents.clarifications import Clarifications
from bottega.board.agents.schemas import LONGEST_WAIT
from bottega.board.agents.tables import Clarification
from bottega.core.services import Core
from bottega.errors import Conflict, InvalidInput, NotFound
from tests.board.agent_board import ME, AgentBoard, open_agent_board

OPTIONS = ["Migrate", "Skip for now"]
QUESTION = "May I migrate the orders?"


@pytest.fixture
async def board(tmp_path: Path, database_url: str) -> AsyncIterator[AgentBoard]:
    async with open_agent_board(tmp_path, database_url) as board:
        yield board


class Watched(Clarifications):
    """Tells when a waiter has looked, and so waits."""

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self.looked = asyncio.Event()

    async def get(self, clarification_id: str, user_id: str | None) -> Clarification:
        found = await super().get(clarification_id, user_id)
        self.looked.set()
        return found


@pytest.mark.requirement("BD-447")
async def test_a_question_is_about_the_work_at_hand(board: AgentBoard) -> None:
    """With its options, blocking or not; everyone hears of it."""
    agent, _ = await board.holder()
    asked = await board.clarifications.ask(agent, ME, QUESTION, options=OPTIONS)
    assert (asked.change_id, asked.project_id) == ("add-discounts", board.bakery.id)
    assert (asked.options, asked.blocking, asked.answer) == (OPTIONS, True, None)
    [event] = board.heard("agents.asked")
    assert event.payload["clarification_id"] == asked.id
    assert event.payload["options"] == OPTIONS
    assert (event.session_id, event.project) == (agent, board.bakery.path)
    aside = await board.clarifications.ask(agent, ME, "Tabs?", blocking=False, change_id="other")
    assert (aside.blocking, aside.change_id) == (False, "other")


@pytest.mark.requirement("BD-447")
async def test_an_open_question_is_not_asked_twice(board: AgentBoard) -> None:
    """A client that lost the reply asks again and waits for the same one."""
    agent = await board.agent()
    first = await board.clarifications.ask(agent, ME, QUESTION)
    assert (await board.clarifications.ask(agent, ME, QUESTION)).id == first.id
    assert len(board.heard("agents.asked")) == 1
    await board.clarifications.answer(first.id, "Yes", ME)
    assert (await board.clarifications.ask(agent, ME, QUESTION)).id != first.id


@pytest.mark.requirement("BD-448")
@pytest.mark.parametrize("answer", ["Migrate", "  Only the orders of this year.  "])
async def test_a_person_answers_with_an_option_or_own_words(board: AgentBoard, answer: str) -> None:
    """Kept with who answered, and told."""
    asked = await board.clarifications.ask(await board.agent(), ME, QUESTION, options=OPTIONS)
    answered = await board.clarifications.answer(asked.id, answer, ME)
    assert (answered.answer, answered.answered_by) == (answer.strip(), ME)
    [event] = board.heard("agents.answered")
    assert event.payload["clarification_id"] == asked.id
    assert event.payload["answer"] == answer.strip()


@pytest.mark.requirement("BD-448")
async def test_an_answer_stands(board: AgentBoard) -> None:
    """A second one, an empty one and one to nothing are refused."""
    asked = await board.clarifications.ask(await board.agent(), ME, QUESTION)
    with pytest.raises(InvalidInput, match="empty"):
        await board.clarifications.answer(asked.id, " \n", ME)
    await board.clarifications.answer(asked.id, "Yes", ME)
    with pytest.raises(Conflict, match="answered already: 'Yes'"):
        await board.clarifications.answer(asked.id, "No", ME)
    with pytest.raises(NotFound, match="no question 'nothing'"):
        await board.clarifications.answer("nothing", "Yes", ME)
    with pytest.raises(NotFound):
        await board.clarifications.answer(asked.id, "Yes", "somebody else")
    assert (await board.clarifications.get(asked.id, ME)).answer == "Yes"


@pytest.mark.requirement("BD-449")
async def test_an_agent_waits_until_it_is_answered(board: AgentBoard) -> None:
    """The call returns with the answer, not with the time."""
    agent = await board.agent()
    asked = await board.clarifications.ask(agent, ME, QUESTION)
    other = await board.clarifications.ask(agent, ME, "Tabs?")
    watched = Watched(board.app.core)
    waiting = asyncio.create_task(watched.wait(asked.id, ME))
    await watched.looked.wait()
    watched.looked.clear()
    await board.clarifications.answer(other.id, "No", ME)
    await watched.looked.wait()
    assert not waiting.done()
    await board.clarifications.answer(asked.id, "Migrate", ME)
    async with asyncio.timeout(10):
        assert (await waiting).answer == "Migrate"


@pytest.mark.requirement("BD-449")
async def test_a_wait_is_over_after_its_time(board: AgentBoard) -> None:
    """The question comes back open, to be waited for again; answered, it comes at once."""
    asked = await board.clarifications.ask(await board.agent(), ME, QUESTION)
    assert (await board.clarifications.wait(asked.id, ME, 0.01)).answered_at is None
    await board.clarifications.answer(asked.id, "Migrate", ME)
    for _ in range(2):
        assert (await board.clarifications.wait(asked.id, ME, 0)).answer == "Migrate"
    assert LONGEST_WAIT <= 50


ANSWER_IN_ANOTHER_PROCESS = """
import asyncio, sys
from pathlib import Path
from bottega.app import build_core
from bottega.board.agents.clarifications import Clarifications
from bottega.settings import Settings

async def main(root, url, clarification_id):
    core = build_core(Settings(
        data_dir=Path(root) / "data", database_url=url, bottega_model="offline", _env_file=None
    ))
    await core.database.start()
    await core.bus.start()
    await Clarifications(core).answer(clarification_id, "Migrate", "local")
    await core.bus.stop()
    await core.database.stop()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.requirement("BD-449")
async def test_an_answer_in_one_process_ends_the_wait_in_another(
    board: AgentBoard, tmp_path: Path, database_url: str
) -> None:
    """Through the bus, on both databases."""
    asked = await board.clarifications.ask(await board.agent(), ME, QUESTION)
    watched = Watched(board.app.core)
    waiting = asyncio.create_task(watched.wait(asked.id, ME))
    await watched.looked.wait()
    other = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        ANSWER_IN_ANOTHER_PROCESS,
        str(tmp_path),
        database_url,
        asked.id,
        stderr=PIPE,
    )
    _, problems = await other.communicate()
    assert other.returncode == 0, problems.decode()
    async with asyncio.timeout(10):
        assert (await waiting).answer == "Migrate"


@pytest.mark.requirement("BD-450")
async def test_answers_come_with_the_next_heartbeat_once(board: AgentBoard) -> None:
    """In the order asked; what the agent got by waiting is not repeated."""
    agent = await board.agent()
    first = await board.clarifications.ask(agent, ME, "Tabs?", blocking=False)
    second = await board.clarifications.ask(agent, ME, "Cents?", blocking=False)
    waited_for = await board.clarifications.ask(agent, ME, QUESTION)
    assert (await board.sessions.heartbeat(agent, ME)).answers == []
    for asked in (second, first, waited_for):
        await board.clarifications.answer(asked.id, f"Yes to {asked.question}", ME)
    await board.clarifications.wait(waited_for.id, ME, 0)
    beat = await board.sessions.heartbeat(agent, ME)
    assert [answer.answer for answer in beat.answers] == ["Yes to Tabs?", "Yes to Cents?"]
    assert (await board.sessions.heartbeat(agent, ME)).answers == []
    assert (await board.clarifications.get(first.id, ME)).answer == "Yes to Tabs?"


@pytest.mark.requirement("BD-451")
async def test_open_questions_are_listed_oldest_first(board: AgentBoard) -> None:
    """Those answered only on request; of one project, of one's own sessions."""
    ovens = await board.project("ovens")
    asked = [await board.clarifications.ask(await board.agent(), ME, f"{n}?") for n in range(3)]
    heat = await board.clarifications.ask(await board.agent(ovens), ME, "Heat?")
    await board.clarifications.answer(asked[0].id, "Yes", ME)
    bakery = board.bakery.id

    async def listed(clarifications: Clarifications, **filters: object) -> list[str]:
        found = await clarifications.list(ME, **filters)  # type: ignore[arg-type]
        return [row.question for row in found]

    assert await listed(board.clarifications) == ["1?", "2?", heat.question]
    assert await listed(board.clarifications, project_id=bakery) == ["1?", "2?"]
    everything = await listed(board.clarifications, project_id=bakery, open_only=False)
    assert everything == ["2?", "1?", "0?"]
    assert await board.clarifications.list("somebody else") == []


@pytest.mark.requirement("BD-452")
async def test_a_session_that_ends_closes_its_questions(board: AgentBoard) -> None:
    """Who waits is let go, and nobody is asked any more."""
    agent = await board.agent()
    asked = await board.clarifications.ask(agent, ME, QUESTION)
    watched = Watched(board.app.core)
    waiting = asyncio.create_task(watched.wait(asked.id, ME))
    await watched.looked.wait()
    await board.sessions.end(agent, ME)
    async with asyncio.timeout(10):
        closed = await waiting
    assert closed.answered_at is not None
    assert closed.answer is None
    assert await board.clarifications.list(ME) == []
    with pytest.raises(Conflict, match="has ended; nobody waits"):
        await board.clarifications.answer(asked.id, "Yes", ME)
    with pytest.raises(Conflict, match="board_register_session"):
        await board.clarifications.ask(agent, ME, QUESTION)
