"""The conversation around runs: ordinary turns, `@agent` questions, and what runs say in it."""
