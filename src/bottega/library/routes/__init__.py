"""Libraries over HTTP: `/api/libraries`."""

from fastapi import APIRouter

from bottega.library.desk import Desk
from bottega.library.routes import asking, filling, shelves


def router(desk: Desk) -> APIRouter:
    routes = APIRouter(prefix="/libraries", tags=["library"])
    # Before what takes a library's name, which `upload` could be.
    filling.add_routes(routes, desk)
    shelves.add_routes(routes, desk)
    asking.add_routes(routes, desk)
    return routes
