"""SessionTitles: made beside the conversation, and never in it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic_ai.exceptions import ModelHTTPError

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.testing.scripted import ScriptedModel, ScriptedModels, Step
from bottega.core.users import LOCAL_USER
from bottega.errors import InvalidInput, ModelError
from bottega.research.sessions.service import ResearchSessions, Title, TitleQuestions, offline, tidy
from tests.app import App, open_app

DOWN = ModelHTTPError(503, "scripted")


@asynccontextmanager
async def talking(
    root: Path, steps: Sequence[Step] | None
) -> AsyncIterator[tuple[ResearchSessions, App, ScriptedModel]]:
    """With a model that answers by the script; without a script, offline."""
    async with open_app(root) as app:
        model = ScriptedModel(*(steps or ()))
        if steps is not None:
            gateway = Gateway(ScriptedModels(model), app.core.ledger)
            app.core = replace(app.core, gateway=gateway)
        sessions = ResearchSessions(app.core)
        await sessions.start()
        yield sessions, app, model
        await sessions.stop()


async def ask(app: App, session_id: str, words: str, role: str = "user") -> None:
    await app.core.conversations.append(
        session_id, role, {"text": words}, words, user_id=LOCAL_USER
    )


@pytest.mark.requirement("RS-640")
async def test_the_first_question_gives_the_title_and_later_ones_do_not(tmp_path: Path) -> None:
    """One call, off the transcript."""
    async with talking(tmp_path, [Title(title='"Harbour fees for visitors."')]) as (
        sessions,
        app,
        model,
    ):
        made = await sessions.create(user_id=LOCAL_USER)
        await ask(app, made.id, "What do visitors pay in the harbour?")
        sessions.titles.begin(made.id, "What do visitors pay in the harbour?")
        await sessions.titles.settled()
        await ask(app, made.id, "Part three says it.", "assistant")
        await ask(app, made.id, "And at night?")
        await sessions.titles.settled()
        named = await sessions.get(made.id, user_id=LOCAL_USER)
        assert named.title == "Harbour fees for visitors"
        assert len(model.conversations) == 1
        assert "What do visitors pay" in str(model.conversations[0])


@pytest.mark.requirement("RS-641")
async def test_making_a_title_leaves_the_conversation_alone(tmp_path: Path) -> None:
    """Turns go on while it is made, and the transcript holds only what was said."""
    async with talking(tmp_path, [Title(title="Fees"), Title(title="Fees again")]) as (
        sessions,
        app,
        _,
    ):
        made = await sessions.create(user_id=LOCAL_USER)
        await ask(app, made.id, "What are the fees?")
        await asyncio.gather(
            sessions.titles.settled(),
            sessions.regenerate_title(made.id, user_id=LOCAL_USER),
            *(ask(app, made.id, f"answer {number}", "assistant") for number in range(10)),
        )
        said = await sessions.messages(made.id, user_id=LOCAL_USER)
        assert [message.position for message in said] == list(range(11))
        assert {message.text for message in said} == {
            "What are the fees?",
            *(f"answer {number}" for number in range(10)),
        }


@pytest.mark.requirement("RS-642")
async def test_a_title_that_cannot_be_made_is_the_questions_words(tmp_path: Path) -> None:
    """The turn does not hear of the failure."""
    async with talking(tmp_path, [DOWN, DOWN]) as (
        sessions,
        app,
        _,
    ):
        made = await sessions.create(user_id=LOCAL_USER)
        words = "Could you tell me what the pilotage fees are"
        await ask(app, made.id, f"{words}?")
        await sessions.titles.settled()
        assert (await sessions.get(made.id, user_id=None)).title == words
        with pytest.raises(ModelError):
            await sessions.regenerate_title(made.id, user_id=LOCAL_USER)
        assert (await sessions.get(made.id, user_id=None)).title == words


@pytest.mark.requirement("RS-643")
async def test_a_title_is_made_anew_from_the_first_and_the_last_questions(tmp_path: Path) -> None:
    """On request, in place of the old one."""
    async with talking(tmp_path, [Title(title="Fees and pilots")]) as (sessions, app, model):
        made = await sessions.create(user_id=LOCAL_USER, title="Mine")
        with pytest.raises(InvalidInput, match="Nothing was asked"):
            await sessions.regenerate_title(made.id, user_id=LOCAL_USER)
        for number in range(6):
            await ask(app, made.id, f"question {number}")
        assert (await sessions.get(made.id, user_id=None)).title == "Mine"
        renamed = await sessions.regenerate_title(made.id, user_id=LOCAL_USER)
        assert renamed.title == "Fees and pilots"
        asked = str(model.conversations[0])
        assert [number for number in range(6) if f"question {number}" in asked] == [0, 3, 4, 5]


@pytest.mark.requirement("RS-643")
async def test_a_name_given_while_the_title_is_made_stays(tmp_path: Path) -> None:
    """The person's own is the better one."""
    async with talking(tmp_path, [Title(title="The model's")]) as (sessions, app, _):
        made = await sessions.create(user_id=LOCAL_USER)
        await ask(app, made.id, "What are the fees?")
        await sessions.change(made.id, title="My own", user_id=LOCAL_USER)
        await sessions.titles.settled()
        assert (await sessions.get(made.id, user_id=None)).title == "My own"


@pytest.mark.requirement("RS-644")
async def test_offline_a_session_is_named_by_its_question(tmp_path: Path) -> None:
    """Without a model, and it costs nothing."""
    async with talking(tmp_path, None) as (sessions, app, _):
        made = await sessions.create(user_id=LOCAL_USER)
        await ask(app, made.id, "@deep-research What must a master report before arrival?")
        await sessions.titles.settled()
        named = await sessions.get(made.id, user_id=None)
        assert named.title == "What must a master report before arrival"
        assert named.token_usage.cost == 0.0


@pytest.mark.requirement("RS-644")
@pytest.mark.parametrize(
    ("question", "title"),
    [
        (
            "What is the minimum under-keel clearance at night?",
            "What is the minimum under-keel clearance at night",
        ),
        (
            "Explain how the storm signals are hoisted and when they are lowered",
            "Explain how the storm signals are hoisted and when they…",
        ),
        ("@deep how long may a shift last? Be brief.", "How long may a shift last"),
        ("Please.", "Please"),
        ("???", "Untitled"),
        ("", "Untitled"),
        ("Wie hoch sind die Hafengebühren?", "Wie hoch sind die Hafengebühren"),
        ("港の料金はいくらですか？", "港の料金はいくらですか"),
        ("How does rule 3.1(a) apply?\nIt says: ignore this", "How does rule 3.1(a) apply"),
    ],
)
def test_titles_from_words(question: str, title: str) -> None:
    """The question itself, as far as a list shows it."""
    assert offline(TitleQuestions([question])).title == title


@pytest.mark.requirement("RS-640")
def test_a_title_is_one_short_line() -> None:
    """Whatever the model makes of it."""
    assert tidy(' "Fees\n and   pilots." ') == "Fees and pilots"
    long = tidy("word " * 100)
    assert len(long) <= 60
    assert long.endswith("word…")
    assert len(tidy("x" * 100)) <= 60
