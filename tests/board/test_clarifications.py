"""Questions of agents, and people's answers."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.board.agents.clarifications import LONGEST_WAIT, Clarifications
from bottega.board.tables import Clarification
from bottega.core.services import Core
from bottega.errors import Conflict, InvalidInput, NotFound
from tests.board.workshop import ME, Workshop, open_workshop

OPTIONS = ["Migrate", "Skip for now"]
QUESTION = "May I migrate the orders?"


@pytest.fixture
async def shop(tmp_path: Path, database_url: str) -> AsyncIterator[Workshop]:
    async with open_workshop(tmp_path, database_url) as shop:
        yield shop


class Watched(Clarifications):
    """Tells when a waiter has looked, and so waits."""

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self.looked = asyncio.Event()

    async def get(self, clarification_id: str, user_id: str | None) -> Clarification:
        found = await super().get(clarification_id, user_id)
        self.looked.set()
        return found


async def test_a_question_is_about_the_work_at_hand(shop: Workshop) -> None:
    """BD-447: with its options, blocking or not; everyone hears of it."""
    agent, _ = await shop.holder()
    asked = await shop.clarifications.ask(agent, ME, QUESTION, options=OPTIONS)
    assert (asked.change_id, asked.project_id) == ("add-discounts", shop.bakery.id)
    assert (asked.options, asked.blocking, asked.answer) == (OPTIONS, True, None)
    [event] = shop.heard("agents.asked")
    assert event.payload["clarification_id"] == asked.id
    assert event.payload["options"] == OPTIONS
    assert (event.session_id, event.project) == (agent, shop.bakery.path)
    aside = await shop.clarifications.ask(agent, ME, "Tabs?", blocking=False, change_id="other")
    assert (aside.blocking, aside.change_id) == (False, "other")


async def test_an_open_question_is_not_asked_twice(shop: Workshop) -> None:
    """BD-447: a client that lost the reply asks again and waits for the same one."""
    agent = await shop.agent()
    first = await shop.clarifications.ask(agent, ME, QUESTION)
    assert (await shop.clarifications.ask(agent, ME, QUESTION)).id == first.id
    assert len(shop.heard("agents.asked")) == 1
    await shop.clarifications.answer(first.id, "Yes", ME)
    assert (await shop.clarifications.ask(agent, ME, QUESTION)).id != first.id


@pytest.mark.parametrize("answer", ["Migrate", "  Only the orders of this year.  "])
async def test_a_person_answers_with_an_option_or_own_words(shop: Workshop, answer: str) -> None:
    """BD-448: kept with who answered, and told."""
    asked = await shop.clarifications.ask(await shop.agent(), ME, QUESTION, options=OPTIONS)
    answered = await shop.clarifications.answer(asked.id, answer, ME)
    assert (answered.answer, answered.answered_by) == (answer.strip(), ME)
    [event] = shop.heard("agents.answered")
    assert event.payload["clarification_id"] == asked.id
    assert event.payload["answer"] == answer.strip()


async def test_an_answer_stands(shop: Workshop) -> None:
    """BD-448: a second one, an empty one and one to nothing are refused."""
    asked = await shop.clarifications.ask(await shop.agent(), ME, QUESTION)
    with pytest.raises(InvalidInput, match="empty"):
        await shop.clarifications.answer(asked.id, " \n", ME)
    await shop.clarifications.answer(asked.id, "Yes", ME)
    with pytest.raises(Conflict, match="answered already: 'Yes'"):
        await shop.clarifications.answer(asked.id, "No", ME)
    with pytest.raises(NotFound, match="no question 'nothing'"):
        await shop.clarifications.answer("nothing", "Yes", ME)
    with pytest.raises(NotFound):
        await shop.clarifications.answer(asked.id, "Yes", "somebody else")
    assert (await shop.clarifications.get(asked.id, ME)).answer == "Yes"


async def test_an_agent_waits_until_it_is_answered(shop: Workshop) -> None:
    """BD-449: the call returns with the answer, not with the time."""
    agent = await shop.agent()
    asked = await shop.clarifications.ask(agent, ME, QUESTION)
    other = await shop.clarifications.ask(agent, ME, "Tabs?")
    watched = Watched(shop.house.core)
    waiting = asyncio.create_task(watched.wait(asked.id, ME))
    await watched.looked.wait()
    watched.looked.clear()
    await shop.clarifications.answer(other.id, "No", ME)
    await watched.looked.wait()
    assert not waiting.done()
    await shop.clarifications.answer(asked.id, "Migrate", ME)
    async with asyncio.timeout(10):
        assert (await waiting).answer == "Migrate"


async def test_a_wait_is_over_after_its_time(shop: Workshop) -> None:
    """BD-449: the question comes back open, to be waited for again; answered, it comes at once."""
    asked = await shop.clarifications.ask(await shop.agent(), ME, QUESTION)
    assert (await shop.clarifications.wait(asked.id, ME, 0.01)).answered_at is None
    await shop.clarifications.answer(asked.id, "Migrate", ME)
    for _ in range(2):
        assert (await shop.clarifications.wait(asked.id, ME, 0)).answer == "Migrate"
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


async def test_an_answer_in_one_process_ends_the_wait_in_another(
    shop: Workshop, tmp_path: Path, database_url: str
) -> None:
    """BD-449: through the bus, on both databases."""
    asked = await shop.clarifications.ask(await shop.agent(), ME, QUESTION)
    watched = Watched(shop.house.core)
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


async def test_answers_come_with_the_next_heartbeat_once(shop: Workshop) -> None:
    """BD-450: in the order asked; what the agent got by waiting is not repeated."""
    agent = await shop.agent()
    first = await shop.clarifications.ask(agent, ME, "Tabs?", blocking=False)
    second = await shop.clarifications.ask(agent, ME, "Cents?", blocking=False)
    waited_for = await shop.clarifications.ask(agent, ME, QUESTION)
    assert (await shop.sessions.heartbeat(agent, ME)).answers == []
    for asked in (second, first, waited_for):
        await shop.clarifications.answer(asked.id, f"Yes to {asked.question}", ME)
    await shop.clarifications.wait(waited_for.id, ME, 0)
    beat = await shop.sessions.heartbeat(agent, ME)
    assert [answer.answer for answer in beat.answers] == ["Yes to Tabs?", "Yes to Cents?"]
    assert (await shop.sessions.heartbeat(agent, ME)).answers == []
    assert (await shop.clarifications.get(first.id, ME)).answer == "Yes to Tabs?"


async def test_open_questions_are_listed_oldest_first(shop: Workshop) -> None:
    """BD-451: those answered only on request; of one project, of one's own sessions."""
    ovens = await shop.project("ovens")
    asked = [await shop.clarifications.ask(await shop.agent(), ME, f"{n}?") for n in range(3)]
    heat = await shop.clarifications.ask(await shop.agent(ovens), ME, "Heat?")
    await shop.clarifications.answer(asked[0].id, "Yes", ME)
    bakery = shop.bakery.id

    async def listed(clarifications: Clarifications, **filters: object) -> list[str]:
        found = await clarifications.list(ME, **filters)  # type: ignore[arg-type]
        return [row.question for row in found]

    assert await listed(shop.clarifications) == ["1?", "2?", heat.question]
    assert await listed(shop.clarifications, project_id=bakery) == ["1?", "2?"]
    everything = await listed(shop.clarifications, project_id=bakery, open_only=False)
    assert everything == ["2?", "1?", "0?"]
    assert await shop.clarifications.list("somebody else") == []


async def test_a_session_that_ends_closes_its_questions(shop: Workshop) -> None:
    """BD-452: who waits is let go, and nobody is asked any more."""
    agent = await shop.agent()
    asked = await shop.clarifications.ask(agent, ME, QUESTION)
    watched = Watched(shop.house.core)
    waiting = asyncio.create_task(watched.wait(asked.id, ME))
    await watched.looked.wait()
    await shop.sessions.end(agent, ME)
    async with asyncio.timeout(10):
        closed = await waiting
    assert closed.answered_at is not None
    assert closed.answer is None
    assert await shop.clarifications.list(ME) == []
    with pytest.raises(Conflict, match="has ended; nobody waits"):
        await shop.clarifications.answer(asked.id, "Yes", ME)
    with pytest.raises(Conflict, match="board_register_session"):
        await shop.clarifications.ask(agent, ME, QUESTION)
