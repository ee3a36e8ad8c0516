"""How a question becomes a plan, and how a plan changes."""
