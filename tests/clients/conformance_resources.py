"""The suite's resources, served by our door as a room's."""

import base64
import json

from bottega.core.rooms import Caller, Contents, Given, Resource
from tests.clients.conformance_tools import PNG

PLAIN = "text/plain"


async def read_text(_given: Given, _caller: Caller) -> Contents:
    return Contents("The content of a static resource.", PLAIN)


async def read_picture(_given: Given, _caller: Caller) -> Contents:
    return Contents(base64.b64decode(PNG), "image/png")


async def read_template(given: Given, _caller: Caller) -> Contents:
    name = given["id"]
    data = {"id": name, "templateTest": True, "data": f"Data for ID: {name}"}
    return Contents(json.dumps(data), "application/json")


RESOURCES = [
    Resource("static-text", "test://static-text", "Text.", PLAIN, read_text),
    Resource("static-binary", "test://static-binary", "A picture.", "image/png", read_picture),
    Resource("watched", "test://watched-resource", "Watched.", PLAIN, read_text),
    Resource("template", "test://template/{id}/data", "By id.", "application/json", read_template),
]
