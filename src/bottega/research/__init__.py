"""Questions answered by a staged pipeline over libraries and sources, or refused."""
