"""What is kept, what is merged with what is there, and what is refused."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from bottega.core.readers.embedder import Embedder
from bottega.errors import InvalidInput
from bottega.memory.admission import MOST_EVIDENCE, add_evidence, fingerprint, is_trivial
from bottega.memory.schemas import MemoryChange, MemoryFilter, MemoryInput, NewMemory
from bottega.memory.stores import Importance, Scope
from tests.memory.builders import MemoryApp, api_of, open_memory

PYTHON = "The CI runner uses Python 3.12"


@pytest.fixture
async def http(app: MemoryApp) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=api_of(app))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def contents(app: MemoryApp) -> list[str]:
    return [memory.content for memory in (await app.memories.list(MemoryFilter())).items]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PYTHON, "the CI runner\n uses   python 3.12."),
        ("Deploys happen on Thursdays", "“Deploys happen on Thursdays!”"),
        ("Use `ruff` (not flake8)", "use ruff not flake8"),
    ],
)
def test_case_blanks_and_the_marks_around_words_make_no_difference(one: str, other: str) -> None:
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PYTHON, "The CI runner uses Python 3.13"),
        ("The parser is written in C", "The parser is written in C++"),
        ("Retry if a != b", "Retry if a = b"),
        ("Set !debug first", "Set debug first"),
        ("Index orders.customer_id", "Index orders customer_id"),
        ("Run migrations before the start", "Run the start before migrations"),
    ],
)
def test_what_differs_in_a_word_or_a_sign_is_another_text(one: str, other: str) -> None:
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize(
    "text",
    [
        *("ok", "OK!", "lol", "ok, thanks", "Sounds good to me.", "👍", "…", "---", "42"),
        *("Build succeeded.", "All tests passed", "12 passed in 3.4s", "Exit code 0, no errors"),
        *("The deploy failed", "CI is green", "Lint: 0 errors, 3 warnings", "done"),
    ],
)
def test_small_talk_and_bare_status_lines_are_trivia(text: str) -> None:
    assert is_trivial(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Tests run in CI", "x", "E4711", "Prefers tabs", "Everywhere", "Über uns", "好"),
        *("The build fails when the disk is full", "Tests must pass before a merge"),
        *("Deploy on Thursdays", "Ines is ready to help with the rollout", "No semicolons"),
    ],
)
def test_what_says_something_is_not(text: str) -> None:
    assert not is_trivial(text)


def test_evidence_is_added_once_and_keeps_its_first_and_newest_lines() -> None:
    assert add_evidence(["a"], ["a", "b"]) == ["a", "b"]
    many = add_evidence(["first"], [str(number) for number in range(100)])
    assert (many[0], many[-1], len(many)) == ("first", "99", MOST_EVIDENCE)


async def test_the_same_text_again_is_merged_with_its_evidence(app: MemoryApp) -> None:
    """Four times told, once kept, and once recalled."""
    first = await app.memories.add(NewMemory(content=PYTHON, evidence="ci.yml:L3", tags=["ci"]))
    for text, evidence in (
        (PYTHON, "ci.yml:L3"),
        (PYTHON.upper(), "Dockerfile:L1"),
        (PYTHON, None),
    ):
        again = await app.memories.add(
            NewMemory(content=text, evidence=evidence, tags=["python"], importance=Importance.HIGH)
        )
    assert (first.admission, first.reason, first.near) == ("kept", None, None)
    assert (again.admission, again.id) == ("merged", first.id)
    assert again.reason is not None
    assert again.near is not None
    assert (again.near.id, again.near.content) == (first.id, PYTHON)
    assert (again.content, again.evidence) == (PYTHON, "ci.yml:L3; Dockerfile:L1")
    assert (again.tags, again.importance) == (["ci", "python"], Importance.HIGH)
    assert again.updated_at > first.updated_at
    found = await app.memory.recall.recall("which python does the runner use")
    assert [ranked.item.id for ranked in found.ranked] == [first.id]


async def test_a_text_is_merged_only_with_one_that_reaches_as_far(app: MemoryApp) -> None:
    """Another user's, another project's, a personal one and a forgotten one are others."""
    ana = await app.new_user("ana")
    here = NewMemory(content=PYTHON, project="app")
    first = await app.memories.add(here)
    others = [
        await app.memories.add(here, ana),
        await app.memories.add(NewMemory(content=PYTHON, project="other")),
        await app.memories.add(NewMemory(content=PYTHON, project="app", scope=Scope.PERSONAL)),
        await app.memories.add(NewMemory(content=PYTHON)),
    ]
    assert {each.admission for each in others} == {"kept"}
    await app.memories.forget(first.id)
    assert (await app.memories.add(here)).admission == "kept"


async def test_a_merge_is_told_as_a_change(app: MemoryApp) -> None:
    async with app.core.bus.subscribe("memory.*") as events:
        for _ in range(2):
            memory = await app.memories.add(NewMemory(content=PYTHON))
        heard = [await anext(events) for _ in range(2)]
    assert [event.topic for event in heard] == ["memory.added", "memory.changed"]
    assert heard[1].payload == {"ids": [memory.id]}


async def test_of_many_at_once_the_trivial_are_left_out_and_repeats_are_merged(
    app: MemoryApp,
) -> None:
    told = [PYTHON, "ok", PYTHON + ".", "Build succeeded.", "Deploys happen on Thursdays"]
    given = [MemoryInput(content=text, evidence=str(n)) for n, text in enumerate(told)]
    assert (await app.memories.add_memories(given, "s1", "app")).added == 3
    assert await contents(app) == ["Deploys happen on Thursdays", PYTHON]
    assert (await app.memories.get("mem_s1_0")).evidence == "0; 2"


async def test_a_refusal_says_why_and_what_to_do(app: MemoryApp, http: httpx.AsyncClient) -> None:
    """The text stands in the answer, and nothing is stored."""
    with pytest.raises(InvalidInput, match=r"'Build succeeded\.' was not kept: it is a status"):
        await app.memories.add(NewMemory(content="Build succeeded."))
    answer = await http.post("/api/memories", json={"content": "lol"})
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["admission"] == "refused"
    assert "'lol' was not kept" in error["message"]
    assert "Say in a sentence what a later session should know" in error["message"]
    assert await contents(app) == []


async def test_an_edit_cannot_empty_a_memory_of_meaning(app: MemoryApp) -> None:
    memory = await app.memories.add(NewMemory(content=PYTHON))
    with pytest.raises(InvalidInput, match="was not kept"):
        await app.memories.edit(memory.id, MemoryChange(content="ok"))
    assert await contents(app) == [PYTHON]


async def test_an_edited_text_is_known_by_its_new_words(app: MemoryApp) -> None:
    memory = await app.memories.add(NewMemory(content=PYTHON))
    await app.memories.edit(memory.id, MemoryChange(content="The CI runner uses Python 3.13"))
    assert (await app.memories.add(NewMemory(content=PYTHON))).admission == "kept"
    again = await app.memories.add(NewMemory(content="The CI runner uses Python 3.13!"))
    assert again.id == memory.id


async def test_two_who_tell_the_same_at_once_make_one_memory(
    database_url: str, embedder: Embedder
) -> None:
    async with (
        open_memory(database_url, embedder) as one,
        open_memory(database_url, embedder) as other,
    ):
        told = [
            app.memories.add(NewMemory(content=PYTHON, evidence=f"said by {n}"))
            for n, app in enumerate((one, other) * 5)
        ]
        answers = await asyncio.gather(*told)
        assert sorted(each.admission for each in answers) == ["kept"] + ["merged"] * 9
        [memory] = (await one.memories.list(MemoryFilter())).items
        assert memory.evidence is not None
        assert len(memory.evidence.split("; ")) == 10
