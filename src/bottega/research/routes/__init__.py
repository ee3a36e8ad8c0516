"""Research over HTTP: `/api/research`."""

from fastapi import APIRouter

from bottega.research.desk import Desk
from bottega.research.routes import agents, requests, runs, sessions, sources


def router(desk: Desk) -> APIRouter:
    routes = APIRouter(prefix="/research", tags=["research"])
    runs.add_routes(routes, desk)
    sessions.add_routes(routes, desk)
    agents.add_routes(routes, desk)
    sources.add_routes(routes, desk)
    requests.add_routes(routes, desk)
    return routes
