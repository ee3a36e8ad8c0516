"""A conversation as JSON Lines: the session first, then a message a line.

The first line is the room's own: it says what a session has there, and how many messages follow.
What is read is checked line by line; a file that was cut short is refused.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError

from bottega.core.definitions import DocumentError, Problem
from bottega.core.sessions.conversations import Message
from bottega.core.wire import Wired
from bottega.errors import TooLarge

TRANSCRIPT = "session.jsonl"
LARGEST_IMPORT = 64 * 1024 * 1024


class MessageLine(Wired, extra="forbid"):
    """Any other line; its place in the file is its place in the conversation."""

    id: Annotated[str, Field(min_length=1, max_length=100)]
    role: Annotated[str, Field(min_length=1, max_length=50)]
    content: dict[str, Any]
    text: str
    created_at: datetime


Head = TypeVar("Head", bound=Wired)
Line = TypeVar("Line", bound=Wired)


def write_line(line: Wired) -> str:
    return line.model_dump_json(by_alias=True) + "\n"


def write_transcript(head: Wired, messages: Sequence[Message]) -> str:
    """Takes a while for a long conversation: call it in a thread."""
    said = (MessageLine.model_validate(each, from_attributes=True) for each in messages)
    return "".join(map(write_line, (head, *said)))


def read_transcript(
    text: str, model: type[Head], count: Callable[[Head], int]
) -> tuple[Head, list[MessageLine]]:
    """Raises `DocumentError` with the line of the first thing that is wrong. `count` is how many
    messages the first line tells of."""
    if len(text) > LARGEST_IMPORT:
        raise TooLarge(
            f"The transcript has {len(text):,} characters; {LARGEST_IMPORT:,} are taken."
        )
    # Not `splitlines`: U+2028 and its like may stand in a message.
    first, *rest = text.removesuffix("\n").split("\n")
    head = _read_line(model, first, 1)
    messages = [_read_line(MessageLine, line, number) for number, line in enumerate(rest, 2)]
    if count(head) != len(messages):
        raise _wrong(
            len(messages) + 1,
            f"the first line tells of {count(head)} messages and there are {len(messages)}: the "
            "file was cut or changed",
        )
    ids: dict[str, int] = {}
    for number, message in enumerate(messages, 2):
        if (before := ids.setdefault(message.id, number)) != number:
            raise _wrong(number, f"the message {message.id!r} stands on line {before} too")
    return head, messages


def _read_line(model: type[Line], line: str, number: int) -> Line:
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        details = error.errors(include_url=False)[:5]
        places = (".".join(map(str, detail["loc"])) for detail in details)
        raise _wrong(
            number,
            *(
                f"{where}: {detail['msg']}" if where else detail["msg"]
                for where, detail in zip(places, details, strict=True)
            ),
        ) from None


def _wrong(line: int, *messages: str) -> DocumentError:
    return DocumentError(TRANSCRIPT, *(Problem(line, 1, message) for message in messages))
