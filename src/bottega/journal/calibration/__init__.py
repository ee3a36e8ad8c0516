"""How well stated confidence predicts outcomes."""
