"""Agents: their sessions, what they do, what they ask."""
