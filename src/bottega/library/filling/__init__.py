"""How documents come into a library."""
