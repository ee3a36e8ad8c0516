"""How far a resolved entry can be relied on.

The tier of a resolved entry is the first of these that holds:

abandoned  it was abandoned
bronze     its hypothesis or its prediction is too vague to test
gold       a test or build that ran is attached; or it was resolved by hand with a lesson and, if
           it was falsified, with a surprise and a root cause
silver     any other

A text is too vague when fewer than two words are left after removing those that say nothing
specific: "It works", "should be fixed now", "no idea". "Passes consistently" is short but testable.
"""

import re
from pathlib import Path

from bottega.journal.entries.enums import JournalOutcome, JournalTier
from bottega.journal.entries.model import Entry, Resolution

FEWEST_SPECIFIC_WORDS = 2
#: In scripts without spaces between words, a pair of characters counts as one.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2}|[^\W_]+")
VAGUE = frozenset(Path(__file__).with_name("vague_words.txt").read_text(encoding="utf-8").split())


def is_vague(text: str) -> bool:
    specific = {word for word in WORD.findall(text.lower()) if word not in VAGUE}
    return len(specific) < FEWEST_SPECIFIC_WORDS


def grade(entry: Entry) -> Entry:
    """The resolved entry with its tier set."""
    resolution = entry.resolution
    assert resolution is not None, f"{entry.id} is not resolved: it has no tier yet"
    tier = _tier(entry, resolution)
    return entry.with_changes(resolution=resolution.model_copy(update={"confidence_tier": tier}))


def _tier(entry: Entry, resolution: Resolution) -> JournalTier:
    if resolution.status is JournalOutcome.ABANDONED:
        return JournalTier.ABANDONED
    if is_vague(entry.hypothesis) or is_vague(entry.prediction):
        return JournalTier.BRONZE
    if entry.evidence or _is_complete(resolution):
        return JournalTier.GOLD
    return JournalTier.SILVER


def _is_complete(resolution: Resolution) -> bool:
    if resolution.lesson is None:
        return False
    is_explained = resolution.surprise is not None and resolution.root_cause is not None
    return is_explained or resolution.status is JournalOutcome.CONFIRMED
