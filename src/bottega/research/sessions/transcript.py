"""A session as JSON Lines: what it is on the first line, then a message a line.

The mirror in a session's folder and an export are the same bytes, and importing them gives the
same session again. What is read is checked line by line; a file that was cut short is refused.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field, ValidationError

from bottega.core.conversations import Message
from bottega.core.documents import DocumentError, Problem
from bottega.core.permissions import PermissionMode
from bottega.core.sessions import Session, SessionKind, SessionStatus
from bottega.core.wire import Wired
from bottega.errors import TooLarge
from bottega.research.sessions.views import (
    AS_THEY_ARE,
    Binding,
    Facts,
    TokenUsage,
    facts_of,
    moment,
)

LARGEST_IMPORT = 64 * 1024 * 1024
NAME = "session.jsonl"

Line = TypeVar("Line", bound=Wired)
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$")]


class Head(Wired):
    """The first line."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    id: Id
    title: Annotated[str | None, Field(max_length=1_000)]
    library: str | None
    agent: str | None
    status: str
    labels: list[str]
    permission_mode: PermissionMode
    archived_at: datetime | None
    message_count: Annotated[int, Field(ge=0)]
    token_usage: TokenUsage
    #: Of the sitting, not of the workflow.
    state: SessionStatus
    project_dir: str
    created_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    binding: Binding | None
    #: What other parts of the house keep about it.
    data: dict[str, Any]


class Said(Wired):
    """Any other line; its place in the file is its place in the conversation."""

    model_config = ConfigDict(extra="forbid")

    id: Annotated[str, Field(min_length=1, max_length=100)]
    role: Annotated[str, Field(min_length=1, max_length=50)]
    content: dict[str, Any]
    text: str
    created_at: datetime


def head_of(row: Session, message_count: int, spent: TokenUsage) -> Head:
    facts = facts_of(row)
    return Head(
        id=row.id,
        title=row.title,
        status=facts.workflow_status,
        message_count=message_count,
        token_usage=facts.token_usage + spent,
        state=SessionStatus(row.status),
        project_dir=row.project_dir,
        created_at=row.started_at,
        seen_at=row.seen_at,
        ended_at=row.ended_at,
        binding=facts.binding,
        data=facts.others,
        **facts.model_dump(include=AS_THEY_ARE),
    )


def write_transcript(head: Head, messages: Sequence[Message]) -> str:
    """Takes a while for a long conversation: call it in a thread."""
    said = (
        Said(
            id=each.id,
            role=each.role,
            content=each.content,
            text=each.text,
            created_at=each.created_at,
        )
        for each in messages
    )
    return "".join(line.model_dump_json(by_alias=True) + "\n" for line in (head, *said))


def read_transcript(text: str, name: str = NAME) -> tuple[Head, list[Said]]:
    """Raises `DocumentError` with the line of the first thing that is wrong."""
    if len(text) > LARGEST_IMPORT:
        raise TooLarge(
            f"The transcript has {len(text):,} characters; {LARGEST_IMPORT:,} are taken."
        )
    # Not `splitlines`: U+2028 and its like may stand in a message.
    first, *rest = text.removesuffix("\n").split("\n")
    head = _read_line(Head, first, 1, name)
    messages = [_read_line(Said, line, number, name) for number, line in enumerate(rest, 2)]
    if head.message_count != len(messages):
        raise DocumentError(
            name,
            Problem(
                len(messages) + 1,
                1,
                f"the first line tells of {head.message_count} messages and there are "
                f"{len(messages)}: the file was cut or changed",
            ),
        )
    ids: dict[str, int] = {}
    for number, message in enumerate(messages, 2):
        if (before := ids.setdefault(message.id, number)) != number:
            problem = Problem(number, 1, f"the message {message.id!r} stands on line {before} too")
            raise DocumentError(name, problem)
    return head, messages


def to_rows(head: Head, messages: Sequence[Said], user_id: str) -> tuple[Session, list[Message]]:
    """What was read, as the importing user's own."""
    facts = Facts(
        library=head.library,
        agent=head.agent,
        permission_mode=head.permission_mode,
        workflow_status=head.status,
        labels=head.labels,
        token_usage=head.token_usage,
        binding=head.binding,
    )
    row = Session(
        id=head.id,
        kind=SessionKind.RESEARCH,
        status=head.state,
        user_id=user_id,
        project_dir=head.project_dir,
        title=head.title,
        data=head.data | facts.model_dump(mode="json") | {"archived_at": moment(head.archived_at)},
        started_at=head.created_at,
        seen_at=head.seen_at,
        ended_at=head.ended_at,
    )
    rows = [
        Message(session_id=head.id, position=position, **message.model_dump())
        for position, message in enumerate(messages)
    ]
    return row, rows


def _read_line(model: type[Line], line: str, number: int, name: str) -> Line:
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        problems = (
            Problem(number, 1, _say(".".join(map(str, detail["loc"])), detail["msg"]))
            for detail in error.errors(include_url=False)[:5]
        )
        raise DocumentError(name, *problems) from None


def _say(where: str, message: str) -> str:
    return f"{where}: {message}" if where else message
