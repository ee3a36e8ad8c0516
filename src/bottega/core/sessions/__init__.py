"""Sessions of people and agents: what was said in them, and what was done."""
