"""The assistant over HTTP: `/api/assistant`."""

from fastapi import APIRouter

from bottega.assistant.desk import Desk
from bottega.assistant.routes import definitions, files, plugins, sessions, study


def router(desk: Desk) -> APIRouter:
    routes = APIRouter(prefix="/assistant", tags=["assistant"])
    plugins.add_routes(routes, desk)
    sessions.add_routes(routes, desk)
    definitions.add_routes(routes, desk)
    files.add_routes(routes, desk)
    study.add_routes(routes, desk)
    return routes
