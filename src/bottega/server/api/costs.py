"""`/api/costs`: what model calls cost: in all, by model, by room, by task and by day."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from functools import reduce
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from bottega.core import clock
from bottega.core.llm.ledger import NOTHING, DayLine, Spending, Totals
from bottega.core.operations import Get, Instant, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller, Room
from bottega.errors import Forbidden, InvalidInput
from bottega.server.api.views import House, room_of_call


class CostsRequest(BaseModel):
    session_id: str | None = None
    since: Instant | None = None


class ReportRequest(BaseModel):
    days: Annotated[
        int, Field(ge=1, le=366, description="How many days, today being the last.")
    ] = 30
    timezone: str = Field("UTC", description="Where a day begins at midnight: `Europe/Rome`.")


class TaskCosts(BaseModel):
    #: Its name in the ledger.
    task: str
    room: str
    totals: Totals


class DayCosts(BaseModel):
    day: date
    total: Totals
    by_room: dict[str, Totals]


class CostReport(BaseModel):
    total: Totals
    by_room: dict[str, Totals]
    by_model: dict[str, Totals]
    #: The most expensive first.
    by_task: list[TaskCosts]
    #: Every day of the period, the oldest first.
    by_day: list[DayCosts]


@operation(Get("/costs"))
async def get_costs(house: House, asked: CostsRequest, caller: Caller) -> Spending:
    """What was spent: on one session, or by the whole house, which its owner may see."""
    if asked.session_id is not None:
        await house.core.sessions.get(asked.session_id, user_id=caller.user_id)
    else:
        _only_for_the_owner(caller)
    return await house.core.ledger.totals(asked.session_id, asked.since)


@operation(Get("/costs/report"), needs=Right.ADMINISTER)
async def report_costs(house: House, asked: ReportRequest, caller: Caller) -> CostReport:
    """What the house spent in these days, by room, model, task and day; for its owner."""
    zone = _zone(asked.timezone)
    today = clock.now().astimezone(zone).date()
    period = [today - timedelta(days=back) for back in range(asked.days)][::-1]
    lines = await house.core.ledger.by_day(
        [datetime.combine(day, time(), tzinfo=zone) for day in period]
    )
    return _report(period, lines, house.rooms)


def _only_for_the_owner(caller: Caller) -> None:
    if not caller.is_owner:
        raise Forbidden("The costs of the house are its owner's; name a session of yours.")


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise InvalidInput(f"There is no time zone {name!r}. One is 'Europe/Rome'.") from None


def _report(period: Sequence[date], lines: Sequence[DayLine], rooms: Sequence[Room]) -> CostReport:
    def room(line: DayLine) -> str:
        return room_of_call(rooms, line.call_type)

    tasks = _grouped(lines, lambda line: line.call_type)
    by_task = [
        TaskCosts(task=task, room=room_of_call(rooms, task), totals=totals)
        for task, totals in tasks.items()
    ]
    days = [[line for line in lines if line.day == number] for number in range(len(period))]
    return CostReport(
        total=_sum(lines),
        by_room=_grouped(lines, room),
        by_model=_grouped(lines, lambda line: line.model),
        by_task=sorted(by_task, key=lambda each: (-each.totals.cost, -each.totals.calls)),
        by_day=[
            DayCosts(day=day, total=_sum(spent), by_room=_grouped(spent, room))
            for day, spent in zip(period, days, strict=True)
        ],
    )


def _grouped(lines: Iterable[DayLine], key: Callable[[DayLine], str]) -> dict[str, Totals]:
    groups: dict[str, Totals] = {}
    for line in lines:
        groups[key(line)] = groups.get(key(line), NOTHING) + line.totals
    return dict(sorted(groups.items()))


def _sum(lines: Iterable[DayLine]) -> Totals:
    return reduce(Totals.__add__, (line.totals for line in lines), NOTHING)
