"""Names of libraries are each user's own."""

from alembic import op

revision = "0006_library_names"
down_revision = "0005_issuers"

#: As PostgreSQL names them by itself; in SQLite they have no name.
NAMING = {"uq": "%(table_name)s_%(column_0_N_name)s_key"}


def upgrade() -> None:
    with op.batch_alter_table("libraries", naming_convention=NAMING) as libraries:
        libraries.drop_constraint("libraries_name_key", type_="unique")
        libraries.create_unique_constraint("libraries_user_id_name_key", ["user_id", "name"])
