"""The smallest source: two tools and no state. Copy it to begin one of your own."""

import re

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

READ_ONLY = ToolAnnotations(read_only_hint=True)

server = MCPServer("bottega-example", version="1.0.0", log_level="ERROR")


@server.tool(annotations=READ_ONLY)
def count_words(text: str) -> int:
    """How many words a text has."""
    return len(re.findall(r"\w+", text))


@server.tool(annotations=READ_ONLY)
def find_lines(text: str, word: str) -> list[str]:
    """The lines of a text that have a word in them, whatever its case."""
    return [line for line in text.splitlines() if word.casefold() in line.casefold()]


if __name__ == "__main__":
    server.run("stdio")
