"""The coach's WebSocket messages, listed and described for clients (FR-050)."""
