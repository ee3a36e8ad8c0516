"""Web search as an MCP server. The key and the address come by the environment."""

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import SecretStr
from pydantic_settings import BaseSettings

from bottega.research.sources.web_search import MOST_RESULTS, SEARCH_URL, search


class Environment(BaseSettings):
    search_api_key: SecretStr
    search_url: str = SEARCH_URL


def make_server(environment: Environment) -> MCPServer:
    server = MCPServer("bottega-web-search", version="1.0.0", log_level="ERROR")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True, open_world_hint=True))
    async def web_search(query: str, max_results: int = 5) -> list[dict[str, str]]:
        """Pages on the web that bear on a query: title, address and an excerpt of each."""
        found = await search(
            query,
            max(1, min(max_results, MOST_RESULTS)),
            key=environment.search_api_key.get_secret_value(),
            url=environment.search_url,
        )
        return [{"title": it.title, "url": it.url, "excerpt": it.excerpt} for it in found]

    return server


if __name__ == "__main__":
    make_server(Environment()).run("stdio")
