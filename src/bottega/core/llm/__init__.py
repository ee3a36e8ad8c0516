"""Language models: typed tasks, one gateway to them, what they cost, and an offline mode."""
