"""The whole house in one file, taken while it runs; and back, keeping a copy of what was there."""

from bottega.core.backup.manifest import DatabaseForm, Manifest
from bottega.core.backup.place import Place
from bottega.core.backup.restoring import Restored, check, restore
from bottega.core.backup.taking import Taken, take

__all__ = ["DatabaseForm", "Manifest", "Place", "Restored", "Taken", "check", "restore", "take"]
