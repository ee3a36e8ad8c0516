"""MCP servers that ship as sources, each a process of its own."""
