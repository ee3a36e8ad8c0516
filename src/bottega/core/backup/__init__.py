"""Everything in one file, taken while the server runs; and back, keeping what was there before."""

from bottega.core.backup.archive import DatabaseForm, Manifest
from bottega.core.backup.creation import BackupReport, Installation, create_backup
from bottega.core.backup.restoration import RestoreReport, check, restore

__all__ = [
    "BackupReport",
    "DatabaseForm",
    "Installation",
    "Manifest",
    "RestoreReport",
    "check",
    "create_backup",
    "restore",
]
