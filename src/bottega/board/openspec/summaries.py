"""Lists of changes. Each is read once, and again only when something in its directory is new.

Blocking: callers run it in a thread.
"""

from collections.abc import Callable

from bottega.board.openspec.changes import Change, ChangeSummary
from bottega.board.openspec.fingerprints import Fingerprint, fingerprint
from bottega.board.openspec.reading import ARCHIVED, CHANGES, Reader


class Summaries:
    def __init__(self, files: Reader) -> None:
        self._files = files
        self._known: dict[str, dict[str, tuple[Fingerprint, ChangeSummary]]] = {}

    def active(self) -> list[ChangeSummary]:
        """By id."""
        return self._of(CHANGES, self._files.change_ids(), self._files.active_change)

    def archived(self) -> list[ChangeSummary]:
        """Newest first."""
        names = sorted(self._files.archive_names(), reverse=True)
        return self._of(ARCHIVED, names, self._files.archived_change)

    def _of(
        self, place: str, names: list[str], read: Callable[[str], Change]
    ) -> list[ChangeSummary]:
        known = self._known.get(place, {})
        kept: dict[str, tuple[Fingerprint, ChangeSummary]] = {}
        summaries: list[ChangeSummary] = []
        for name in names:
            # Before the reading: what changes meanwhile is then seen as new the next time.
            now = fingerprint(self._files.root, f"{place}/{name}")
            then, summary = known.get(name, (None, None))
            if summary is None or now is None or now != then:
                summary = read(name).summary()
            if now is not None:
                kept[name] = now, summary
            summaries.append(summary)
        self._known[place] = kept
        return summaries
