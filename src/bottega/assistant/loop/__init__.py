"""The loop: a model and its tools, hooks around them, every call a durable step."""
