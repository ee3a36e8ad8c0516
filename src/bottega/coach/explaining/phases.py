"""How the selection belongs to the phase that the learner is in, if the phase says so."""

import posixpath
import re

from bottega.coach.explaining.phrasing import code, codes
from bottega.coach.explaining.selection import CurrentPhase

#: A shorter name stands in a description by chance.
_SHORTEST = 3


def connect(phase: CurrentPhase | None, path: str, names: set[str]) -> str | None:
    """A sentence about what the phase names of this code; None where it names nothing."""
    if phase is None:
        return None
    title = " ".join(phase.title.split())
    told = f"{phase.title} {phase.description}"
    file = posixpath.basename(path)
    if path and (path in phase.expected_files or (file and _names(told, file))):
        return f"You are in phase {phase.number}, “{title}”, and {code(file)} is one of its files."
    named = sorted(name for name in names if len(name) >= _SHORTEST and _names(told, name))
    if named:
        return f"You are in phase {phase.number}, “{title}”, which speaks of {codes(named)}."
    return None


def _names(text: str, name: str) -> bool:
    # Plain English words are names too; as in code, case counts.
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None
