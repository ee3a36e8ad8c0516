"""A colleague who knows every id of yours, and asks every operation for it: nothing of yours is
shown, and nothing is changed."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from sqlalchemy import text

from bottega.core.db.database import Base
from bottega.core.operations import Bound, Operation, operations_of
from bottega.core.roles import Right
from bottega.server import api
from tests.trust.served_app import Colleague, ServedApp, serve_app
from tests.trust.test_revocation import open_session
from tests.trust.test_roles import token_of

#: In everything that is Ada's.
MARK = "quokka"
#: Tables that tell what somebody did, where another's attempt adds lines of its own.
DIARIES = {"events", "spans", "hook_events"}
#: Columns that say when something last happened.
CLOCKS = {"last_used_at"}


async def fill(served: ServedApp, ada: Colleague) -> None:
    """Something of Ada's in every room."""

    async def ask(method: str, path: str, **body: Any) -> Any:
        answer = await served.http.request(
            method, f"/api{path}", json=body or None, headers=ada.headers
        )
        assert answer.is_success, (path, answer.text)
        return answer.json()

    said = dict.fromkeys(("goal", "hypothesis", "action", "prediction"), f"the {MARK} it is")
    await ask("POST", "/memories", content=f"the {MARK} sleeps at noon")
    await ask("POST", "/journal/entries", domain="debugging", strategy="systematic-elimination",
              **said)  # fmt: skip
    await ask("POST", "/journal/active/resolve", status="confirmed", result=f"a {MARK}")
    await ask("POST", "/journal/entries", domain="debugging", strategy="systematic-elimination",
              **said)  # fmt: skip
    await ask("POST", "/libraries", name=f"{MARK}s", title=f"All about the {MARK}")
    research = await ask("POST", "/research/sessions", title=f"Where is the {MARK}?")
    path = f"/research/sessions/{research['id']}/messages"
    await ask("POST", path, text=f"Tell me of the {MARK}.", wait=True)
    await ask("POST", "/coach/sessions", issueTitle=f"Feed the {MARK}")
    turn = await ask("POST", "/assistant/sessions", command="code-review:review", input=f"A {MARK}")
    await served.app.core.runs.wait(turn["run_id"])
    await ask("PUT", f"/assistant/memory/file?path=teacher/{MARK}.md", text=f"A {MARK}.")
    registered = await ask("POST", "/board/sessions", project_path=str(served.project))
    asked = {"session_id": registered["id"], "question": f"Which {MARK}?"}
    await ask("POST", "/board/clarifications", **asked)
    hook = {"hook_event_name": "UserPromptSubmit", "session_id": "c-1", "prompt": f"a {MARK}",
            "cwd": str(served.project)}  # fmt: skip
    await ask("POST", "/board/hooks", **hook)


async def rows_of(served: ServedApp, user_id: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Every row that is Ada's or speaks of her, by table and key."""
    found = {}
    async with served.app.core.database.read() as session:
        for table in Base.metadata.sorted_tables:
            keys = [column.name for column in table.primary_key]
            for row in (await session.execute(text(f'SELECT * FROM "{table.name}"'))).mappings():
                line = {name: value for name, value in row.items() if name not in CLOCKS}
                if table.name not in DIARIES and re.search(f"{user_id}|{MARK}", str(line)):
                    found[table.name, str([row[key] for key in keys])] = line
    return found


async def actions_of(served: ServedApp, sessions: list[str]) -> int:
    """How many lines the logs of these sessions have."""
    found = [await served.app.core.actions.recent(each, 500) for each in sessions]
    return sum(len(each) for each in found)


async def settled(served: ServedApp, user_id: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Her rows, when what is written behind her requests is written too."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    while found != (found := await rows_of(served, user_id)):
        await asyncio.sleep(0.5)
    return found


def ids_of(rows: Mapping[tuple[str, str], Mapping[str, Any]]) -> dict[str, list[str]]:
    """What an argument of a name could be: `session_id`, `run_id`, and every id for plain `id`."""
    found: dict[str, set[str]] = {"name": {f"{MARK}s"}, "library": {f"{MARK}s"}}
    for (table, _), row in rows.items():
        for name, value in row.items():
            if isinstance(value, str) and (name == "id" or name.endswith("_id")):
                own = f"{table.rpartition('_')[2].removesuffix('s')}_id"
                for each in (name, own) if name == "id" else (name,):
                    found.setdefault(each, set()).add(value)
    sessions = {row["id"] for (table, _), row in rows.items() if table == "sessions"}
    found["session_id"] = sessions | found.get("session_id", set())
    return {name: sorted(values) for name, values in found.items()}


def operations(served: ServedApp) -> Iterator[Operation]:
    for room in served.app.rooms:
        for bound in room.operations:
            assert isinstance(bound, Bound)
            yield from bound.operations
    for noun in api.NOUNS:
        yield from operations_of(noun)


def example(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that may do: those given, and something for all others that are required."""
    schema = model.model_json_schema(by_alias=False)
    needed = {name: value for name, value in given.items() if name in schema["properties"]}
    for name in schema.get("required", ()):
        needed.setdefault(name, _value(schema["properties"][name], schema))
    return needed


def _value(field: dict[str, Any], schema: dict[str, Any]) -> Any:
    if "$ref" in field:
        return _value(schema["$defs"][field["$ref"].rpartition("/")[2]], schema)
    if options := field.get("anyOf") or field.get("oneOf"):
        return _value(options[0], schema)
    if "enum" in field:
        return field["enum"][0]
    if field.get("type") == "object":
        required = field.get("required", ())
        return {name: _value(field["properties"][name], schema) for name in required}
    values: dict[str, Any] = {"integer": 1, "number": 1, "boolean": True, "array": []}
    return values.get(field.get("type", ""), "something")


class Intruder:
    def __init__(self, served: ServedApp, token: Colleague, session: dict[str, str]) -> None:
        self._house = served
        self._token = token
        self._session = session
        self.leaks: list[tuple[str, str]] = []
        self.calls = 0

    async def try_all(self, ids: Mapping[str, list[str]]) -> None:
        for operation in operations(self._house):
            names = [name for name in operation.arguments.model_fields if name in ids]
            if not names and operation.right is not Right.READ:
                # It names nothing, and begins something of one's own.
                continue
            longest = max([1, *(len(ids[name]) for name in names)])
            for turn in range(longest):
                given = {name: ids[name][turn % len(ids[name])] for name in names}
                arguments = example(operation.arguments, given)
                await self._try(operation, arguments)

    async def _try(self, operation: Operation, arguments: dict[str, Any]) -> None:
        for route in operation.routes:
            rest, path = dict(arguments), f"/api{route.path}"
            for name in route.in_path:
                path = re.sub(rf"{{{name}(:\w+)?}}", str(rest.pop(name)), path)
            query = {name: rest.pop(name) for name in route.query if name in rest}
            body: dict[str, Any] = {"json": rest} if route.has_body else {}
            answer = await self._house.http.request(
                route.method,
                path,
                params=query | ({} if route.has_body else rest),
                headers=self._token.headers,
                **body,
            )
            self._note(f"{route.method} {path}", answer.text)
        for tool in operation.tools:
            call = {"name": tool.name, "arguments": arguments}
            asked = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
            answer = await self._house.http.post("/mcp", json=asked, headers=self._session)
            self._note(tool.name, answer.text)

    def _note(self, asked: str, answer: str) -> None:
        self.calls += 1
        # The library's name is in the question, and in the answer that there is none.
        if MARK in answer.replace(f"{MARK}s", ""):
            self.leaks.append((asked, answer))


async def test_a_colleague_with_all_your_ids_sees_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "project/openspec/changes").mkdir(parents=True)
    async with serve_app(tmp_path, bottega_rate_limit=1_000_000) as served:
        ada = await token_of(served, "ada")
        bob = await served.colleague("bob")
        await fill(served, ada)
        before = await settled(served, ada.user_id)
        ids = ids_of(before)
        tables = {table for table, _ in before}
        assert {"memories", "sessions", "messages", "runs", "libraries", "tokens"} <= tables, tables
        actions = await actions_of(served, ids["session_id"])
        intruder = Intruder(served, bob, await open_session(served, bob.headers, "/mcp"))
        async with asyncio.timeout(120):
            await intruder.try_all(ids)
        assert intruder.calls > 300
        assert not intruder.leaks
        after = await rows_of(served, ada.user_id)
        changed = [
            (key, name, row[name], after.get(key, {}).get(name))
            for key, row in before.items()
            for name in row
            if after.get(key, {}).get(name) != row[name]
        ]
        assert not changed
        # What Bob made of her library's name, which he knows, is his.
        added = [row for key, row in after.items() if key not in before]
        assert not [row for row in added if bob.user_id not in str(row)]
        assert await actions_of(served, ids["session_id"]) == actions
