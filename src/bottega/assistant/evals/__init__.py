"""How well agents do on cases, and which part of the context that is owed to."""
