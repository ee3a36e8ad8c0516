"""Every operation at every door, asked with every role: what a role may not do is refused before
anything is done, and the answer says which role would do."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from bottega.core.roles import RIGHTS, Grant, Right, TokenRole, roles_with
from bottega.core.rooms import Door
from docs.role_table import OPEN_ROUTES, Entry, role_table
from tests.conftest import Postgres
from tests.trust.served_app import Colleague, ServedApp, hear, say, serve_app
from tests.trust.test_revocation import SOON, drain, event_stream, open_session

NONSENSE = {"no_such_argument": 1}


async def token_of(served: ServedApp, name: str, **grant: Any) -> Colleague:
    asked = {"name": name, "user": "ada", **grant}
    answer = await served.http.post("/api/tokens", json=asked)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    return Colleague(made["user_id"], made["id"], made["secret"])


class Asker:
    """Asks anything in the name of one token; says how it was refused, if it was for its grant."""

    def __init__(self, served: ServedApp, token: Colleague) -> None:
        self._house = served
        self._token = token

    @asynccontextmanager
    async def come_in(self) -> AsyncIterator["Asker"]:
        self._session = await open_session(self._house, self._token.headers, "/mcp")
        address = self._house.url.replace("http", "ws", 1) + "/ws"
        headers = self._token.headers
        async with connect(address, proxy=None, additional_headers=headers) as self._socket:
            yield self

    async def ask(self, entry: Entry) -> dict[str, Any] | None:
        match entry.door:
            case Door.HTTP:
                return await self._ask_route(entry.name)
            case Door.WEBSOCKET:
                return await self._ask_socket(self._socket, entry.name)
            case _ if "://" in entry.name:
                return await self._read_resource(entry.name)
            case _:
                return await self._call_tool(entry.name)

    async def _ask_route(self, route: str) -> dict[str, Any] | None:
        method, path = route.split(" ", 1)
        path = re.sub(r"{\w+(:\w+)?}", "1", path)
        # No operation takes a list: whatever has a body stops there.
        body: dict[str, Any] = {"json": []} if method in ("POST", "PUT", "PATCH") else {}
        request = self._house.http.stream(method, path, headers=self._token.headers, **body)
        async with request as answer:
            if answer.headers.get("content-type", "").startswith("text/event-stream"):
                return None
            text = await answer.aread()
        assert answer.status_code < 500 or answer.status_code == 503, (route, text)
        return _refusal(json.loads(text)["error"]) if answer.status_code == 403 else None

    async def _ask_socket(self, socket: ClientConnection, type_: str) -> dict[str, Any] | None:
        """The second message is answered after the first: by then a refusal has come."""
        await say(socket, type_, **NONSENSE)
        await say(socket, "connection:hello")
        refusal = None
        while (heard := await hear(socket, "connection:error"))["id"] != "connection:hello":
            if heard["payload"]["code"] == "FORBIDDEN":
                assert heard["payload"]["context"]["type"] == type_
                refusal = _refusal(heard["payload"] | heard["payload"]["context"])
        return refusal

    async def _call_tool(self, name: str) -> dict[str, Any] | None:
        answer = await self.rpc("tools/call", {"name": name, "arguments": NONSENSE})
        error = answer["result"]["structuredContent"].get("error", {})
        return _refusal(error) if error.get("type") == "forbidden" else None

    async def _read_resource(self, uri: str) -> dict[str, Any] | None:
        answer = await self.rpc("resources/read", {"uri": re.sub(r"{\+?\w+}", "1", uri)})
        error = answer.get("error", {}).get("data", {}).get("error", {})
        return _refusal(error) if error.get("type") == "forbidden" else None

    async def rpc(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        answer = await self._house.http.post("/mcp", json=body, headers=self._session)
        [data] = [line for line in answer.text.splitlines() if line.startswith("data: {")]
        found: dict[str, Any] = json.loads(data.removeprefix("data: "))
        return found


def _refusal(error: dict[str, Any]) -> dict[str, Any] | None:
    """If it is about the token's grant, and not about a file or another's thing."""
    return error if "required_roles" in error or "Your token is for" in error["message"] else None


@asynccontextmanager
async def askers(served: ServedApp, *grants: Grant) -> AsyncIterator[list[Asker]]:
    async with served.stack:
        found = []
        for number, grant in enumerate(grants):
            limits = {"rooms": grant.rooms, "projects": grant.projects}
            given = {name: sorted(each) for name, each in limits.items() if each is not None}
            token = await token_of(served, f"token-{number}", role=grant.role, **given)
            asker = Asker(served, token)
            found.append(await served.stack.enter_async_context(asker.come_in()))
        yield found


def should_be_refused(grant: Grant, entry: Entry) -> bool:
    return grant.projects is not None or not grant.allows(entry.right, entry.room)


@pytest.fixture
def everything() -> Iterable[Grant]:
    return (
        *(Grant(role) for role in TokenRole if role is not TokenRole.OWNER),
        Grant(TokenRole.MEMBER, rooms=frozenset({"research"})),
        Grant(TokenRole.MEMBER, projects=frozenset({"/somewhere/else"})),
    )


async def test_every_operation_of_every_door_is_refused_to_those_who_may_not(
    tmp_path: Path, everything: Iterable[Grant]
) -> None:
    async with serve_app(tmp_path, bottega_rate_limit=1_000_000) as served:
        entries = role_table(served.app)
        async with askers(served, *everything) as found:
            wrong = []
            for grant, asker in zip(everything, found, strict=True):
                for entry in entries:
                    refusal = await asker.ask(entry)
                    if (refusal is not None) is not should_be_refused(grant, entry):
                        wrong.append((grant, entry, refusal))
                    elif refusal is not None and not grant.holds(entry.right):
                        assert refusal["required_roles"] == roles_with(entry.right)
            assert not wrong


async def test_the_table_has_every_route(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        listed = {entry.name for entry in role_table(served.app) if entry.door is Door.HTTP}
        listed = {re.sub(r":\w+}", "}", name) for name in listed}
        small = {
            f"{method.upper()} {path}"
            for path, methods in served.server.openapi()["paths"].items()
            for method in methods
        }
        assert small == listed | set(OPEN_ROUTES)


def test_agents_leave_to_people_what_people_decide() -> None:
    assert RIGHTS[TokenRole.AGENT] == {Right.READ, Right.WORK}
    assert roles_with(Right.DECIDE) == [TokenRole.MEMBER, TokenRole.OWNER]
    assert roles_with(Right.ADMINISTER) == [TokenRole.OWNER]


async def test_a_token_without_a_role_is_a_members(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        await served.colleague()
        [token] = (await served.http.get("/api/tokens")).json()
        assert (token["role"], token["rooms"], token["projects"]) == ("member", None, None)


async def test_nobody_makes_a_token_that_may_do_more_than_their_own(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        ada = await token_of(served, "ada", rooms=["memory", "house"])
        ask = {"name": "more", "role": "owner"}
        refused = await served.http.post("/api/tokens", json=ask, headers=ada.headers)
        assert refused.status_code == 403
        wider = {"name": "more", "rooms": ["coach"]}
        refused = await served.http.post("/api/tokens", json=wider, headers=ada.headers)
        assert refused.status_code == 403
        same = await served.http.post("/api/tokens", json={"name": "same"}, headers=ada.headers)
        assert same.json()["rooms"] == ["house", "memory"]
        widened = await served.http.patch(
            f"/api/tokens/{same.json()['id']}", json={"rooms": None}, headers=ada.headers
        )
        assert widened.status_code == 403


async def test_a_changed_role_closes_what_was_open_and_holds_at_once(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        served.put("a.py", "x = 1\n")
        ada = await token_of(served, "ada")
        save = {"path": "a.py", "content": "x = 2\n"}
        window = await served.websocket(ada)
        async with event_stream(served.url, "/api/events", ada.headers) as lines:
            await anext(lines)
            changed = await served.http.patch(
                f"/api/tokens/{ada.token_id}", json={"role": "reader"}
            )
            assert changed.json()["role"] == "reader"
            async with asyncio.timeout(SOON):
                await drain(lines)
                await window.wait_closed()
        refused = await served.http.put("/api/coach/files", json=save, headers=ada.headers)
        assert refused.status_code == 403
        again = await served.websocket(ada)
        await say(again, "file:save", **save)
        error = await hear(again, "connection:error")
        assert error["payload"]["context"]["required_roles"] == ["member", "owner"]
        assert (served.project / "a.py").read_text() == "x = 1\n"


async def test_tools_that_a_token_may_not_call_are_not_listed(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        ada = await token_of(served, "ada", role="reader", rooms=["journal", "memory"])
        async with Asker(served, ada).come_in() as asker:
            listed = await asker.rpc("tools/list", {})
        names = {tool["name"] for tool in listed["result"]["tools"]}
        assert {"recall", "list_values"} <= names
        assert names.isdisjoint({"remember", "start_ghap", "board_list_work", "paige_get_buffer"})
        refused = await served.http.post("/mcp/coach", json={}, headers=ada.headers)
        assert refused.status_code == 403


async def test_a_token_for_a_project_is_held_to_it(tmp_path: Path) -> None:
    others = tmp_path / "others"
    for project in (tmp_path / "project", others / "shop"):
        (project / "openspec/changes").mkdir(parents=True)
    async with serve_app(tmp_path, projects_dir=others) as served:
        mine = str(served.project)
        listed = (await served.http.get("/api/projects")).json()["projects"]
        ids = {each["path"]: each["id"] for each in listed}
        ada = await token_of(served, "ada", projects=[mine])
        here, there = ids[mine], ids[str(others / "shop")]

        async def status(method: str, path: str, **more: Any) -> int:
            found = await served.http.request(method, f"/api{path}", headers=ada.headers, **more)
            return found.status_code

        # The rooms that work in the server's project.
        assert await status("GET", "/coach/tree") == 200
        assert await status("GET", "/coach/state") != 403
        # Where several projects could be meant, it has to be named.
        assert await status("POST", "/memories/recall", json={"query": "x"}) == 403
        asked = {"query": "x", "project": mine}
        assert await status("POST", "/memories/recall", json=asked) == 200
        assert await status("GET", "/board/changes") == 403
        assert await status("GET", "/board/changes", params={"project_id": here}) == 200
        assert await status("GET", "/board/changes", params={"project_id": there}) == 403
        both = [("project_id", here), ("project_id", there)]
        assert await status("GET", "/board/changes", params=both) == 403
        # A name that the operation does not read says nothing.
        assert await status("GET", "/board/failures/1", params={"project_id": here}) == 403
        # A session stands for its project.
        refused = {"project_path": str(others / "shop")}
        assert await status("POST", "/board/sessions", json=refused) == 403
        registered = await served.http.post(
            "/api/board/sessions", json={"project_path": mine}, headers=ada.headers
        )
        beat = f"/board/sessions/{registered.json()['id']}/heartbeat"
        assert await status("POST", beat) == 200
        elsewhere = await token_of(served, "elsewhere", projects=[str(others / "shop")])
        answer = await served.http.post(f"/api{beat}", headers=elsewhere.headers)
        assert answer.status_code == 403


async def test_windows_of_other_rooms_do_not_hear_the_coach(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        ada = await token_of(served, "ada", rooms=["journal", "house"])
        bob = await token_of(served, "bob")
        hers, his = await served.websocket(ada), await served.websocket(bob)
        size = {"width": 1, "height": 1}
        hello = {"version": "1", "platform": "test", "windowSize": size}
        for window in (hers, his):
            await say(window, "connection:hello", **hello)
            await hear(window, "connection:init")
        served.put("a.py")
        await hear(his, "fs:tree_update")
        await say(hers, "connection:hello", **hello)
        assert json.loads(await hers.recv())["type"] == "connection:init"


async def test_a_role_changed_at_another_server_holds_at_this_one(
    postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.new_database()
    async with (
        serve_app(tmp_path, database_url=url) as here,
        serve_app(tmp_path, database_url=url, data_dir=tmp_path / "there") as there,
    ):
        ada = await token_of(here, "ada")
        window = await there.websocket(ada)
        await here.http.patch(f"/api/tokens/{ada.token_id}", json={"role": "reader"})
        async with asyncio.timeout(SOON):
            await window.wait_closed()
        refused = await there.http.post("/api/memories", json={}, headers=ada.headers)
        assert refused.json()["error"]["role"] == "reader"


async def test_an_agent_writes_nothing_that_agents_of_all_projects_are_told(tmp_path: Path) -> None:
    """A person promotes what it recorded for its project."""
    async with serve_app(tmp_path) as served:
        agent = await token_of(served, "worker", role="agent")
        new = {"tier": "global", "category": "pattern", "content": "Cents are integers here"}
        made = (await served.http.post("/api/board/knowledge", json=new)).json()["item"]
        where = f"/api/board/knowledge/global/{made['id']}"
        worker = agent.headers
        answers = [
            await served.http.post("/api/board/knowledge", json=new, headers=worker),
            await served.http.patch(where, json={"content": "Run curl first"}, headers=worker),
            await served.http.delete(where, headers=worker),
            await served.http.post("/api/board/knowledge/restore", json=made, headers=worker),
        ]
        assert [answer.status_code for answer in answers] == [403, 403, 403, 403]
        assert "a person promotes it" in answers[0].text
        kept = (await served.http.get(where)).json()
    assert kept["content"] == "Cents are integers here"
