"""A session and its phases, and the hints that point at its files."""
