"""Whatever is sent to a route, the server answers in its own words and never fails inside."""

from typing import Any

import httpx
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from bottega.errors import Unavailable
from tests.end_to_end.conftest import DEADLINE, Start


def test_no_request_makes_a_route_fail_inside(start_server: Start) -> None:
    """Every route of the real server but the endless one, as its OpenAPI document has them."""
    server = start_server(BOTTEGA_RATE_LIMIT="1000000")
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json", timeout=DEADLINE)
    operations: Any = schema.exclude(path="/api/events").get_all_operations()
    # One connection for all: to open three thousand took longer than the answers.
    with requests.Session() as session:
        for operation in operations:
            bombard(operation.ok(), session)
    assert httpx.get(f"{server.url}/health", timeout=DEADLINE).json()["status"] == "ok"


def bombard(operation: Any, session: requests.Session) -> None:
    @given(case=operation.as_strategy())
    @settings(
        max_examples=10,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        # The command to send it again says enough: making it smaller would take minutes.
        phases=[Phase.generate],
    )
    def send(case: Any) -> None:
        response = case.call(session=session)
        # A program that is not installed here is no failure inside: the answer says what to do.
        if response.status_code == Unavailable.status:
            assert response.json()["error"]["type"] == Unavailable.type
        else:
            assert response.status_code < 500, (case.as_curl_command(), response.text)

    send()
