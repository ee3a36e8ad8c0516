"""The tables that grow by themselves, and which of their rows may go.

A log is what the house noted; what a person wrote is none, wherever it stands. So the event log
keeps imported transcripts, and a run keeps what moved it: its input, the replies and its end.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Table, and_, func, not_, or_, select

from bottega.core.db.database import Base
from bottega.core.events.log import EventRow
from bottega.core.runs.run import Happening, RunEventRow, RunRow
from bottega.core.runs.runs import FINAL
from bottega.core.sessions.actions import Action
from bottega.core.traces import SpanRow


@dataclass(frozen=True, slots=True)
class Keep:
    """Days that each kind of log is kept; 0 is for ever."""

    traces: int = 30
    events: int = 180
    runs: int = 30
    hooks: int = 30
    actions: int = 180
    #: Of all logs together, in millions of bytes: beyond, the oldest go sooner. 0 is no limit.
    megabytes: int = 400

    def age(self, kind: str) -> timedelta | None:
        days: int = getattr(self, kind)
        return timedelta(days=days) if days else None


@dataclass(frozen=True, slots=True)
class Log:
    model: type[Base]
    #: The field of `Keep` that says how long.
    keep: str
    #: The column that says when a row was written.
    time: str
    #: What rows are found by again, to delete them.
    key: tuple[str, ...]
    #: Whether a row from before a moment may go.
    is_old: Callable[[datetime], ColumnElement[bool]]
    #: The column by which old rows come first, and that is indexed.
    order: str
    #: What stays, in words; empty if nothing does.
    spares: str = ""

    @property
    def table(self) -> Table:
        table = self.model.__table__
        assert isinstance(table, Table)
        return table

    @property
    def name(self) -> str:
        return self.table.name


def _is_copy() -> ColumnElement[bool]:
    """By these other processes heard of a row that is kept elsewhere: in a run, the action log."""
    of_run = EventRow.topic.startswith("run.", autoescape=True)
    return or_(of_run, EventRow.topic == "action.logged")


def _old_copies(moment: datetime) -> ColumnElement[bool]:
    return and_(EventRow.created_at < moment, _is_copy(), _is_not_last())


def _is_not_last() -> ColumnElement[bool]:
    """Whoever follows the log goes by its last number."""
    return EventRow.seq < select(func.max(EventRow.seq)).scalar_subquery()


def _old_events(moment: datetime) -> ColumnElement[bool]:
    return and_(
        EventRow.created_at < moment,
        not_(_is_copy()),
        not_(EventRow.topic.startswith("transcript.", autoescape=True)),
        # By these the house knows again in which projects it has worked.
        EventRow.topic != "session.started",
        _is_not_last(),
    )


#: What a run keeps: its input, what people replied, and how it ended.
LASTING = frozenset({Happening.QUEUED, Happening.REPLIED, *FINAL})


def run_log(evidence: Collection[str]) -> Log:
    """What finished runs told on their way, save those of these kinds: it is their evidence."""

    def old(moment: datetime) -> ColumnElement[bool]:
        ended = select(RunRow.id).where(
            RunRow.ended_at < moment,
            RunRow.status.in_(sorted(FINAL)),
            RunRow.kind.not_in(sorted(evidence)),
        )
        return and_(RunEventRow.run_id.in_(ended), RunEventRow.type.not_in(sorted(LASTING)))

    spares = "unfinished runs; input, replies and outcome; evidence of research"
    return Log(RunEventRow, "runs", "created_at", ("run_id",), old, "run_id", spares)


LOGS = (
    Log(
        SpanRow,
        "traces",
        "started_at",
        ("trace_id", "span_id"),
        lambda moment: SpanRow.started_at < moment,
        "started_at",
    ),
    Log(
        EventRow,
        "events",
        "created_at",
        ("seq",),
        _old_events,
        "seq",
        "imported transcripts; when sessions began",
    ),
    Log(EventRow, "traces", "created_at", ("seq",), _old_copies, "seq"),
    Log(
        Action,
        "actions",
        "created_at",
        ("id",),
        lambda moment: Action.created_at < moment,
        "id",
    ),
)
