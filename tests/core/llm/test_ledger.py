"""The `api_call_log` table and the sums over it, on both databases."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, func, inspect, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.db.database import Database
from bottega.core.llm.ledger import NOTHING, ApiCall, CallMetadata, Ledger, Totals
from bottega.core.sessions.session import Session, SessionKind

HAIKU = "claude-haiku-4-5-20251001"
SONNET = "claude-sonnet-4-5-20250929"
COLUMNS = {
    "id",
    "session_id",
    "call_type",
    "model",
    "input_hash",
    "latency_ms",
    "input_tokens",
    "output_tokens",
    "cost_estimate",
    "created_at",
}


class Forgetful(Database):
    """Commits, and then says that it could not be reached."""

    answers_to_lose = 0

    @asynccontextmanager
    async def write(self, *, durable: bool = True) -> AsyncIterator[AsyncSession]:
        async with super().write(durable=durable) as session:
            yield session
        if self.answers_to_lose:
            self.answers_to_lose -= 1
            raise ConnectionResetError("the connection was lost")


def spent(model: str, cost: float, latency_ms: int = 100) -> CallMetadata:
    return CallMetadata(model, "0123456789abcdef", latency_ms, 1_000, 200, cost)


def failed(model: str) -> CallMetadata:
    return CallMetadata(model, "0123456789abcdef", -1, error="ModelError: no")


async def add_session(database: Database, id: str) -> None:
    async with database.write() as session:
        session.add(Session(id=id, kind=SessionKind.COACHING, project_dir="/project"))


@pytest.mark.requirement("FR-040")
async def test_the_table_has_the_columns_of_the_spec(database: Database) -> None:
    """With `id` as key and `session_id` as a reference to sessions."""
    async with database.read() as session:
        connection = await session.connection()
        table = await connection.run_sync(
            lambda c: (
                {column["name"] for column in inspect(c).get_columns("api_call_log")},
                inspect(c).get_pk_constraint("api_call_log")["constrained_columns"],
                inspect(c).get_foreign_keys("api_call_log")[0],
            )
        )
    columns, key, reference = table
    assert columns >= COLUMNS
    assert key == ["id"]
    assert reference["constrained_columns"] == ["session_id"]
    assert reference["referred_table"] == "sessions"


@pytest.mark.requirement("FR-042", "SC-020")
async def test_a_logged_call_becomes_a_row(database: Database, ledger: Ledger) -> None:
    """With every field as given, and the time."""
    await add_session(database, "s1")
    before = datetime.now(UTC)
    ledger.log_api_call(
        "s1", "coach_agent", CallMetadata(SONNET, "feedfacecafebeef", 812, 2_000, 400, 0.012)
    )
    await ledger.flush()

    async with database.read() as session:
        (row,) = await session.scalars(select(ApiCall))
    assert len(row.id) == 32
    assert (row.session_id, row.call_type, row.model) == ("s1", "coach_agent", SONNET)
    assert (row.input_hash, row.latency_ms) == ("feedfacecafebeef", 812)
    assert (row.input_tokens, row.output_tokens) == (2_000, 400)
    assert row.cost_estimate == pytest.approx(0.012)
    assert before <= row.created_at <= datetime.now(UTC)


@pytest.mark.requirement("FR-046", "SC-022")
async def test_costs_and_latency_add_up_by_session_and_by_model(
    database: Database, ledger: Ledger
) -> None:
    """What was logged a moment ago counts, failed calls do not slow the average."""
    await add_session(database, "s1")
    await add_session(database, "s2")
    ledger.log_api_call("s1", "coach_agent", spent(SONNET, 0.25, latency_ms=900))
    ledger.log_api_call("s1", "triage", spent(HAIKU, 0.01, latency_ms=100))
    ledger.log_api_call("s1", "triage", spent(HAIKU, 0.02, latency_ms=201))
    ledger.log_api_call("s1", "triage", failed(HAIKU))
    ledger.log_api_call("s2", "triage", spent(HAIKU, 5.0))

    spending = await ledger.totals("s1")
    total = spending.total
    assert (total.calls, total.failures) == (4, 1)
    assert (total.input_tokens, total.output_tokens) == (3_000, 600)
    assert total.cost == pytest.approx(0.28)
    assert total.average_latency_ms == pytest.approx((900 + 100 + 201) / 3)
    assert list(spending.by_model) == [HAIKU, SONNET]
    assert spending.by_model[HAIKU].cost == pytest.approx(0.03)
    assert spending.by_model[HAIKU].average_latency_ms == pytest.approx(150.5)
    assert spending.by_model[SONNET].calls == 1
    assert (await ledger.totals()).total.cost == pytest.approx(5.28)

    async with database.read() as session:
        by_hand = await session.scalar(
            select(func.sum(ApiCall.cost_estimate)).where(ApiCall.session_id == "s1")
        )
    assert by_hand == pytest.approx(0.28)


@pytest.mark.requirement("FR-046")
async def test_sums_can_begin_at_a_moment(database: Database, ledger: Ledger) -> None:
    ledger.log_api_call(None, "triage", spent(HAIKU, 1.0))
    await ledger.flush()
    now = datetime.now(UTC)
    async with database.write() as session:
        await session.execute(update(ApiCall).values(created_at=now - timedelta(days=8)))
    ledger.log_api_call(None, "triage", spent(HAIKU, 0.5))

    week = await ledger.totals(since=now - timedelta(days=7))
    assert week.total.calls == 1
    assert week.total.cost == pytest.approx(0.5)


async def test_costs_are_told_by_day_kind_and_model(database: Database, ledger: Ledger) -> None:
    """A day begins when its caller says, whatever the clock of the database."""
    midnight = datetime(2026, 3, 29, tzinfo=UTC)
    for hours, kind, cost in ((-1, "triage", 9.0), (1, "triage", 1.0), (2, "triage", 2.0)):
        ledger.log_api_call(None, kind, spent(HAIKU, cost))
        await set_last_moment(database, ledger, midnight + timedelta(hours=hours))
    ledger.log_api_call(None, "explain", spent(SONNET, 4.0))
    await set_last_moment(database, ledger, midnight + timedelta(hours=23))

    lines = await ledger.by_day([midnight, midnight + timedelta(hours=23)])
    assert [(line.day, line.call_type, line.model) for line in lines] == [
        (0, "triage", HAIKU),
        (1, "explain", SONNET),
    ]
    assert [line.totals.cost for line in lines] == pytest.approx([3.0, 4.0])
    assert [line.totals.calls for line in lines] == [2, 1]


def test_an_average_over_two_sums_weighs_answered_calls() -> None:
    fast = Totals(4, 1, 0.5, 10, 20, 100.0)
    slow = Totals(1, 0, 0.25, 1, 2, 500.0)
    assert fast + slow == Totals(5, 1, 0.75, 11, 22, 200.0)
    assert NOTHING + NOTHING == NOTHING


async def set_last_moment(database: Database, ledger: Ledger, moment: datetime) -> None:
    await ledger.flush()
    async with database.write() as session:
        last = select(func.max(ApiCall.id)).scalar_subquery()
        await session.execute(update(ApiCall).where(ApiCall.id == last).values(created_at=moment))


@pytest.mark.requirement("SC-022")
async def test_nothing_logged_sums_to_nothing(ledger: Ledger) -> None:
    spending = await ledger.totals("nobody")
    assert spending.total == Totals(0, 0, 0.0, 0, 0, None)
    assert spending.by_model == {}


@pytest.mark.requirement("FR-042")
async def test_a_cost_is_kept_when_its_session_does_not_exist(
    database: Database, ledger: Ledger
) -> None:
    """One unknown session costs neither its own row nor its neighbours'."""
    await add_session(database, "s1")
    ledger.log_api_call("s1", "triage", spent(HAIKU, 0.1))
    ledger.log_api_call("ghost", "triage", spent(HAIKU, 0.2))
    ledger.log_api_call("ghost", "triage", failed(HAIKU))
    ledger.log_api_call(None, "explain", spent(HAIKU, 0.4))
    await ledger.flush()

    async with database.read() as session:
        found = list(await session.scalars(select(ApiCall).order_by(ApiCall.id)))
    assert [row.session_id for row in found] == ["s1", None, None, None]
    assert [row.error for row in found] == [
        None,
        "no session 'ghost'",
        "ModelError: no (no session 'ghost')",
        None,
    ]


@pytest.mark.requirement("FR-040")
async def test_a_cost_outlives_its_session(database: Database, ledger: Ledger) -> None:
    await add_session(database, "s1")
    ledger.log_api_call("s1", "triage", spent(HAIKU, 0.1))
    await ledger.flush()
    async with database.write() as session:
        await session.execute(delete(Session))
    assert (await ledger.totals()).total.cost == pytest.approx(0.1)


@pytest.mark.requirement("FR-042")
async def test_rows_are_written_in_the_order_of_the_calls_and_by_stopping(
    database: Database,
) -> None:
    """Stopping writes what waits."""
    ledger = Ledger(database)
    await ledger.start()
    for number in range(1_200):
        ledger.log_api_call(None, f"call {number}", spent(HAIKU, 0.0))
    await ledger.stop()
    async with database.read() as session:
        types = list(await session.scalars(select(ApiCall.call_type).order_by(ApiCall.id)))
    assert types == [f"call {number}" for number in range(1_200)]


@pytest.mark.requirement("FR-042")
async def test_a_batch_that_is_written_twice_counts_once(database_url: str) -> None:
    """The answer to a commit can get lost; the second try must not double the cost."""
    database = Forgetful(database_url)
    await database.start()
    ledger = Ledger(database)
    database.answers_to_lose = 1
    ledger.log_api_call(None, "triage", spent(HAIKU, 0.1))
    assert (await ledger.totals()).total.calls == 1
    assert database.answers_to_lose == 0
    await database.stop()
