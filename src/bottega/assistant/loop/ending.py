"""How a loop ended."""

from dataclasses import dataclass
from typing import Any

from bottega.assistant.orders import LoopStatus


@dataclass(frozen=True, slots=True)
class Final:
    """A reply without a tool call: the loop's end, unless a hook sends it back."""

    text: str
    #: Where the agent has an `outputSchema` that the reply fits.
    output: dict[str, Any] | None = None
    #: What is to be said about it: a best effort, or not in the schema.
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    status: LoopStatus
    text: str
    reason: str | None = None
    #: The hook that aborted.
    hook: str | None = None
    output: dict[str, Any] | None = None
