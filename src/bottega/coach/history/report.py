"""A session as a page of markdown: for the learner, a mentor, or next week's self."""

from collections.abc import Iterator

from bottega.coach.enums import PhaseStatus
from bottega.coach.history.history import Record
from bottega.core.actions import ActionType

MARKS = {PhaseStatus.COMPLETE: "x", PhaseStatus.ACTIVE: "~", PhaseStatus.PENDING: " "}
#: Too many of them, and no story: left out of the report, kept in the replay.
NOISE = {
    ActionType.SELECTION,
    ActionType.TAB_SWITCH,
    ActionType.MCP_TOOL_CALL,
    ActionType.NUDGE_SUPPRESSED,
    ActionType.DECORATIONS_APPLIED,
    ActionType.FILE_HINTS_APPLIED,
    "model_call",
}


def report(record: Record) -> str:
    sections = [_head(record), _phases(record), _timeline(record), _learned(record)]
    return "\n\n".join("\n".join(section) for section in map(list, sections) if section) + "\n"


def _head(record: Record) -> Iterator[str]:
    session = record.session
    number = f"#{session.issue_number} " if session.issue_number else ""
    yield f"# {number}{_one_line(session.issue_title or session.title or 'Coaching session')}"
    yield ""
    yield f"- Session `{session.id}`, {session.status}"
    yield f"- Begun {session.started_at:%Y-%m-%d %H:%M} UTC, {record.minutes:g} minutes"
    if record.cost:
        yield f"- Models: ${record.cost:.4f}"
    if record.plan and record.plan.plan.memory_connection:
        yield f"- Reminded of: {_one_line(record.plan.plan.memory_connection)}"


def _phases(record: Record) -> Iterator[str]:
    if record.plan is None or not record.plan.phases:
        return
    yield "## Phases"
    yield ""
    for phase in record.plan.phases:
        mark = MARKS[PhaseStatus(phase.status)]
        yield f"- [{mark}] **{phase.number}. {_one_line(phase.title)}**"
        yield ""
        yield from (f"  {line}".rstrip() for line in phase.description.splitlines())


def _timeline(record: Record) -> Iterator[str]:
    moments = [moment for moment in record.moments if moment.kind not in NOISE]
    if not moments:
        return
    yield "## How it went"
    yield ""
    for moment in moments:
        yield f"- {moment.at:%H:%M} {_one_line(moment.text)}"


def _learned(record: Record) -> Iterator[str]:
    if not record.gaps:
        return
    yield "## To practise"
    yield ""
    for gap in record.gaps:
        state = "addressed" if gap.addressed else f"{gap.severity}, met {_times(gap.frequency)}"
        yield f"- **{_one_line(gap.topic)}** ({state}): {_one_line(gap.evidence)}"
        for kata, of in record.katas:
            if of.id == gap.id:
                yield f"  - Kata: {_one_line(kata.title)}, tried {_times(len(kata.user_attempts))}"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _one_line(text: str) -> str:
    return " ".join(text.split())
