"""Bottega's MCP entry in the configuration files of other programs."""
