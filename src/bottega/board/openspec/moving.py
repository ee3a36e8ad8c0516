"""Moving a directory within a project in one step: it is in the old place or in the new one."""

import os
from contextlib import suppress
from pathlib import Path

from bottega.core.files.beneath import Place, find_place
from bottega.core.files.failures import explained
from bottega.core.files.replace import flush_directory
from bottega.errors import Conflict


def move_directory(root: Path, source: str, target: str) -> None:
    """Blocking. Paths are clean and relative to `root`; what stands at the target is not replaced,
    a link at the source not followed."""
    with (
        explained("move", source),
        find_place(root, source, follow=False) as old,
        find_place(root, target, follow=False, create_parents=True) as new,
    ):
        # A rename alone would replace an empty directory.
        if _is_taken(new):
            raise Conflict(f"{target!r} exists already. Rename or remove one of the two.")
        os.rename(old.name, new.name, src_dir_fd=old.directory, dst_dir_fd=new.directory)
        flush_directory(new.directory)
        flush_directory(old.directory)


def _is_taken(place: Place) -> bool:
    with suppress(FileNotFoundError):
        os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
        return True
    return False
