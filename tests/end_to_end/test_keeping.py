"""Backup, export and transcripts, by the commands that people type."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import httpx

from tests.conftest import Postgres
from tests.core.transcripts.test_transcripts import sitting, write
from tests.end_to_end.conftest import DEADLINE, Start, run_bottega
from tests.journal.builders import lines


def run(*words: str, settings: dict[str, str]) -> CompletedProcess[str]:
    return run_bottega(*words, cwd=None, **settings)


def test_a_running_house_is_backed_up_and_restored_when_it_is_stopped(
    tmp_path: Path, start_server: Start
) -> None:
    server = start_server()
    assert server.run("memory", "add", "Grids do not jump").returncode == 0
    file = tmp_path / "house.tar.gz"
    taken = server.run("backup", str(file), "--json")
    assert taken.returncode == 0, taken.stderr
    assert json.loads(taken.stdout)["manifest"]["database"] == "sqlite"
    assert server.run("memory", "add", "Said too late").returncode == 0

    refused = server.run("restore", str(file))
    assert refused.returncode == 1
    assert "A server runs on" in refused.stderr
    checked = server.run("restore", str(file), "--check")
    assert checked.returncode == 0, checked.stderr
    assert "Whole." in checked.stdout

    server.stop()
    restored = server.run("restore", str(file))
    assert restored.returncode == 0, restored.stderr
    assert "before-restore-" in restored.stdout
    said = server.run("memory", "search", "grids", "--json").stdout
    assert "Grids do not jump" in said
    assert "Said too late" not in said


def test_a_house_on_postgresql_is_searchable_after_a_restore_row_by_row(
    tmp_path: Path, postgres: Postgres
) -> None:
    """Without PostgreSQL's programs no vector is in the backup: they are made again."""
    old = {
        "DATA_DIR": str(tmp_path / "old"),
        "PROJECT_DIR": str(tmp_path),
        "DATABASE_URL": postgres.new_database(),
        "PATH": "/nowhere",
    }
    new = old | {"DATA_DIR": str(tmp_path / "new"), "DATABASE_URL": postgres.empty_database()}
    assert run("memory", "add", "Cents are integers here", settings=old).returncode == 0
    taken = run("backup", str(tmp_path / "b.tar.gz"), settings=old)
    assert "row by row" in taken.stdout, taken.stderr
    restored = run("restore", str(tmp_path / "b.tar.gz"), settings=new)
    assert restored.returncode == 0, restored.stderr
    assert "Cents are integers" in run("memory", "search", "money", settings=new).stdout


def test_an_export_is_found_again_in_an_empty_house(tmp_path: Path) -> None:
    """By words and by meaning: memories, paragraphs of a library, experiences."""
    project = tmp_path / "project"
    (project / "rules").mkdir(parents=True)
    (project / "rules" / "harbour.md").write_text(
        "# Harbour\n\n## Arrival\n\nA visitor announces the arrival two hours before.\n"
    )
    old = {"DATA_DIR": str(tmp_path / "old"), "PROJECT_DIR": str(project)}
    new = {"DATA_DIR": str(tmp_path / "new"), "PROJECT_DIR": str(project)}
    assert run("memory", "add", "Cents are integers here", settings=old).returncode == 0
    added = run("library", "add", "harbour", str(project / "rules"), settings=old)
    assert added.returncode == 0, added.stderr + added.stdout
    experiences = write(tmp_path / "j.jsonl", lines({"isolation": 4}))
    learned = run("journal", "import", str(experiences), settings=old)
    assert learned.returncode == 0, learned.stderr
    file = tmp_path / "mine.jsonl"
    assert run("export", str(file), settings=old).returncode == 0
    texts = count_texts(tmp_path / "old")
    assert texts > 4
    shutil.rmtree(tmp_path / "old")

    done = run("import", str(file), "--json", settings=new)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kinds"]["memories"] == 1
    assert count_texts(tmp_path / "new") == texts
    assert "Cents are integers" in run("memory", "search", "money", settings=new).stdout
    found = run("library", "search", "harbour", "visitor arrival", "--json", settings=new)
    hits = json.loads(found.stdout)["hits"]
    assert "two hours" in hits[0]["paragraph"]["text"], found.stdout
    found = run("journal", "search", "shared state leaks between tests", "--json", settings=new)
    assert json.loads(found.stdout)["results"], found.stdout
    again = json.loads(run("import", str(file), "--json", settings=new).stdout)
    assert again["imported"] == 0


def count_texts(data_dir: Path) -> int:
    """What can be found by its words."""
    with closing(sqlite3.connect(data_dir / "bottega.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM text_documents").fetchone()[0])


def test_transcripts_are_searched_like_everything_else(tmp_path: Path, start_server: Start) -> None:
    home = tmp_path / "claude"
    write(home / "projects" / "-home-anna-shop" / "a.jsonl", sitting())
    (home / "projects" / "notes.jsonl").write_text("a letter\n")
    server = start_server()
    settings = {
        "DATA_DIR": str(server.data_dir),
        "PROJECT_DIR": str(server.project),
        "CLAUDE_CONFIG_DIR": str(home),
        "CODEX_HOME": str(tmp_path / "nowhere"),
    }
    said = run("transcripts", "import", settings=settings)
    assert said.returncode == 0, said.stderr
    assert "Imported 3 messages, 1 new sessions, from 2 files" in said.stdout
    assert "notes.jsonl: it is not JSON Lines" in said.stdout
    again = json.loads(run("transcripts", "import", "--json", settings=settings).stdout)
    assert (again["imported"], again["known"]) == (0, 3)
    [event] = httpx.get(
        f"{server.url}/api/events/log", params={"query": "missing cent"}, timeout=DEADLINE
    ).json()
    assert event["topic"] == "transcript.user"
    sessions = httpx.get(f"{server.url}/api/sessions", timeout=DEADLINE).json()
    assert [each["title"] for each in sessions] == ["The missing cent"]
    nothing = run("transcripts", "import", str(tmp_path / "no"), settings=settings)
    assert nothing.returncode == 1
    assert "There is no file or folder" in nothing.stderr
