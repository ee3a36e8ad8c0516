"""Other MCP servers that agents draw on: how they are described, reached and trusted."""
