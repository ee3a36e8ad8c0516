"""The orchestrator: a plain loop over stages whose every call is a durable step."""
