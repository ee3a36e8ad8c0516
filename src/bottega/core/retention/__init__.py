"""How long what the house writes by itself is kept, how much of it there is, and its pruning."""

from bottega.core.retention.logs import LOGS, Keep, Log, run_log
from bottega.core.retention.service import PrunedLog, Retention, RetentionReport, TableGrowth

__all__ = [
    "LOGS",
    "Keep",
    "Log",
    "PrunedLog",
    "Retention",
    "RetentionReport",
    "TableGrowth",
    "run_log",
]
