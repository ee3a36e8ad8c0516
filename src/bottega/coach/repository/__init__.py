"""The coach's queries. They take the session of a transaction and never commit."""
