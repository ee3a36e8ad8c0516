"""Who reads or writes a memory file, and from where: what its event and its span say."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bottega.assistant.loop.turn import Turn

PERSON = "person"


@dataclass(frozen=True, slots=True)
class Access:
    user_id: str
    #: An agent's name, a hook's, or `person`.
    actor: str = PERSON
    session_id: str | None = None
    trace_id: str | None = None
    #: Makes what is done again after a crash known again: it is told once.
    key: str | None = None


def access_of(turn: "Turn", actor: str, *, key: str | None = None) -> Access:
    from bottega.assistant.loop.tracing import trace_id_of

    trace_id = trace_id_of(turn.run_id)
    return Access(turn.user_id, actor, turn.session_id, trace_id, key and f"{turn.run_id}:{key}")
