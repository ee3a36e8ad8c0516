"""The schema's history. `upgrade` brings a database to the newest revision, in one transaction."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from bottega.core.db.advisory_locks import TAKE, AdvisoryLock
from bottega.errors import ConfigurationError

if TYPE_CHECKING:
    from bottega.core.db.database import Database

HERE = Path(__file__).parent


def revisions() -> list[str]:
    """All revisions, oldest first: they are named by their files, and the files are numbered."""
    return sorted(path.stem for path in (HERE / "versions").glob("[0-9]*.py"))


def head() -> str:
    return revisions()[-1]


async def upgrade(database: "Database") -> None:
    async with database.migrate() as session:
        connection = await session.connection()
        await connection.run_sync(_upgrade)


def _upgrade(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        # Servers that start together migrate one after the other.
        connection.execute(TAKE, {"key": AdvisoryLock.MIGRATION})
    found = current(connection)
    if found == head():
        return
    if found is not None and found not in revisions():
        raise ConfigurationError(
            f"The database is at revision {found!r}, which this Bottega does not know (it knows up "
            f"to {head()!r}). A newer one has written it: upgrade Bottega, or use another DATA_DIR."
        )
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(HERE))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def current(connection: Connection) -> str | None:
    """The revision a database is at; `None` for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
