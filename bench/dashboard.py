"""The dashboard after a long time with the coach: 1,000 sessions and 100,000 actions.

The database is filled first; then the real server is asked over a WebSocket, one request after
another, and each is timed from the request to `dashboard:state`.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table
from sqlalchemy import insert
from sqlalchemy.orm import DeclarativeBase
from websockets.asyncio.client import ClientConnection, connect

from bottega.coach.enums import HintLevel, PhaseStatus, ProgressType, Severity, Stage
from bottega.coach.plans.tables import Phase, Plan, ProgressEvent
from bottega.coach.practice.tables import KataSpec
from bottega.coach.skills.tables import DreyfusAssessment, KnowledgeGap
from bottega.core import clock
from bottega.core.db.database import Database
from bottega.core.llm.ledger import ApiCall
from bottega.core.sessions.actions import Action, ActionType
from bottega.core.sessions.session import Session, SessionKind, SessionStatus
from bottega.core.users import LOCAL_USER

SESSIONS = 1_000
ACTIONS = 100
PHASES = 4
#: Every so many sessions leave a gap with a kata.
GAP_EVERY = 10
REQUESTS = 200
BATCH = 2_000
TARGET_MS = 100.0

#: Parents before their children.
TABLES = (
    *(Session, Plan, Phase, ProgressEvent, Action),
    *(ApiCall, DreyfusAssessment, KnowledgeGap, KataSpec),
)

Row = tuple[type[DeclarativeBase], dict[str, Any]]


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        await fill(Path(folder, "data"), str(project))
        async with server(Path(folder, "data"), project) as address, connect(address) as window:
            times = [await ask(window) for _ in range(REQUESTS + 10)][10:]
    p95 = statistics.quantiles(times, n=20)[-1]
    table = Table("dashboard:state", "median", "p95", "target", "")
    table.add_row(
        f"{SESSIONS:,} sessions, {SESSIONS * ACTIONS:,} actions",
        f"{statistics.median(times):.1f} ms",
        f"{p95:.1f} ms",
        f"≤ {TARGET_MS:g} ms",
        "[green]met[/green]" if p95 <= TARGET_MS else "[red]missed[/red]",
    )
    Console().print(table)


async def ask(window: ClientConnection) -> float:
    started = time.perf_counter()
    await window.send(json.dumps({"type": "dashboard:request", "payload": {"statsPeriod": "30d"}}))
    while True:
        message = json.loads(await window.recv())
        if message["type"] == "dashboard:state":
            assert message["payload"]["stats"]["sessionsCompleted"] > 0
            return (time.perf_counter() - started) * 1000


@asynccontextmanager
async def server(data_dir: Path, project: Path) -> AsyncIterator[str]:
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bottega", "serve"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={
            **kept,
            # Nobody's GitHub is asked from a benchmark.
            "PATH": str(project),
            "DATA_DIR": str(data_dir),
            "PROJECT_DIR": str(project),
            "PORT": "0",
            "BOTTEGA_MODEL": "offline",
            "BOTTEGA_LOG_LEVEL": "error",
        },
    )
    try:
        announced = data_dir / "server.json"
        while not announced.exists():
            await asyncio.sleep(0.02)
        yield json.loads(announced.read_text())["url"].replace("http", "ws") + "/ws"
    finally:
        process.terminate()
        await process.wait()


async def fill(data_dir: Path, project: str) -> None:
    data_dir.mkdir()
    database = Database(f"sqlite:///{data_dir / 'bottega.db'}")
    await database.start()
    rows = history(project)
    batches = SESSIONS * (1 + 1 + PHASES * 2 + ACTIONS + 5) // BATCH + 1
    for _ in track(range(batches), "filling the database", transient=True):
        batch = list(islice(rows, BATCH))
        async with database.write(durable=False) as session:
            for table in TABLES:
                if values := [row for of, row in batch if of is table]:
                    await session.execute(insert(table), values)
    await database.stop()


def history(project: str) -> Iterator[Row]:
    yield from assessments()
    now = clock.now()
    for number in range(SESSIONS):
        started = now - timedelta(hours=number * 2)
        yield from one_session(f"s{number}", number, started, project)


def assessments() -> Iterator[Row]:
    for number in range(40):
        yield (
            DreyfusAssessment,
            {
                "id": f"d{number}",
                "user_id": LOCAL_USER,
                "skill_area": f"Skill {number}",
                "stage": tuple(Stage)[number % 5],
                "confidence": 0.6,
                "evidence": "counted",
                "recommendation": "",
                "assessed_at": clock.now(),
            },
        )


def one_session(id: str, number: int, started: Any, project: str) -> Iterator[Row]:
    ended = started + timedelta(minutes=50)
    yield (
        Session,
        {
            "id": id,
            "kind": SessionKind.COACHING,
            "status": SessionStatus.COMPLETED,
            "user_id": LOCAL_USER,
            "project_dir": project,
            "issue_number": number,
            "issue_title": f"Issue {number}",
            "data": {},
            "started_at": started,
            "seen_at": ended,
            "ended_at": ended,
        },
    )
    plan = {"id": f"p{id}", "session_id": id, "raw_plan_text": "…", "created_at": started}
    yield Plan, {**plan, "estimated_difficulty": "beginner"}
    for phase in range(1, PHASES + 1):
        yield (
            Phase,
            {
                "id": f"f{id}-{phase}",
                "plan_id": f"p{id}",
                "number": phase,
                "title": "A step",
                "description": "What to do.",
                "status": PhaseStatus.COMPLETE,
                "hint_level": HintLevel.FILE,
                "expected_files": [],
                "opportunities": [],
            },
        )
    for phase in range(1, PHASES + 1):
        yield (
            ProgressEvent,
            {
                "id": f"e{id}-{phase}",
                "phase_id": f"f{id}-{phase}",
                "event_type": ProgressType.HINT_USED,
                "created_at": started,
            },
        )
    for action in range(ACTIONS):
        yield (
            Action,
            {
                "id": f"a{id}-{action}",
                "session_id": id,
                "action_type": ActionType.FILE_OPEN,
                "data": {"path": "src/x.py"},
                "created_at": started + timedelta(seconds=action),
            },
        )
    yield from calls(id, started)
    if number % GAP_EVERY == 0:
        yield from practice(id, number, started)


def calls(session_id: str, started: Any) -> Iterator[Row]:
    for call in range(3):
        yield (
            ApiCall,
            {
                "id": f"c{session_id}-{call}",
                "session_id": session_id,
                "call_type": "observer_triage",
                "model": "offline",
                "input_hash": "0" * 16,
                "latency_ms": 10,
                "input_tokens": 0,
                "output_tokens": 0,
                "cost_estimate": 0.001,
                "created_at": started,
            },
        )


def practice(session_id: str, number: int, started: Any) -> Iterator[Row]:
    yield (
        KnowledgeGap,
        {
            "id": f"g{number}",
            "session_id": session_id,
            "user_id": LOCAL_USER,
            "topic": f"Topic {number}",
            "severity": Severity.MEDIUM,
            "evidence": "counted",
            "related_concepts": [],
            "frequency": 1,
            "last_encountered_at": started,
            "addressed": False,
        },
    )
    attempt = {"code": "def f(): ...\n" * 40, "level": 4, "passed": True}
    yield (
        KataSpec,
        {
            "id": f"k{number}",
            "knowledge_gap_id": f"g{number}",
            "title": "Till",
            "description": "…",
            "scaffolding_code": "…",
            "instructor_notes": "…",
            "test_cases": [],
            "constraints": [],
            "user_attempts": [attempt] * 5,
            "created_at": started,
        },
    )


if __name__ == "__main__":
    asyncio.run(main())
