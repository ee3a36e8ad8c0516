"""Events of the library."""

from bottega.core.topics import Topic, of_run

_LIBRARY = ("library", "library_id")
_PROGRESS = ("library", "done", "total", "report")

TOPICS = (
    Topic("library.created", "A library was made.", _LIBRARY),
    Topic(
        "library.ingesting",
        "Documents are being taken in: so many are done.",
        (*_PROGRESS, "run_id"),
        is_kept=False,
    ),
    Topic("library.ingested", "They are in.", (*_LIBRARY, "run_id", "report")),
    Topic("library.removed", "A library was removed with all its documents.", _LIBRARY),
    of_run("progress", "The run that takes documents in has done so many.", *_PROGRESS),
)
