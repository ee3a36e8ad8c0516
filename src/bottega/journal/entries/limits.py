"""What a caller may write, and how long: every door checks against these types.

Each says what would be right, with the limit, because a model reads the refusal and tries again.
"""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from annotated_types import Ge, Le
from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, WithJsonSchema

from bottega.core.operations import in_utc
from bottega.journal.entries.enums import Axis

LONGEST_QUERY = 2_000
#: What routes say of `project`.
IN_PROJECT = {"project": "Default: the server's project."}
CLUSTER_ID = re.compile(rf"cluster_({'|'.join(Axis)})_(0|[1-9]\d{{0,8}})")
ENTRY_ID = re.compile(r"ghap_\d{8}_\d{6}_[0-9a-f]{6}")


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("it contains a NUL character, which no database stores")
    return text


def _written(longest: int) -> Any:
    """Text of 1 to `longest` characters. `Any` is what a type made at run time is to mypy."""

    def check(text: str) -> str:
        if not text:
            raise ValueError(f"it is empty; write 1 to {longest} characters")
        if len(text) > longest:
            raise ValueError(f"it has {len(text)} characters; the limit is {longest}")
        return _storable(text)

    return Annotated[str, StringConstraints(strip_whitespace=True), AfterValidator(check)]


def _between(lowest: int, highest: int) -> Any:
    def check(number: int) -> int:
        if not lowest <= number <= highest:
            raise ValueError(f"use a number in the range [{lowest}, {highest}]")
        return number

    schema = {"type": "integer", "minimum": lowest, "maximum": highest}
    # The bounds come after the check, whose words say more; commands read them.
    return Annotated[int, AfterValidator(check), Ge(lowest), Le(highest), WithJsonSchema(schema)]


def _cluster_id(text: str) -> str:
    if not CLUSTER_ID.fullmatch(text):
        raise ValueError(
            "expected format: cluster_{axis}_{label}, such as cluster_full_0, with an axis of "
            + ", ".join(Axis)
        )
    return text


def _entry_id(text: str) -> str:
    if not ENTRY_ID.fullmatch(text):
        raise ValueError(
            "expected format: ghap_{YYYYMMDD}_{HHMMSS}_{6 hex digits}, such as "
            "ghap_20260301_142530_a1b2c3"
        )
    return text


def _moment(value: object) -> object:
    """An ISO 8601 date or time; without an offset it is UTC."""
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        raise ValueError(
            "expected an ISO 8601 date (UTC), such as 2026-03-01 or 2026-03-01T14:25:30Z"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def parse_cursor(text: str) -> tuple[datetime, str]:
    """Where a page of a list ended: `2026-03-01T14:25:30Z ghap_…`."""
    moment, _, entry_id = text.partition(" ")
    try:
        return in_utc(datetime.fromisoformat(moment)), _entry_id(entry_id)
    except ValueError:
        raise ValueError("expected the `next` of the page before") from None


def _cursor(text: str) -> str:
    parse_cursor(text)
    return text


Statement = _written(1_000)
Account = _written(2_000)
ValueText = _written(500)
Note = _written(1_000)
SearchQuery = Annotated[str, AfterValidator(_storable), Field(max_length=LONGEST_QUERY)]
Project = _written(1_000)
UpTo50 = _between(1, 50)
UpTo100 = _between(1, 100)
UpTo500 = _between(1, 500)
Tokens = _between(50, 20_000)
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
#: Part of a file's name, so it holds nothing that leads elsewhere.
SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:@-]{1,128}$")]
ClusterId = Annotated[str, AfterValidator(_cluster_id)]
EntryId = Annotated[str, AfterValidator(_entry_id)]
Cursor = Annotated[str, Field(max_length=100), AfterValidator(_cursor)]
Since = Annotated[
    datetime,
    BeforeValidator(_moment),
    AfterValidator(in_utc),
    WithJsonSchema({"type": "string", "description": "ISO 8601, UTC"}),
]
