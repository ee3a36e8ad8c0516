"""How well agents do on cases, and how much each part of their context contributes."""
