"""Memory over HTTP."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from bottega.core.sessions.session import SessionKind, Sessions
from tests.memory.builders import MemoryApp, api_of

PATH = "/api/memories"
BREAD = {"content": "The bakery example uses sourdough", "project": "app", "tags": ["demo"]}

As = Callable[[str], httpx.AsyncClient]


@pytest.fixture
async def as_user(app: MemoryApp) -> AsyncIterator[As]:
    """A client for a user: what the server's auth does before a route is to name the user."""
    server = api_of(app)
    clients: list[httpx.AsyncClient] = []

    def client(user_id: str) -> httpx.AsyncClient:
        async def named(scope: Scope, receive: Receive, send: Send) -> None:
            await server({**scope, "bottega.user_id": user_id}, receive, send)

        transport = httpx.ASGITransport(app=named)
        clients.append(httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1"))
        return clients[-1]

    yield client
    for each in clients:
        await each.aclose()


@pytest.fixture
def http(as_user: As) -> httpx.AsyncClient:
    return as_user("local")


async def test_a_memory_lives_its_life_over_http(http: httpx.AsyncClient) -> None:
    added = await http.post(PATH, json=BREAD)
    assert added.status_code == 201
    memory = added.json()
    assert (memory["owner"], memory["scope"], memory["searchable"]) == ("local", "project", True)
    path = f"{PATH}/{memory['id']}"
    assert memory.items() > (await http.get(path)).json().items()
    edited = (await http.patch(path, json={"importance": "high"})).json()
    assert (edited["importance"], edited["content"]) == ("high", BREAD["content"])
    forgotten = (await http.delete(path)).json()
    assert forgotten["forgotten_at"] is not None
    assert (await http.get(PATH)).json() == {"items": [], "next": None}
    assert (await http.get(PATH, params={"forgotten": True})).json()["items"] == [forgotten]
    restored = (await http.post(f"{path}/restore")).json()
    assert restored["forgotten_at"] is None
    assert (await http.get(PATH, params={"query": "bakery"})).json()["items"] == [restored]
    await http.delete(path, params={"forever": True})
    assert (await http.get(path)).status_code == 404


async def test_recall_answers_over_http(http: httpx.AsyncClient) -> None:
    memory = (await http.post(PATH, json=BREAD)).json()
    asked = {"query": "sourdough bakery", "project": "app", "scopes": ["project"], "budget": 300}
    found = (await http.post(f"{PATH}/recall", json=asked)).json()
    assert [item["id"] for item in found["items"]] == [memory["id"]]
    assert (found["budget"], found["left_out"], found["unavailable"]) == (300, 0, [])
    assert 0 < found["tokens"] <= 300


async def test_pages_are_walked_with_next(http: httpx.AsyncClient) -> None:
    for n in range(3):
        await http.post(PATH, json={"content": f"number {n}"})
    first = (await http.get(PATH, params={"limit": 2})).json()
    second = (await http.get(PATH, params={"limit": 2, "after": first["next"]})).json()
    contents = [item["content"] for item in first["items"] + second["items"]]
    assert contents == ["number 2", "number 1", "number 0"]
    assert second["next"] is None


async def test_memories_are_narrowed_down_by_what_they_are_and_where_they_come_from(
    app: MemoryApp, http: httpx.AsyncClient
) -> None:
    sitting = await Sessions(app.core.database, app.core.bus).create(
        SessionKind.COACHING, "/shop", issue_title="Cents get lost"
    )
    await http.post(PATH, json=BREAD | {"importance": "high"})
    await http.post(PATH, json={"content": "in cents", "session_id": sitting.id, "tags": ["dem"]})

    async def found(**wanted: str) -> list[str]:
        page = (await http.get(PATH, params=wanted)).json()
        return [item["content"] for item in page["items"]]

    assert await found(importance="high") == [BREAD["content"]]
    assert await found(tag="demo") == [BREAD["content"]]
    assert await found(tag="dem") == ["in cents"]
    assert await found(room="coaching") == ["in cents"]
    assert await found(room="assistant") == []


async def test_an_overview_counts_what_there_is(app: MemoryApp, http: httpx.AsyncClient) -> None:
    sitting = await Sessions(app.core.database, app.core.bus).create(
        SessionKind.COACHING, "/shop", issue_title="Cents get lost"
    )
    for memory in (BREAD, {"content": "a", "session_id": sitting.id}, {"content": "b"}):
        await http.post(PATH, json=memory)
    gone = (await http.post(PATH, json={"content": "c", "session_id": "elsewhere"})).json()
    overview = (await http.get(f"{PATH}/overview")).json()
    assert overview["total"] == 4
    assert overview["projects"] == [{"project": "app", "count": 1}]
    assert [(each["session_id"], each["room"], each["title"]) for each in overview["sessions"]] == [
        ("elsewhere", None, None),
        (sitting.id, "coaching", "Cents get lost"),
    ]
    await http.delete(f"{PATH}/{gone['id']}")
    overview = (await http.get(f"{PATH}/overview")).json()
    assert (overview["total"], overview["forgotten"]) == (3, 1)
    assert len(overview["sessions"]) == 1


async def test_users_are_kept_apart_over_http(app: MemoryApp, as_user: As) -> None:
    ana = as_user(await app.new_user("ana"))
    memory = (await ana.post(PATH, json=BREAD)).json()
    stranger = as_user("local")
    path = f"{PATH}/{memory['id']}"
    answers = [
        await stranger.get(path),
        await stranger.patch(path, json={"content": "mine now"}),
        await stranger.delete(path),
        await stranger.post(f"{path}/restore"),
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert answers[0].json()["error"]["type"] == "not_found"
    assert (await stranger.post(f"{PATH}/recall", json={"query": "bakery"})).json()["items"] == []
    assert memory.items() > (await ana.get(path)).json().items()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": "   "},
        {"content": "x" * 20_001},
        {"content": "x", "importance": "urgent"},
        {"content": "x", "session_id": "../../etc"},
        {"content": "x", "scope": "global"},
        {"content": "x", "colour": "red"},
        {"content": "a\0b"},
    ],
    ids=["empty", "blank", "too long", "importance", "session", "scope", "unknown field", "nul"],
)
async def test_what_cannot_be_a_memory_is_refused(
    http: httpx.AsyncClient, body: dict[str, str]
) -> None:
    refused = await http.post(PATH, json=body)
    assert refused.status_code == 422
    assert refused.json()["error"]["type"] == "validation_error"


@pytest.mark.parametrize("path", ["/a%00b", "?query=%00", "?project=%00", "?after=%00"])
async def test_characters_that_no_database_holds_are_refused_in_addresses_too(
    http: httpx.AsyncClient, path: str
) -> None:
    assert (await http.get(PATH + path)).status_code == 422


async def test_half_a_character_is_refused(http: httpx.AsyncClient) -> None:
    body = b'{"content": "half \\ud800"}'
    refused = await http.post(PATH, content=body, headers={"content-type": "application/json"})
    assert refused.status_code == 422
