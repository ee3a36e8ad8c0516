"""The tools that an agent from outside has within a session."""
