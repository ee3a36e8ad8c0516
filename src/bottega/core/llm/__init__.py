"""Models: typed tasks, one gateway, its ledger, and an offline mode that is a real one."""
