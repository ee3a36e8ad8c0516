"""A research run: a plain loop over stages whose every call is a durable step, and its pauses."""
