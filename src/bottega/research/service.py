"""What other rooms use of this one: the sources, and what their tools are called."""

from bottega.research.sources.results import SourceTool
from bottega.research.sources.service import Sources

__all__ = ["SourceTool", "Sources", "source_tool_name"]


def source_tool_name(slug: str, tool: str) -> str:
    """`mcp__{source}__{tool}`, as models' providers accept it."""
    # Within: what knows it imports Pydantic AI.
    from bottega.research.sources.toolset import tool_name

    return tool_name(slug, tool)
