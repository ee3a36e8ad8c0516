"""Whatever is sent to a route, the server answers in its own words and never fails inside."""

from typing import Any

import httpx
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error

from tests.end_to_end.conftest import Start


def test_no_request_makes_a_route_fail_inside(start_server: Start) -> None:
    """Every route of the real server but the endless one, as its OpenAPI document has them."""
    server = start_server(BOTTEGA_RATE_LIMIT="1000000")
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    operations: Any = schema.exclude(path="/api/events").get_all_operations()
    for operation in operations:
        bombard(operation.ok())
    assert httpx.get(f"{server.url}/health").json()["status"] == "ok"


def bombard(operation: Any) -> None:
    @given(case=operation.as_strategy())
    @settings(
        max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    def send(case: Any) -> None:
        case.call_and_validate(checks=[not_a_server_error])

    send()
