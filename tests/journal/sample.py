"""Experiences of three themes, told in ever other words, for tests that need many."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

THEMES: dict[str, dict[str, list[str]]] = {
    "isolation": {
        "goal": ["Fix the flaky login test", "Make the upload test stable", "Repair the cart test"],
        "hypothesis": [
            "A previous test leaves shared state behind",
            "Fixtures leak users into the next test",
            "The global cache survives between test cases",
        ],
        "action": ["Add teardown that clears the state", "Reset the fixtures before each test"],
        "result": ["Passed 50 of 50 test runs", "The test run is green in random order"],
        "lesson": ["Reset shared state in teardown", "Isolate each test from the one before"],
    },
    "queries": {
        "goal": ["Speed up the orders report", "Cut the dashboard's load time", "Quicken search"],
        "hypothesis": [
            "The query scans the whole table because an index is missing",
            "The join has no index on its foreign key",
            "The query loads every row one by one",
        ],
        "action": ["Add an index and compare query plans", "Rewrite the query with a join"],
        "result": ["The query fell from 2 s to 40 ms", "The plan shows an index scan now"],
        "lesson": ["Read the query plan before guessing", "Index what the query joins on"],
    },
    "deploys": {
        "goal": [
            "Start the container in staging",
            "Mend the deploy pipeline",
            "Roll out the image",
        ],
        "hypothesis": [
            "An environment variable is missing in the container",
            "The base image changed under the deploy",
            "The secret is not mounted in the staging container",
        ],
        "action": ["Print the container's environment", "Pin the base image and deploy again"],
        "result": ["The container is healthy in staging", "The deploy pipeline passed"],
        "lesson": ["Compare environments before a deploy", "Pin the base image of a container"],
    },
}
PREDICTIONS = {
    "isolation": "The test passes consistently in every order",
    "queries": "The query is answered from an index in under 100 ms",
    "deploys": "The container becomes healthy after the deploy",
}
DOMAINS = {"isolation": "testing", "queries": "performance", "deploys": "configuration"}
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def lines(
    themes: dict[str, int], *, start: int = 0, falsified: bool = False
) -> list[dict[str, Any]]:
    """So many experiences of each theme, the same for the same arguments."""
    made: list[dict[str, Any]] = []
    for theme, count in themes.items():
        chance = Random(f"{theme} {start}")
        for _ in range(count):
            said = {name: chance.choice(ways) for name, ways in THEMES[theme].items()}
            made.append(_line(theme, said, start + len(made), falsified))
    return made


def _line(theme: str, said: dict[str, str], number: int, falsified: bool) -> dict[str, Any]:
    moment = BEGIN + timedelta(minutes=number)
    resolution: dict[str, Any] = {
        "status": "falsified" if falsified else "confirmed",
        "result": said["result"],
        "resolved_at": moment.isoformat(),
        "lesson": {"what_worked": said["lesson"]},
    }
    if falsified:
        cause = {"category": "wrong-assumption", "description": said["lesson"]}
        resolution |= {"surprise": said["result"], "root_cause": cause}
    return {
        "kind": "experience",
        "id": f"ghap_{moment:%Y%m%d_%H%M%S}_{number:06x}",
        "domain": DOMAINS[theme],
        "strategy": "root-cause-analysis",
        "goal": said["goal"],
        "hypothesis": said["hypothesis"],
        "action": said["action"],
        "prediction": PREDICTIONS[theme],
        "created_at": moment.isoformat(),
        "updated_at": moment.isoformat(),
        "resolution": resolution,
    }
