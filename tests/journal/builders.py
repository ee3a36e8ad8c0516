"""Journals with entries in them: one at a time, or many experiences of three themes, told in ever
other words."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.journal.entries.repository import Owner
from bottega.journal.operations import ImportInput
from bottega.journal.service import Journal
from tests.app import Agent, App, make_core, running

START: dict[str, Any] = {
    "domain": "debugging",
    "strategy": "systematic-elimination",
    "goal": "Fix the flaky login test",
    "hypothesis": "A previous test leaves its session behind",
    "action": "Clear the session store in teardown",
    "prediction": "The test passes consistently",
}
CONFIRMED: dict[str, Any] = {
    "status": "confirmed",
    "result": "50 of 50 runs passed",
    "lesson": {"what_worked": "Clearing shared state in teardown", "takeaway": "Isolate tests"},
}
FALSIFIED: dict[str, Any] = {
    "status": "falsified",
    "result": "It still failed 3 of 50 times",
    "surprise": "The session store was empty all along",
    "root_cause": {"category": "wrong-assumption", "description": "The clock was shared, not it"},
}


class JournalApp(App):
    """The journal room, and a second service on the same files and tables, as another process
    would have."""

    def __init__(self, core: Core, root: Path) -> None:
        super().__init__(core, root, "memory", "journal")
        self.journal = Journal(core)
        self.agent = self.agent_in("journal")

    @property
    def journal_room(self) -> Room:
        return self.room("journal")

    @property
    def owner(self) -> Owner:
        return self.journal.owner(LOCAL_USER)

    @property
    def folder(self) -> Path:
        """The local user's."""
        place = self.core.choices.data_dir / "journal" / LOCAL_USER
        return next(iter(place.glob("*")), place / self.journal._folder._key)

    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("*") if path.name != ".lock")

    async def agent_of(self, name: str) -> Agent:
        """Of a new user."""
        return self.agent_in("journal", await self.new_user(name))

    async def fill(self, lines: Sequence[dict[str, Any]]) -> None:
        asked = ImportInput.model_validate({"lines": lines})
        await self.journal.import_(self.owner, asked.lines)


@asynccontextmanager
async def open_journal(
    root: Path, database_url: str | None = None, **settings: Any
) -> AsyncIterator[JournalApp]:
    app = JournalApp(make_core(root, database_url=database_url, **settings), root)
    async with running(app):
        await app.journal.start()
        yield app
        await app.journal.stop()


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
