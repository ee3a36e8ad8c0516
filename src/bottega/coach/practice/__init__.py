"""Practice: what is not mastered yet, and katas for it."""
