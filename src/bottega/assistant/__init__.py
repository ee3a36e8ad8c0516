"""Agents written in markdown, run in a loop with people in it."""
