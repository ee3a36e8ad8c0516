"""How much a resolved entry can be relied on. The first that holds, in this order:

abandoned  it was abandoned
bronze     its hypothesis or its prediction was too thin to test
gold       a test or build that ran is attached; or it was resolved by hand with a lesson and, if
           it was falsified, with a surprise and a root cause
silver     any other

A text is too thin when fewer than two telling words are left without those that say nothing of
the matter: "It works", "should be fixed now", "no idea". "Passes consistently" is short, but one
can look whether it came true.
"""

import re

from bottega.journal.entry import Entry, Resolution
from bottega.journal.enums import Outcome, Tier

TELLING_WORDS = 2
#: Scripts that put no blanks between words count by pairs of characters.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2}|[^\W_]+")
_EMPTY = """
    a an the and or but if so as of at by for with from to in on up out about into over after
    i me my we us our you your he she it its they them their this that these those there here
    am is are was were be been being do does did done have has had can could will would shall
    should may might must not no yes now then just very really also again soon still
    what which who why how when where something anything everything nothing somehow someone
    thing things stuff way etc maybe perhaps probably possibly guess think believe hope idea know
    don doesn didn isn wasn won ll ve re s t m d
    ok okay fine good better best great well nice right wrong bad broken weird odd
    work works worked working fix fixes fixed fixing try tries tried solve solves solved help helps
    unknown unclear unsure tbd todo none na
"""
EMPTY = frozenset(_EMPTY.split())


def is_thin(text: str) -> bool:
    telling = {word for word in WORD.findall(text.lower()) if word not in EMPTY}
    return len(telling) < TELLING_WORDS


def graded(entry: Entry) -> Entry:
    """The resolved entry with the tier that it deserves."""
    resolution = entry.resolution
    assert resolution is not None, f"{entry.id} is not resolved: it has no tier yet"
    tier = _tier(entry, resolution)
    return entry.with_changes(resolution=resolution.model_copy(update={"confidence_tier": tier}))


def _tier(entry: Entry, resolution: Resolution) -> Tier:
    if resolution.status is Outcome.ABANDONED:
        return Tier.ABANDONED
    if is_thin(entry.hypothesis) or is_thin(entry.prediction):
        return Tier.BRONZE
    if entry.evidence or _is_whole(resolution):
        return Tier.GOLD
    return Tier.SILVER


def _is_whole(resolution: Resolution) -> bool:
    if resolution.lesson is None:
        return False
    is_explained = resolution.surprise is not None and resolution.root_cause is not None
    return is_explained or resolution.status is Outcome.CONFIRMED
