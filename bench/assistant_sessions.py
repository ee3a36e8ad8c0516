"""Finding one of 10,000 past sessions by words, class and date: on SQLite, and on PostgreSQL."""

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from sqlalchemy import insert, text

from bottega.assistant.sessions.service import AssistantSessions
from bottega.assistant.sessions.tables import AssistantSession
from bottega.conversation import messages as history
from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.services import Core
from bottega.core.sessions.conversations import Message
from bottega.core.sessions.session import Session, SessionKind
from bottega.core.users import LOCAL_USER
from tests.app import open_app

SESSIONS = 10_000
#: Of each session: what a person said and what an assistant answered, twice.
MESSAGES = 4
CALLS = 200
TARGET_MS = 50.0
BATCH = 500

CLASSES = [f"{year}{letter}" for year in range(1, 7) for letter in "ABCD"]
#: Each stands in some sessions of every twenty.
TOPICS = (
    *("iteration", "selection", "sorting", "recursion", "variables", "fractions", "equations"),
    *("probability", "ratio", "poetry", "grammar", "argument", "narration", "routine", "family"),
    *("weather", "holidays", "industry", "suffrage", "migration", "circuits", "algorithms"),
    *("databases", "networks", "encryption", "percentages", "geometry", "renaissance"),
)
#: These in nearly all.
FILLER = (
    *("lesson", "pupils", "starter", "plenary", "activity", "worksheet", "question", "pair"),
    *("group", "explain", "practise", "example", "feedback", "learning", "success", "criteria"),
)


def sentence(chance: random.Random, number: int) -> str:
    words = chance.choices(FILLER, k=40) + chance.choices(TOPICS, k=2) + [f"number{number}"]
    chance.shuffle(words)
    return " ".join(words)


async def fill(core: Core) -> None:
    chance = random.Random(8)
    for start in range(0, SESSIONS, BATCH):
        rows: dict[type, list[dict[str, Any]]] = {Session: [], AssistantSession: [], Message: []}
        for number in range(start, start + BATCH):
            session_id, at = new_id(), clock.now() - timedelta(hours=SESSIONS - number)
            common = {"user_id": LOCAL_USER, "data": {}}
            head = {"id": session_id, "kind": SessionKind.ASSISTANT, "project_dir": "project"}
            times = {"started_at": at, "seen_at": at, "title": f"Session {number}"}
            rows[Session].append({**common, **head, **times, "status": "idle"})
            rows[AssistantSession].append(
                {
                    "session_id": session_id,
                    "user_id": LOCAL_USER,
                    "plugin": "lesson-planning",
                    "agent": "planner",
                    "class_id": chance.choice(CLASSES),
                    "tasks": [],
                    "artefact": "",
                    "created_at": at,
                    "updated_at": at,
                }
            )
            for position in range(MESSAGES):
                said = sentence(chance, number)
                content = history.dump(history.said(said))
                message = {"id": f"{session_id}-{position}", "session_id": session_id}
                rows[Message].append(
                    {**message, "position": position, "role": "user", "created_at": at}
                    | {"content": content, "text": said}
                )
        async with core.database.write() as writing:
            for table, values in rows.items():
                await writing.execute(insert(table), values)


def asked(chance: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """As agents ask: now by a common word, now by a rare one, for a class, for the last weeks."""
    while True:
        words = [chance.choice(TOPICS)]
        words += [chance.choice(FILLER)] if chance.random() < 0.5 else []
        if chance.random() < 0.2:
            words = [f"number{chance.randrange(SESSIONS)}"]
        wanted: dict[str, Any] = {}
        if chance.random() < 0.5:
            wanted["class_id"] = chance.choice(CLASSES)
        if chance.random() < 0.3:
            wanted["since"] = clock.now() - timedelta(days=chance.randrange(1, 400))
        yield " ".join(words), wanted


async def measure(database_url: str | None) -> dict[str, list[float]]:
    took: dict[str, list[float]] = {"as agents ask": [], "a word that all have": [], "no words": []}
    with tempfile.TemporaryDirectory() as folder:
        async with open_app(Path(folder), database_url=database_url) as app:
            await fill(app.core)
            async with app.core.database.write() as writing:
                await writing.execute(text("ANALYZE"))
            sessions, questions = AssistantSessions(app.core), asked(random.Random(9))

            async def search(kind: str, query: str, **wanted: Any) -> None:
                started = time.perf_counter()
                await sessions.search(query, user_id=LOCAL_USER, **wanted)
                took[kind].append((time.perf_counter() - started) * 1000)

            await sessions.search("lesson", user_id=LOCAL_USER)
            for _ in range(CALLS):
                query, wanted = next(questions)
                await search("as agents ask", query, **wanted)
            for _ in range(CALLS // 5):
                await search("a word that all have", "pupils")
                await search("no words", "", class_id="3B")
    return took


@contextmanager
def postgres() -> Iterator[str]:
    from tests.conftest import Postgres

    server = Postgres(Path(tempfile.mkdtemp(prefix="bottega-pg-")))
    try:
        yield server.new_database()
    finally:
        server.stop()


def main() -> None:
    table = Table(f"session search, {SESSIONS:,} sessions", "median", "p95", "target", "")
    with postgres() as url:
        for name, database_url in (("SQLite", None), ("PostgreSQL", url)):
            for what, took in asyncio.run(measure(database_url)).items():
                p95 = statistics.quantiles(took, n=20)[-1]
                is_met = "[green]PASS[/green]" if p95 <= TARGET_MS else "[red]MISS[/red]"
                median = statistics.median(took)
                label = f"{name}: {what}"
                table.add_row(
                    label, f"{median:.1f} ms", f"{p95:.1f} ms", f"{TARGET_MS:.0f} ms", is_met
                )
    Console().print(table)


if __name__ == "__main__":
    main()
