"""Every error over HTTP has one shape."""

from enum import StrEnum

import pytest
from fastapi import APIRouter
from pydantic import BaseModel, Field
from structlog.testing import capture_logs

from bottega.core.rooms import Room
from bottega.errors import Conflict, TooMany
from tests.server.http.small_app import Serve


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Wall(BaseModel):
    colour: Colour
    height: int = Field(gt=0)


def wall_room() -> Room:
    routes = APIRouter()

    @routes.post("/walls/{number}")
    async def paint(number: int, wall: Wall) -> Wall:
        if number == 1:
            raise Conflict("Wall 1 is painted already.", colour="blue")
        if number == 2:
            raise TooMany("Too much paint.", retry_after=7)
        if number == 3:
            raise RuntimeError("secret detail")
        return wall

    return Room("walls", routes=lambda: [routes], paths=["/walls"])


WALL = {"colour": "red", "height": 2}


async def test_a_known_error_keeps_its_name_and_details(serve: Serve) -> None:
    served = await serve(wall_room())
    answer = await served.http.post("/api/walls/1", json=WALL)
    assert answer.status_code == 409
    assert answer.json() == {
        "error": {"type": "conflict", "message": "Wall 1 is painted already.", "colour": "blue"}
    }
    answer = await served.http.post("/api/walls/2", json=WALL)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "7")


async def test_a_wrong_field_is_named_with_what_is_valid(serve: Serve) -> None:
    served = await serve(wall_room())
    answer = await served.http.post("/api/walls/x", json={"colour": "green", "height": 0})
    error = answer.json()["error"]
    assert answer.status_code == 422
    assert error["type"] == "validation_error"
    assert [item["field"] for item in error["fields"]] == [
        "path.number",
        "body.colour",
        "body.height",
    ]
    assert "'red' or 'blue'" in error["message"]


@pytest.mark.parametrize("body", [b"{", b"{'a': 1}", b"nonsense", b'{"a": }'])
async def test_a_body_that_is_not_json_is_told_where_it_breaks(serve: Serve, body: bytes) -> None:
    served = await serve(wall_room())
    headers = {"Content-Type": "application/json"}
    answer = await served.http.post("/api/walls/5", content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "malformed_json"
    assert "at character" in answer.json()["error"]["message"]


@pytest.mark.parametrize("body", [b"\xff\xfe", b"[" * 200_000])
async def test_a_body_that_cannot_be_read_is_a_bad_request(serve: Serve, body: bytes) -> None:
    served = await serve(wall_room())
    headers = {"Content-Type": "application/json"}
    answer = await served.http.post("/api/walls/5", content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] in ("malformed_json", "bad_request")


async def test_what_is_not_there_and_what_is_not_done_are_said_the_same_way(serve: Serve) -> None:
    served = await serve(wall_room())
    missing = await served.http.get("/api/nowhere")
    assert (missing.status_code, missing.json()["error"]["type"]) == (404, "not_found")
    assert "/api/nowhere" in missing.json()["error"]["message"]
    wrong = await served.http.delete("/api/walls/5")
    assert (wrong.status_code, wrong.json()["error"]["type"]) == (405, "method_not_allowed")
    assert wrong.headers["Allow"] == "POST"


async def test_a_surprise_is_a_reference_outside_and_a_traceback_inside(serve: Serve) -> None:
    served = await serve(wall_room())
    with capture_logs() as logs:
        answer = await served.http.post("/api/walls/3", json=WALL)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"]) == (500, "internal_error")
    assert "secret" not in answer.text
    [failure] = [entry for entry in logs if entry["event"] == "request.failed"]
    assert failure["reference"] == error["reference"]
    assert failure["exc_info"]
