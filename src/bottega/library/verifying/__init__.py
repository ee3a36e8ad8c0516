"""Whether a text says no more than what it cites."""
