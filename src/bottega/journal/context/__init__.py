"""Lessons and values for recall and for the context of a new task; what was shown is recorded."""
