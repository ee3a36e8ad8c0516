"""`GET /health`: status and uptime, and for known callers what the server runs on."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel

from bottega import __version__
from bottega.core.db.database import Database
from bottega.core.db.failures import MEANINGS, Reason
from bottega.core.doors.callers import USER_ID

#: Less free space than this, and the next write may be the one that fails.
LOW_DISK_BYTES = 1_000_000


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


class HealthProblem(BaseModel):
    #: `database` or `disk`.
    part: str
    reason: str
    message: str


class Health(BaseModel, extra="allow"):
    """Callers who have not said who they are see status and uptime only."""

    #: `ok`, or `degraded` while a part cannot be used; it recovers by itself.
    status: str
    #: Seconds since the server was built.
    uptime: float
    version: str | None = None
    problems: list[HealthProblem] | None = None
    database: DatabaseHealth | None = None
    vectors: VectorsHealth | None = None
    model: ModelHealth | None = None
    project: str | None = None
    rooms: list[str] | None = None
    connections: int | None = None


async def find_problems(database: Database, data_dir: Path | None) -> list[HealthProblem]:
    """Parts that cannot be used now, and why."""
    found = []
    if (reason := await database.check()) is not None:
        found.append(HealthProblem(part="database", reason=reason, message=MEANINGS[reason]))
    if data_dir is not None and shutil.disk_usage(data_dir).free < LOW_DISK_BYTES:
        full = f"The disk of {data_dir} is full. Free some space."
        found.append(HealthProblem(part="disk", reason=Reason.DISK_FULL, message=full))
    return found


def health_routes(
    report: Callable[[], dict[str, Any]], database: Database, data_dir: Path | None
) -> APIRouter:
    router = APIRouter(tags=["health"])
    started = time.monotonic()

    @router.get("/health", response_model_exclude_unset=True)
    async def get_health(request: Request) -> Health:
        """Whether the server is well, and what it runs on."""
        uptime = round(time.monotonic() - started, 3)
        problems = await find_problems(database, data_dir)
        status = "degraded" if problems else "ok"
        if request.scope.get(USER_ID) is None:
            return Health(status=status, uptime=uptime)
        about = {"version": __version__, **report()}
        if problems:
            about["problems"] = problems
        return Health(**{"status": status, **about}, uptime=uptime)

    return router
