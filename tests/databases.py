"""Databases that are migrated already: to make the tables anew takes most of a test's time."""

import asyncio
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from bottega.core.database import Database


def migrate(url: str) -> None:
    """In a thread, whether or not an event loop runs in this one."""

    async def work() -> None:
        database = Database(url)
        await database.start()
        await database.stop()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work()).result()


@cache
def _migrated_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "template.db")
        migrate(f"sqlite:///{path}")
        return path.read_bytes()


def put_database(path: Path) -> str:
    """A fresh SQLite database with all its tables, unless there is one; its address."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_migrated_file())
    return f"sqlite:///{path}"
