"""How rooms are reached: callers, event streams, broadcasts, commands, limits on arguments."""
