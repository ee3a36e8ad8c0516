"""From an issue to a plan, from a plan to phases, and the hints that point at their files."""
