"""Agents' activity over a million hook events: the view of active agents, and taking hooks in.

The peer is the specification's own SQL, which counts over all events of the active sessions at
every look; ours reads sums that are kept as the events come. SQLite, in this process.
"""

import asyncio
import sqlite3
import statistics
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from bottega.app import build_core
from bottega.board.agents.activity import Activity
from bottega.board.agents.sessions import AgentSessions
from bottega.board.projects.tables import Project
from bottega.board.queue.service import Queue
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.settings import Settings

EVENTS = 1_000_000
SESSIONS = 50
LOOKS = 100
HOOKS = 5_000
VIEW_TARGET_MS = 50.0
HOOK_TARGET_MS = 5.0

SPECIFIED = """
SELECT s.id, s.type, s.data, h.tool_name AS current_tool, MAX(h.created_at) AS last_activity,
  COUNT(h.number) AS total_tools, AVG(h.duration_ms) AS avg_duration,
  SUM(CASE WHEN h.success = 1 THEN 1 ELSE 0 END) * 100.0 / COUNT(h.number) AS success_rate
FROM sessions s LEFT JOIN hooks h ON s.id = h.session_id
WHERE s.status = 'active' GROUP BY s.id ORDER BY last_activity DESC
"""
SUMS = """
UPDATE agent_activity SET (events, total_tools, succeeded, failed, timed, total_duration_ms) = (
  SELECT COUNT(*), SUM(event = 'PreToolUse'), SUM(success IS 1), SUM(success IS 0),
    COUNT(duration_ms), COALESCE(SUM(duration_ms), 0)
  FROM hooks WHERE hooks.session_id = agent_activity.session_id)
"""


def body(project: Project, session: int, event: str, number: int) -> dict[str, object]:
    return {
        "session_id": f"claude {session}",
        "transcript_path": "/home/ada/.claude/projects/bakery/transcript.jsonl",
        "cwd": project.path,
        "permission_mode": "default",
        "hook_event_name": event,
        "tool_name": "Bash",
        "tool_input": {"command": "make test", "description": "Run the tests of the bakery"},
        "tool_response": {"stdout": "ok\n" * 100, "stderr": "", "interrupted": False},
        "tool_use_id": f"toolu_{number // 2}",
    }


async def meet(activity: Activity, project: Project) -> None:
    for session in range(SESSIONS):
        await activity.ingest(body(project, session, "SessionStart", 0), LOCAL_USER)
    await activity.flush()


def fill(path: Path) -> None:
    connection = sqlite3.connect(path)
    sessions = [row[0] for row in connection.execute("SELECT session_id FROM agent_activity")]
    rows = (
        (
            sessions[number % len(sessions)],
            "PostToolUse" if number // SESSIONS % 2 else "PreToolUse",
            "Bash",
            f"toolu_{number}",
            number % 7 != 0 if number // SESSIONS % 2 else None,
            number % 900 if number // SESSIONS % 2 else None,
            '{"tool_input": {"command": "make test"}, "cwd": "/home/ada/bakery"}',
            f"2026-01-01T00:00:00.{number % 1_000_000:06}Z",
        )
        for number in track(range(EVENTS), "writing events", transient=True)
    )
    connection.executemany(
        "INSERT INTO hooks (session_id, event, tool_name, tool_use_id, success, duration_ms, "
        "payload, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    connection.execute(SUMS)
    connection.commit()
    connection.close()


async def look(activity: Activity) -> list[float]:
    took = []
    for _ in range(LOOKS):
        began = time.perf_counter()
        agents = await activity.agents()
        took.append((time.perf_counter() - began) * 1_000)
    assert len(agents) == SESSIONS
    assert sum(agent.events for agent in agents) == EVENTS + SESSIONS
    return took


def look_as_specified(path: Path) -> float:
    connection = sqlite3.connect(path)
    began = time.perf_counter()
    rows = connection.execute(SPECIFIED).fetchall()
    took = (time.perf_counter() - began) * 1_000
    connection.close()
    assert len(rows) == SESSIONS
    return took


async def take_in(activity: Activity, project: Project) -> tuple[list[float], float]:
    """What each hook costs its agent, and how many are written in a second."""
    took = []
    start = time.perf_counter()
    for number in range(HOOKS):
        event = "PostToolUse" if number % 2 else "PreToolUse"
        hook = body(project, number // 2 % SESSIONS, event, number)
        began = time.perf_counter()
        await activity.ingest(hook, LOCAL_USER)
        took.append((time.perf_counter() - began) * 1_000)
        await asyncio.sleep(0)
    await activity.flush()
    return took, HOOKS / (time.perf_counter() - start)


async def open_core(root: Path) -> Core:
    (root / "project").mkdir()
    settings = Settings(
        data_dir=root, project_dir=root / "project", bottega_model="offline", _env_file=None
    )
    core = build_core(settings)
    await core.database.start()
    await core.bus.start()
    return core


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        core = await open_core(root)
        project = Project(name="bakery", path="/home/ada/bakery", openspec_path="")
        async with core.database.write() as session:
            session.add(project)
        activity = Activity(core, AgentSessions(core), Queue(core))
        await activity.start()
        await meet(activity, project)
        database = core.database.path
        assert database is not None
        await asyncio.to_thread(fill, database)
        views = await look(activity)
        peer = await asyncio.to_thread(look_as_specified, database)
        hooks, rate = await take_in(activity, project)
        await activity.stop()
        await core.bus.stop()
        await core.database.stop()
    report(views, peer, hooks, rate)


def report(views: list[float], peer: float, hooks: list[float], rate: float) -> None:
    view, hook = p95(views), p95(hooks)
    table = Table(title=f"{EVENTS:,} hook events, {SESSIONS} active agents, SQLite")
    for column in ("", "p50 ms", "p95 ms", "target", ""):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for name, took, target in (
        ("active agents", views, VIEW_TARGET_MS),
        ("one hook", hooks, HOOK_TARGET_MS),
    ):
        verdict = "holds" if p95(took) <= target else "MISSED"
        median = f"{statistics.median(took):.2f}"
        table.add_row(name, median, f"{p95(took):.2f}", f"≤ {target:.0f}", verdict)
    table.add_row("active agents, the specified SQL", f"{peer:.0f}", "", "", "")
    console = Console()
    console.print(table)
    console.print(
        f"view {view / peer:.4f} × the specified SQL; a hook costs its agent {hook:.2f} ms; "
        f"{rate:,.0f} hooks taken in and written a second"
    )


def p95(took: list[float]) -> float:
    return statistics.quantiles(took, n=20)[18]


if __name__ == "__main__":
    asyncio.run(main())
