"""The system prompt of a turn: what a model is told before anything else."""
