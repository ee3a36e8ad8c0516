"""`GET /health`: alive, since when, and, to those who may know, on what it stands."""

import time
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict

from bottega import __version__
from bottega.core.callers import USER_ID


class DatabaseHealth(BaseModel):
    kind: str


class VectorsHealth(BaseModel):
    kind: str
    available: bool
    embedder: str


class ModelHealth(BaseModel):
    provider: str
    offline: bool
    fast: str
    strong: str
    reason: str


class Health(BaseModel):
    """Callers who have not said who they are see status and uptime only."""

    model_config = ConfigDict(extra="allow")

    status: str
    #: Seconds since the server was built.
    uptime: float
    version: str | None = None
    database: DatabaseHealth | None = None
    vectors: VectorsHealth | None = None
    model: ModelHealth | None = None
    project: str | None = None
    rooms: list[str] | None = None
    connections: int | None = None


def health_routes(report: Callable[[], dict[str, Any]]) -> APIRouter:
    router = APIRouter(tags=["health"])
    started = time.monotonic()

    @router.get("/health", response_model_exclude_unset=True)
    async def get_health(request: Request) -> Health:
        """Whether the server is well, and what it runs on."""
        uptime = round(time.monotonic() - started, 3)
        if request.scope.get(USER_ID) is None:
            return Health(status="ok", uptime=uptime)
        return Health(**{"status": "ok", "version": __version__, **report()}, uptime=uptime)

    return router
