"""What every model call cost: the `api_call_log` table (FR-040), written behind the call."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    case,
    cast,
    func,
    literal_column,
    select,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Database
from bottega.core.db.write_behind import WriteBehind
from bottega.core.llm.payers import current_payer
from bottega.core.sessions.session import Session

#: The latency of a call that failed (EC-19).
FAILED = -1
#: Seconds a row waits for company; the ledger's own readers flush first.
LINGER = 0.1


class ApiCall(Base):
    __tablename__ = "api_call_log"
    __table_args__ = (
        Index("ix_api_call_log_session_created", "session_id", "created_at"),
        Index("ix_api_call_log_user_created", "user_id", "created_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    #: Explain and review work without a session; their cost is logged all the same (EC-17).
    session_id: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="SET NULL"))
    call_type: Mapped[str]
    #: The full model id, or `offline`.
    model: Mapped[str]
    input_hash: Mapped[str]
    #: -1 for a call that failed (FR-091).
    latency_ms: Mapped[int]
    input_tokens: Mapped[int]
    output_tokens: Mapped[int]
    cost_estimate: Mapped[float]
    #: Why a failed call failed.
    error: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now, index=True)
    #: For whom it was made; unknown of those that are older than this column.
    user_id: Mapped[str | None]


@dataclass(frozen=True, slots=True)
class CallMetadata:
    """What is known of a call when it is over."""

    model: str
    input_hash: str
    latency_ms: int
    input_tokens: int = 0
    output_tokens: int = 0
    cost_estimate: float = 0.0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over calls. The average latency leaves failed calls out; without any it is `None`."""

    calls: int
    failures: int
    cost: float
    input_tokens: int
    output_tokens: int
    average_latency_ms: float | None

    def __add__(self, other: "Totals") -> "Totals":
        answered = [each for each in (self, other) if each.average_latency_ms is not None]
        answers = sum(each.calls - each.failures for each in answered)
        waited = sum(
            (each.average_latency_ms or 0.0) * (each.calls - each.failures) for each in answered
        )
        return Totals(
            self.calls + other.calls,
            self.failures + other.failures,
            self.cost + other.cost,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            waited / answers if answers else None,
        )


NOTHING = Totals(0, 0, 0.0, 0, 0, None)


@dataclass(frozen=True, slots=True)
class DayLine:
    """What one kind of call cost on one day with one model."""

    #: Which of the days that were asked for, from 0.
    day: int
    call_type: str
    model: str
    totals: Totals


@dataclass(frozen=True, slots=True)
class Spending:
    total: Totals
    by_model: dict[str, Totals]


#: The columns of one `ApiCall`, by name.
_Row = dict[str, Any]


class Ledger:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._behind: WriteBehind[_Row] = WriteBehind(
            self._write, name="api_call_log", linger=LINGER
        )

    async def start(self) -> None:
        await self._behind.start()

    async def stop(self) -> None:
        await self._behind.stop()

    async def flush(self) -> None:
        """Return when every call logged so far is in the database."""
        await self._behind.flush()

    def log_api_call(self, session_id: str | None, call_type: str, metadata: CallMetadata) -> None:
        """Log one call (FR-042). Returns at once; the row is written behind, in order."""
        self._behind.put(
            {
                "id": new_id(),
                "created_at": clock.now(),
                "session_id": session_id,
                "user_id": current_payer(),
                "call_type": call_type,
                **asdict(metadata),
            }
        )

    async def totals(
        self, session_id: str | None = None, since: datetime | None = None
    ) -> Spending:
        """What calls cost, in all and by model (FR-046): of one session or of all, since then."""
        await self.flush()
        conditions: list[ColumnElement[bool]] = []
        if session_id is not None:
            conditions.append(ApiCall.session_id == session_id)
        if since is not None:
            conditions.append(ApiCall.created_at >= since)
        async with self._database.read() as session:
            total = await session.execute(select(*_sums()).where(*conditions))
            by_model = await session.execute(
                select(ApiCall.model, *_sums())
                .where(*conditions)
                .group_by(ApiCall.model)
                .order_by(ApiCall.model)
            )
            return Spending(
                total=Totals(*total.one()),
                by_model={model: Totals(*sums) for model, *sums in by_model},
            )

    async def spent_by(self, user_id: str, since: datetime) -> float:
        """What the calls for a user cost since then, in US dollars."""
        await self.flush()
        cost = func.coalesce(func.sum(ApiCall.cost_estimate), 0.0)
        query = select(cost).where(ApiCall.user_id == user_id, ApiCall.created_at >= since)
        async with self._database.read() as session:
            return float(await session.scalar(query) or 0.0)

    async def by_day(self, days: Sequence[datetime]) -> list[DayLine]:
        """What calls cost by day, kind and model; `days` are when each begins, oldest first."""
        await self.flush()
        newest_first = [(number, start) for number, start in enumerate(days)][::-1]
        day = case(*((ApiCall.created_at >= start, number) for number, start in newest_first))
        query = (
            select(day.label("day"), ApiCall.call_type, ApiCall.model, *_sums())
            .where(ApiCall.created_at >= days[0])
            .group_by(literal_column("day"), ApiCall.call_type, ApiCall.model)
            .order_by(literal_column("day"), ApiCall.call_type, ApiCall.model)
        )
        async with self._database.read() as session:
            rows = await session.execute(query)
            return [
                DayLine(number, kind, model, Totals(*sums)) for number, kind, model, *sums in rows
            ]

    async def _write(self, rows: list[_Row]) -> None:
        async with self._database.write(durable=False) as session:
            known = await _existing_sessions(session, {row["session_id"] for row in rows})
            values = [row if row["session_id"] in known else _unlinked(row) for row in rows]
            # A batch is written again when the answer to the first try got lost.
            await session.execute(self._database.insert(ApiCall).on_conflict_do_nothing(), values)


def _sums() -> tuple[ColumnElement[Any], ...]:
    """The columns of `Totals`, in its order."""
    succeeded = ApiCall.latency_ms != FAILED
    return (
        func.count(ApiCall.id),
        func.count(case((ApiCall.latency_ms == FAILED, 1))),
        func.coalesce(func.sum(ApiCall.cost_estimate), 0.0),
        func.coalesce(func.sum(ApiCall.input_tokens), 0),
        func.coalesce(func.sum(ApiCall.output_tokens), 0),
        func.avg(case((succeeded, cast(ApiCall.latency_ms, Float)))),
    )


async def _existing_sessions(session: AsyncSession, ids: set[str | None]) -> set[str | None]:
    # Locked, so that a session found here cannot go before its row is in.
    found = await session.scalars(
        select(Session.id)
        .where(Session.id.in_([known for known in ids if known is not None]))
        .with_for_update(read=True, key_share=True)
    )
    return {None, *found}


def _unlinked(row: _Row) -> _Row:
    """The money was spent whether or not its session exists: keep the row, without the link."""
    note = f"no session {row['session_id']!r}"
    error = f"{row['error']} ({note})" if row["error"] else note
    return {**row, "session_id": None, "error": error}
