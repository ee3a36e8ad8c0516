"""A process that works on runs, to be killed: `python journey.py DATABASE RUNS_DATABASE DIRECTORY`.

Each step leaves a line in `DIRECTORY/journal`. Where a file `DIRECTORY/hold-PLACE` exists the run
stops at that place, and says so on standard output, until the file is gone.
"""

import asyncio
import os
import sys
from pathlib import Path

from pydantic import BaseModel

from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.runs import RunContext, Runs

QUEUES = {"travel": 1}


class Trip(BaseModel):
    goal: str


class Report(BaseModel):
    steps: list[str]


def say(text: str) -> None:
    print(text, flush=True)


class Journey:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def note(self, line: str) -> None:
        journal = os.open(self._directory / "journal", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(journal, f"{os.getpid()} {line}\n".encode())
        os.close(journal)

    async def hold(self, place: str) -> None:
        if (file := self._directory / f"hold-{place}").exists():
            say(f"holds {place}")
        while file.exists():
            await asyncio.sleep(0.02)

    async def walk(self, run: RunContext, leg: str) -> Report:
        await run.emit("leg.began", {"leg": leg})
        self.note(f"{run.id} {leg} begins")
        await self.hold(f"in-{leg}")
        self.note(f"{run.id} {leg} ends")
        return Report(steps=[leg])

    async def travel(self, run: RunContext, trip: Trip) -> Report:
        await run.emit("departed", {"goal": trip.goal})
        first = await run.step("first", self.walk, run, "first")
        await run.emit("halfway")
        await self.hold("between")
        second = await run.step("second", self.walk, run, "second")
        asked = f"{trip.goal}, this way?"
        way = "straight" if trip.goal == "near" else str(await run.pause(asked))
        third = await run.step("third", self.walk, run, "third")
        await run.emit("arrived", {"way": way})
        await self.hold("end")
        return Report(steps=[*first.steps, *second.steps, way, *third.steps])


async def main(database_url: str, system_database_url: str, directory: Path) -> None:
    database = Database(database_url)
    await database.start()
    bus = EventBus(database)
    await bus.start()
    bus.on("run.*", lambda event: say(event.topic), own_only=True)
    runs = Runs(database, bus, system_database_url=system_database_url, queues=QUEUES)
    runs.register("travel", Journey(directory).travel)
    await runs.launch()
    say(f"process {os.getpid()}")
    say("at work")
    if run_id := os.environ.get("START"):
        await runs.start("travel", Trip(goal="far"), run_id=run_id)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
