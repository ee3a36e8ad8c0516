"""The coach over WebSocket: one file for each group of messages."""
