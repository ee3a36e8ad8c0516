"""`bottega worker`, beside servers or alone."""

import signal
import subprocess
from pathlib import Path

from tests.conftest import Postgres
from tests.end_to_end.conftest import DEADLINE, Start
from tests.processes import clean_environment, warm


def start_worker(folder: Path, **settings: str) -> subprocess.Popen[str]:
    settings = {"DATA_DIR": str(folder), "PROJECT_DIR": str(folder)} | settings
    return subprocess.Popen(
        [*warm(), "worker"],
        env=clean_environment(**settings),
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_worker_works_beside_a_server_until_it_is_told_to_stop(
    start_server: Start, postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.new_database()
    start_server(DATABASE_URL=url)
    worker = start_worker(tmp_path, DATABASE_URL=url)
    assert worker.stderr is not None
    said = next(line for line in worker.stderr if "Working" in line)
    assert "queued runs" in said
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(DEADLINE) == 0


def test_a_second_worker_on_one_sqlite_file_is_told_why_not(tmp_path: Path) -> None:
    first = start_worker(tmp_path)
    assert first.stderr is not None
    next(line for line in first.stderr if "Working" in line)
    second = start_worker(tmp_path)
    _, said = second.communicate(timeout=DEADLINE)
    assert second.returncode == 1
    assert "Traceback" not in said
    first.send_signal(signal.SIGINT)
    assert first.wait(DEADLINE) == 0
