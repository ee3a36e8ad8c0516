"""How much one endpoint takes on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class McpLimits:
    #: Open sessions of all rooms, and open listening streams at one endpoint.
    sessions: int = 1_000
    #: Of them, those of one user who is not the owner; then idle ones make room.
    sessions_per_user: int = 100
    #: A session that nobody uses for so long is ended.
    idle_seconds: float = 30 * 60
    body_bytes: int = 10_000_000
    #: How long a person has to answer a form. Agents on the board have to be heard of every five
    #: minutes, and wait meanwhile.
    answer_seconds: float = 240.0
