"""Past sessions: what happened, replayed and written up."""
