from pathlib import PurePosixPath

KEPT_AS = {".jpg": ".jpg", ".jpeg": ".jpg", ".png": ".png"}


def archive_path(year: int, name: str) -> str:
    given = PurePosixPath(name)
    extension = KEPT_AS.get(given.suffix.lower())
    if ".." in given.parts:
        raise ValueError(f"a name may not lead out of the archive: {name!r}")
    if extension is None:
        raise ValueError(f"we keep jpg and png, not {name!r}")
    return str(PurePosixPath("archive", str(year), given.stem + extension))


WRONG = """
from pathlib import PurePosixPath


def archive_path(year, name):
    path = PurePosixPath(name)
    extension = path.suffix.lower().replace("jpeg", "jpg")
    if ".." in name or extension not in (".jpg", ".png"):
        raise ValueError(name)
    return f"archive/{year}/{path.stem}{extension}"
"""

WITH_OS = """
import os.path


def archive_path(year, name):
    if ".." in name.split("/"):
        raise ValueError(name)
    stem, extension = os.path.splitext(name.split("/")[-1])
    extension = extension.lower().replace("jpeg", "jpg")
    if not stem or extension not in (".jpg", ".png"):
        raise ValueError(name)
    return f"archive/{year}/{stem}{extension}"
"""

BREAKS = {"Paths are not strings": WITH_OS, "The disk is not touched": WITH_OS}
