"""Sessions of the assistant: listed, searched, deleted, and nobody else's."""

from datetime import timedelta
from pathlib import Path

import pytest

from bottega.assistant.sessions.service import AssistantSessions
from bottega.assistant.sessions.tables import AssistantDecision, AssistantSession
from bottega.core import clock
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, NotFound
from tests.assistant.loop_app import AskFirst, LoopApp, open_loop


async def say(app: LoopApp, input: str, *, class_id: str | None = None, days_ago: int = 0) -> str:
    """A session with one turn, about a class, some days ago."""
    run = await app.settled(await app.start(input))
    session_id = str(run.session_id)
    async with app.core.database.write() as session:
        row = await session.get_one(AssistantSession, session_id)
        row.class_id = class_id
        row.updated_at = clock.now() - timedelta(days=days_ago)
    return session_id


async def found(sessions: AssistantSessions, query: str = "", **wanted: object) -> list[str]:
    hits = await sessions.search(query, **{"user_id": LOCAL_USER, **wanted})  # type: ignore[arg-type]
    return [hit.view.id for hit in hits]


@pytest.mark.requirement("AS-157")
async def test_past_sessions_are_found_by_words_class_and_date(
    tmp_path: Path, database_url: str
) -> None:
    """Full text over both databases, by keyword, class and date, newest first."""
    answers = ("Use a flowchart.", "Passé composé with être.", "Laps and loops.")
    async with open_loop(tmp_path, *answers, database_url=database_url) as app:
        sessions = app.runs.sessions
        loops = await say(app, "Iteration for 3B", class_id="3B", days_ago=7)
        french = await say(app, "Past tense for 2A", class_id="2A", days_ago=3)
        more = await say(app, "Iterations again", class_id="3B")
        assert await found(sessions, "flowcharts") == [loops], "what the assistant said, any form"
        assert await found(sessions, "iteration") == [more, loops], "what the person said"
        assert await found(sessions, "être composé") == [french], "every word, accents too"
        assert await found(sessions, "iteration flowchart") == [], "each word in one message"
        assert await found(sessions, "iteration", class_id="3b") == [more, loops]
        assert await found(sessions, "iteration", class_id="2A") == []
        week = clock.now() - timedelta(days=5)
        assert await found(sessions, "iteration", since=week) == [more]
        assert await found(sessions, "iteration", until=week) == [loops]
        assert await found(sessions, class_id="3B") == [more, loops]
        assert await found(sessions) == [more, french, loops]
        assert await found(sessions, limit=1) == [more]
        [hit] = await sessions.search("flowchart", user_id=LOCAL_USER)
        assert hit.excerpt == "Use a flowchart."
        assert hit.view.session.title == "Iteration for 3B"


@pytest.mark.requirement("AS-158")
@pytest.mark.parametrize(
    "query", ['"', "NEAR(", "a OR b", "*", "'; DROP TABLE messages; --", "\x00", "x" * 5000, "der"]
)
async def test_no_query_breaks_the_search(tmp_path: Path, query: str) -> None:
    """Whatever is asked for is data."""
    async with open_loop(tmp_path, "Done.") as app:
        await say(app, "Iteration")
        assert isinstance(await found(app.runs.sessions, query), list)
        assert len(await found(app.runs.sessions, "iteration")) == 1


@pytest.mark.requirement("AS-159")
async def test_a_session_is_its_persons_alone(tmp_path: Path, database_url: str) -> None:
    """Nobody else lists, reads, finds or deletes it."""
    async with open_loop(tmp_path, "Done.", database_url=database_url) as app:
        sessions = app.runs.sessions
        session_id = await say(app, "Iteration", class_id="3B")
        ada = (await app.core.users.create("Ada")).id
        assert await found(sessions, "iteration", user_id=ada) == []
        assert await sessions.list(user_id=ada) == []
        with pytest.raises(NotFound):
            await sessions.get(session_id, user_id=ada)
        with pytest.raises(NotFound):
            await sessions.messages(session_id, user_id=ada)
        with pytest.raises(NotFound):
            await sessions.decisions(session_id, user_id=ada)
        with pytest.raises(NotFound):
            await sessions.delete(session_id, user_id=ada)
        assert [view.id for view in await sessions.list(user_id=LOCAL_USER)] == [session_id]


@pytest.mark.requirement("AS-160")
async def test_sessions_are_listed_by_plugin_and_class(tmp_path: Path) -> None:
    """The one that something last happened in comes first."""
    async with open_loop(tmp_path, "One.", "Two.", "Three.") as app:
        sessions = app.runs.sessions
        old = await say(app, "Old", class_id="2A", days_ago=2)
        new = await say(app, "New " + "word " * 40, class_id="3B")
        assert [view.id for view in await sessions.list(user_id=LOCAL_USER)] == [new, old]
        by_class = await sessions.list(user_id=LOCAL_USER, class_id="2A")
        assert [view.id for view in by_class] == [old]
        assert await sessions.list(user_id=LOCAL_USER, plugin="other") == []
        view = await sessions.get(new, user_id=LOCAL_USER)
        assert (view.row.plugin, view.row.agent, view.row.command) == ("workshop", "worker", None)
        assert len(str(view.session.title)) <= 80
        assert str(view.session.title).endswith("…")
        await app.settled(await app.start("Once more", session_id=old))
        assert [view.id for view in await sessions.list(user_id=LOCAL_USER)] == [old, new]


@pytest.mark.requirement("AS-161")
async def test_a_deleted_session_leaves_nothing(tmp_path: Path, database_url: str) -> None:
    """Messages and decisions go with it; not while a turn is under way."""
    async with open_loop(tmp_path, "Done.", hooks=[AskFirst()], database_url=database_url) as app:
        app.agent(hooks=["ask-first"])
        sessions = app.runs.sessions
        run = await app.settled(await app.start("Iteration"))
        session_id = str(run.session_id)
        with pytest.raises(Conflict, match=run.id):
            await sessions.delete(session_id, user_id=LOCAL_USER)
        await app.reply(run, "confirm")
        decision = AssistantDecision(session_id=session_id, kind="feedforward", decision="confirm")
        async with app.core.database.write() as session:
            session.add(decision)
        [kept] = await sessions.decisions(session_id, user_id=LOCAL_USER)
        assert kept.decision == "confirm"
        await sessions.delete(session_id, user_id=LOCAL_USER)
        assert await found(sessions, "iteration") == []
        with pytest.raises(NotFound):
            await sessions.get(session_id, user_id=LOCAL_USER)
        async with app.core.database.read() as session:
            assert await session.get(AssistantDecision, decision.id) is None


async def test_a_claim_by_a_clock_that_was_set_back_shuts_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that died before its turn began, while the clock was two days ahead."""
    async with open_loop(tmp_path, "One.", "Two.") as app:
        session_id = await say(app, "Iteration")
        ahead = clock.now() + timedelta(days=2)
        with monkeypatch.context() as patched:
            patched.setattr(clock, "now", lambda: ahead)
            await app.runs.sessions.claim(session_id, "run_that_never_began")
            with pytest.raises(Conflict):
                await app.runs.sessions.claim(session_id, "run_2")
        await app.runs.sessions.claim(session_id, "run_2")
