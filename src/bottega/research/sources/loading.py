"""Finding sources: shipped with the house, a person's own, a project's; the later wins."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bottega.core.documents import DocumentError, Problem
from bottega.errors import NotFound
from bottega.research.sources.config_file import parse_config
from bottega.research.sources.definition import SLUG, Origin, Source

SHIPPED = Path(__file__).parents[1] / "shipped" / "sources"
FILE = "config.json"
MOST_SOURCES = 200
MOST_BYTES = 256 * 1024
MOST_GUIDE = 20_000


@dataclass(frozen=True, slots=True)
class BrokenSource:
    """A configuration that cannot be used. It stays broken: what it would replace is not used."""

    slug: str
    origin: Origin
    folder: Path
    error: DocumentError


@dataclass(frozen=True, slots=True)
class SourceFolders:
    places: Sequence[tuple[Origin, Path]]

    def find_all(self) -> dict[str, Source | BrokenSource]:
        """By slug, in order. Blocking."""
        found: dict[str, Source | BrokenSource] = {}
        for origin, place in self.places:
            for folder in _folders(place):
                found[folder.name] = _load(folder, origin)
        return dict(sorted(found.items()))

    def find(self, slug: str) -> Source:
        """Blocking."""
        found = self.look_up(slug)
        if isinstance(found, BrokenSource):
            raise found.error
        return found

    def look_up(self, slug: str) -> Source | BrokenSource:
        """Blocking."""
        if SLUG.fullmatch(slug):
            for origin, place in reversed(self.places):
                if (place / slug / FILE).is_file():
                    return _load(place / slug, origin)
        known = ", ".join(self.find_all()) or "none"
        raise NotFound(f"There is no source {slug[:100]!r}. Known are: {known}.")


def source_folders(data_dir: Path, project: Path | None) -> SourceFolders:
    places = [(Origin.SHIPPED, SHIPPED), (Origin.OWN, data_dir / "sources")]
    if project is not None:
        places.append((Origin.PROJECT, project / ".bottega" / "sources"))
    return SourceFolders(places)


def load_source(folder: Path, origin: Origin = Origin.OWN) -> Source:
    """Raises `DocumentError` with every problem and its place. Blocking."""
    path = folder / FILE
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise DocumentError(path, Problem(1, 1, message)) from None
    except UnicodeDecodeError:
        raise DocumentError(path, Problem(1, 1, "is not UTF-8 text")) from None
    if len(data) > MOST_BYTES:
        raise DocumentError(path, Problem(1, 1, f"is larger than {MOST_BYTES // 1024} KB"))
    fingerprint = hashlib.sha256(str(folder).encode() + b"\0" + data).hexdigest()
    return Source(
        folder.name, parse_config(text, path), folder, origin, fingerprint, _guide(folder)
    )


def _folders(place: Path) -> list[Path]:
    try:
        entries = sorted(place.iterdir())
    except OSError:
        return []
    named = [entry for entry in entries if SLUG.fullmatch(entry.name)]
    return [entry for entry in named if (entry / FILE).is_file()][:MOST_SOURCES]


def _load(folder: Path, origin: Origin) -> Source | BrokenSource:
    try:
        return load_source(folder, origin)
    except DocumentError as error:
        return BrokenSource(folder.name, origin, folder, error)


def _guide(folder: Path) -> str:
    try:
        with (folder / "guide.md").open(encoding="utf-8") as file:
            return file.read(MOST_GUIDE)
    except (OSError, UnicodeDecodeError):
        return ""
