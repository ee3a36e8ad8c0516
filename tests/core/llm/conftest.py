"""A loopback API, a ledger, and gateways that connect the two."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from bottega.core.db.database import Database
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import Ledger
from bottega.core.llm.providers import Models, choose
from bottega.core.llm.testing import LoopbackApi


@pytest.fixture
async def api() -> AsyncIterator[LoopbackApi]:
    async with LoopbackApi() as api:
        yield api


@pytest.fixture
async def ledger(database: Database) -> AsyncIterator[Ledger]:
    ledger = Ledger(database)
    await ledger.start()
    yield ledger
    await ledger.stop()


@pytest.fixture
async def connect(api: LoopbackApi, ledger: Ledger) -> AsyncIterator[Callable[..., Gateway]]:
    """Gateways whose real SDKs talk to the loopback API."""
    opened: list[Models] = []

    def build(
        choice: str = "anthropic",
        *,
        timeout: float = 30,
        retries: int = 2,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> Gateway:
        access = api.access(timeout=timeout, retries=retries)
        opened.append(Models(choose(choice, access), access))
        return Gateway(opened[-1], ledger, sleep=sleep)

    yield build
    for models in opened:
        await models.close()
