"""Hooks of Claude Code: understood, taken in, and written behind the door."""
