"""Alembic's entry: runs on the connection and in the transaction that `upgrade` gives it."""

from alembic import context

from bottega.core.db.database import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    transactional_ddl=True,
)
context.run_migrations()
