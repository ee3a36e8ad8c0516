"""A server in a process of its own: `process.py PORT DATABASE [slow]` prints what it lives."""

import asyncio
import sys
from pathlib import Path

from fastapi import FastAPI

from bottega.core.db.database import Database
from bottega.server.http import create_server
from bottega.server.logs import configure_logging
from bottega.server.process import serve
from tests.server.http.small_app import SmallApp, echo_mcp


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class TalkingApp(SmallApp):
    async def start(self) -> None:
        await super().start()
        if "slow" in sys.argv:
            say("starting")
            await asyncio.Event().wait()

    async def stop(self) -> None:
        await super().stop()
        say(f"stopped, tasks left: {tasks_left()}")


def tasks_left() -> list[str]:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    # The MCP SDK's library for streams polls for a signal on its own, as long as the loop lives.
    return [name for task in others if "_shutdown_watcher" not in (name := str(task.get_coro()))]


def build() -> FastAPI:
    return create_server(TalkingApp(Database(f"sqlite:///{Path(sys.argv[2])}")), mcp=echo_mcp())


if __name__ == "__main__":
    configure_logging("info", "json")
    serve(build, "127.0.0.1", int(sys.argv[1]), lambda url: say(f"ready {url}"))
