"""Who owes whom after a trip."""

from tally.trip import Transfer, Trip

__all__ = ["Transfer", "Trip"]
