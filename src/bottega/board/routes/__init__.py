"""The board over HTTP, a router for each side of it."""
