"""A search API on loopback that answers as Brave's does."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.research.servers.serving import serve

PATH = "/res/v1/web/search"


class SearchApi:
    def __init__(self) -> None:
        self.url = ""
        self.key = "brave-key-for-loopback"
        #: What was asked, in order.
        self.queries: list[str] = []
        #: Of every answer: as the API gives them.
        self.results: list[dict[str, Any]] = [
            {
                "title": "Harbour <strong>tariffs</strong> &amp; dues",
                "url": "https://harbour.example/tariffs",
                "description": "What a berth <b>costs</b> a night.",
            }
        ]
        #: Answers that come first, each once: a status with headers, or a body as it is.
        self.script: list[tuple[int, Mapping[str, str]] | str] = []

    async def answer(self, request: Request) -> Response:
        self.queries.append(request.query_params["q"])
        if request.headers.get("x-subscription-token") != self.key:
            return JSONResponse({"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, 422)
        if self.script:
            match self.script.pop(0):
                case str() as body:
                    return PlainTextResponse(body)
                case status, headers:
                    return JSONResponse({"error": {}}, status, headers=dict(headers))
        count = int(request.query_params["count"])
        return JSONResponse({"type": "search", "web": {"results": self.results[:count]}})


@asynccontextmanager
async def serve_search() -> AsyncIterator[SearchApi]:
    api = SearchApi()
    async with serve(Starlette(routes=[Route(PATH, api.answer)])) as address:
        api.url = address + PATH
        yield api
