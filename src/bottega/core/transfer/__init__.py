"""Rows out and in, as JSON Lines that mean the same on SQLite and on PostgreSQL.

A line is one row with its table's name, in an order in which what is referred to comes first. The
first line says where it comes from, the last how many there were, so that a cut is noticed.
"""

from bottega.core.transfer.exporter import export_lines
from bottega.core.transfer.importer import Imported, import_lines

__all__ = ["Imported", "export_lines", "import_lines"]
