"""What the coach asks of a model, one task a file, each with an answer of its own without one."""
