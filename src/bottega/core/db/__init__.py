"""The database, SQLite or PostgreSQL: transactions, migrations, full text, batched writes."""
