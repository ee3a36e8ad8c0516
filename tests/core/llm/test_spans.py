"""Model calls in the traces."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import select

from bottega.core.db.database import Database
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import Ledger
from bottega.core.llm.providers import Models, choose
from bottega.core.llm.tasks import Task, Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.core.traces import Traces
from bottega.core.traces.store import SpanRow
from bottega.errors import ModelError

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

greet = Task("greet", Tier.FAST, "You greet.", str, str, str)


@pytest.fixture
async def traces(database: Database) -> AsyncIterator[Traces]:
    traces = Traces(database)
    await traces.start()
    yield traces
    await traces.stop()


async def test_a_call_is_a_span_with_its_model_and_usage(
    api: LoopbackApi, ledger: Ledger, traces: Traces, database: Database
) -> None:
    access = api.access(retries=0)
    gateway = Gateway(Models(choose("anthropic", access), access), ledger, traces=traces)
    api.reply(text="hello", usage=(1_000, 20))
    api.reply(status=400)
    await gateway.run(greet, "x")
    with pytest.raises(ModelError):
        await gateway.run(greet, "x")
    await gateway.close()
    await traces.flush()

    async with database.read() as session:
        good, bad = await session.scalars(select(SpanRow).order_by(SpanRow.started_at))
    assert (good.name, good.kind) == ("chat claude-haiku-4-5-20251001", "model")
    assert good.attributes["bottega.task"] == "greet"
    assert good.attributes["gen_ai.provider.name"] == "anthropic"
    assert good.attributes["gen_ai.usage.input_tokens"] == 1_000
    assert good.attributes["bottega.cost_usd"] == pytest.approx((800 + 80) / 1e6)
    assert bad.status == "error"
