"""What an agent from outside has within a session: stages, notes, requests to people, checks."""
