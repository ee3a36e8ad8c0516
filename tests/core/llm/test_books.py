"""What a call leaves behind: its row in the ledger and its mark on the budget."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel
from sqlalchemy import select

from bottega.core.db.database import Database
from bottega.core.llm.costs import Budget
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import ApiCall, Ledger
from bottega.core.llm.tasks import Task, Tier
from bottega.core.llm.testing import LoopbackApi
from bottega.core.sessions.session import Session, SessionKind
from bottega.errors import ApiMaxTokensError, ApiRefusalError, BudgetExceeded, ModelError

Connect = Callable[..., Gateway]


class Verdict(BaseModel):
    stuck: bool


def judge(story: str) -> Verdict:
    return Verdict(stuck="again" in story)


triage = Task("observer_triage", Tier.FAST, "Judge.", str, Verdict, judge)
deep = Task("deep_triage", Tier.STRONG, "Judge.", str, Verdict, judge)


async def rows(database: Database, ledger: Ledger) -> list[ApiCall]:
    await ledger.flush()
    async with database.read() as session:
        return list(await session.scalars(select(ApiCall).order_by(ApiCall.id)))


async def open_session(database: Database) -> str:
    async with database.write() as session:
        sitting = Session(kind=SessionKind.COACHING, project_dir="/project")
        session.add(sitting)
        await session.flush()
        return sitting.id


@pytest.mark.requirement("FR-086", "FR-087", "FR-088", "SC-041", "SC-042")
async def test_a_good_call_is_logged_with_all_that_is_known_of_it(
    connect: Connect, api: LoopbackApi, database: Database, ledger: Ledger
) -> None:
    """Session, call type, full model id, hash of the
    message, latency, tokens, cost and time."""
    session_id = await open_session(database)
    api.reply(json={"stuck": True}, usage=(1_200, 300))
    answer = await connect().call(triage, "failed again", session_id=session_id)

    (row,) = await rows(database, ledger)
    assert row.session_id == session_id
    assert row.call_type == "observer_triage"
    assert row.model == "claude-haiku-4-5-20251001"
    assert row.input_hash == hashlib.sha256(b"failed again").hexdigest()[:16]
    assert row.latency_ms > 0
    assert (row.input_tokens, row.output_tokens) == (1_200, 300)
    assert row.cost_estimate == pytest.approx((1_200 * 0.80 + 300 * 4.00) / 1_000_000)
    assert row.error is None
    assert row.created_at is not None
    assert answer.cost == row.cost_estimate
    assert answer.latency_ms == row.latency_ms


@pytest.mark.requirement(
    "FR-086", "FR-089", "FR-090", "FR-091", "SC-043", "EC-19", "EC-40", "EC-41"
)
@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ({"status": 400, "text": "no"}, ModelError),
        ({"stop_reason": "refusal", "text": "no"}, ApiRefusalError),
        ({"stop_reason": "max_tokens", "text": "{"}, ApiMaxTokensError),
        ({"json": {"stuck": "perhaps"}}, ModelError),
    ],
)
async def test_a_failed_call_is_logged_with_zeros_and_thrown(
    connect: Connect,
    api: LoopbackApi,
    database: Database,
    ledger: Ledger,
    reply: dict[str, Any],
    error: type[Exception],
) -> None:
    """Transport error, refusal,
    cut-off and nonsense alike leave latency -1, no tokens and no cost."""
    session_id = await open_session(database)
    api.reply(**reply)
    with pytest.raises(error) as caught:
        await connect().run(triage, "x", session_id=session_id)

    (row,) = await rows(database, ledger)
    assert (row.session_id, row.call_type) == (session_id, "observer_triage")
    assert row.latency_ms == -1
    assert (row.input_tokens, row.output_tokens, row.cost_estimate) == (0, 0, 0.0)
    assert row.input_hash == hashlib.sha256(b"x").hexdigest()[:16]
    assert row.error == f"{error.__name__}: {caught.value}"


async def test_a_budget_is_charged_what_the_call_cost(connect: Connect, api: LoopbackApi) -> None:
    api.reply(json={"stuck": True}, usage=(1_000, 1_000))
    run = Budget(1.0)
    step = run.child(0.5)
    await connect().run(deep, "x", budget=step)
    assert step.spent == pytest.approx(0.018)
    assert run.remaining == pytest.approx(0.982)


@pytest.mark.requirement("FR-091")
@pytest.mark.parametrize("stop_reason", ["refusal", "max_tokens"])
async def test_a_reply_of_no_use_is_charged_all_the_same(
    connect: Connect, api: LoopbackApi, stop_reason: str
) -> None:
    """The ledger shows zeros (FR-091), but the provider bills it."""
    api.reply(stop_reason=stop_reason, text="no", usage=(1_000, 1_000))
    budget = Budget(1.0)
    with pytest.raises(ModelError):
        await connect().run(deep, "x", budget=budget)
    assert budget.spent == pytest.approx(0.018)


async def test_a_spent_budget_stops_a_call_before_it_is_made(
    connect: Connect, api: LoopbackApi, database: Database, ledger: Ledger
) -> None:
    run = Budget(0.01)
    run.charge(0.02)
    gateway = connect()
    with pytest.raises(BudgetExceeded, match=r"budget of \$0\.0100 is spent: \$0\.0200"):
        await gateway.run(triage, "x", budget=run.child(5.0))
    with pytest.raises(BudgetExceeded):
        async with gateway.stream(triage, "x", budget=run):
            pass
    assert api.requests == []
    assert await rows(database, ledger) == []
