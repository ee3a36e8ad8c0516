"""What models may cost one user in a day, by whichever door they are asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter
from pydantic import BaseModel

from bottega.core.llm.tasks import Task, Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.core.rooms import Caller, Incoming, Message, Room, Tool
from bottega.core.runs.context import RunContext
from bottega.core.services import Core
from bottega.core.wire import Wired
from bottega.errors import BudgetExceeded
from tests.trust.served_app import Colleague, ServedApp, hear, say, serve_app
from tests.trust.test_revocation import LEGACY

greet = Task("greet", Tier.FAST, "You greet.", str, str, str)
#: What one greeting costs, in dollars: a million tokens in.
PRICE = 0.80


class Name(BaseModel):
    name: str = "Ada"


class WiredName(Wired):
    name: str = "Ada"


def greeting_room(core: Core) -> Room:
    """Asks a model from every door."""
    routes = APIRouter()

    @routes.post("/greet")
    async def by_http() -> str:
        return await core.gateway.run(greet, "Ada")

    async def by_tool(asked: Name, _caller: Caller) -> dict[str, str]:
        return {"said": await core.gateway.run(greet, asked.name)}

    async def by_message(incoming: Incoming[WiredName]) -> None:
        incoming.reply("greet:said", {"said": await core.gateway.run(greet, "Ada")})

    return Room(
        "greeting",
        routes=lambda: [routes],
        paths=["/greet"],
        tools=[Tool("greet", "Greet.", Name, by_tool)],
        messages=[Message("greet:ask", WiredName, by_message)],
    )


@asynccontextmanager
async def paying_house(tmp_path: Path, limit: float) -> AsyncIterator[ServedApp]:
    async with LoopbackApi() as api:
        api.reply(text="Hello", usage=(1_000_000, 0), times=20)
        async with serve_app(
            tmp_path,
            bottega_model="anthropic",
            bottega_fast_model="anthropic:claude-haiku-4-5-20251001",
            anthropic_api_key="sk-ant-loopback",
            anthropic_base_url=api.url,
            bottega_max_spend_per_user=limit,
        ) as served:
            core = served.app.core
            await served.server.state.doors.add(greeting_room(core))

            async def greet_in_a_run(run: RunContext, asked: Name) -> Name:
                return Name(name=await run.step("greet", core.gateway.run, greet, asked.name))

            core.runs.register("greet", greet_in_a_run)
            yield served


async def ask_http(served: ServedApp, who: Colleague) -> str:
    return (await served.http.post("/api/greet", headers=who.headers)).text


async def ask_tool(served: ServedApp, who: Colleague) -> str:
    headers = who.headers | LEGACY
    asked: dict[str, Any] = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}
    opened = await served.http.post("/mcp/greeting", json=opening, headers=headers)
    headers |= {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    params = {"name": "greet", "arguments": {}}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
    return (await served.http.post("/mcp/greeting", json=call, headers=headers)).text


async def ask_socket(served: ServedApp, who: Colleague) -> str:
    window = await served.websocket(who)
    await say(window, "greet:ask")
    return str(await hear(window, "greet:said", "connection:error"))


async def ask_run(served: ServedApp, who: Colleague) -> str:
    runs = served.app.core.runs
    run_id = await runs.start("greet", {}, user_id=who.user_id)
    try:
        return str(await runs.result(run_id))
    except BudgetExceeded as error:
        return error.message


@pytest.mark.parametrize("ask", [ask_http, ask_tool, ask_socket, ask_run])
async def test_a_user_spends_so_much_a_day_by_any_door(tmp_path: Path, ask: Any) -> None:
    async with paying_house(tmp_path, limit=1.5 * PRICE) as served:
        mallory, ada = await served.colleague("mallory"), await served.colleague("ada")
        # A budget is checked before a call, and a call that was made is paid.
        assert "Hello" in await ask(served, mallory)
        assert "Hello" in await ask(served, mallory)
        refused = await ask(served, mallory)
        assert "BOTTEGA_MAX_SPEND_PER_USER" in refused
        assert "Hello" in await ask(served, ada)
        for _ in range(3):
            assert (await served.http.post("/api/greet")).status_code == 200


async def test_the_answer_says_when_to_come_back(tmp_path: Path) -> None:
    async with paying_house(tmp_path, limit=0.5 * PRICE) as served:
        mallory = await served.colleague()
        await ask_http(served, mallory)
        refused = await served.http.post("/api/greet", headers=mallory.headers)
        assert refused.status_code == 402
        assert 0 < int(refused.headers["Retry-After"]) <= 24 * 3600
        assert refused.json()["error"]["setting"] == "BOTTEGA_MAX_SPEND_PER_USER"
