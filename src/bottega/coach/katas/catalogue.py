"""The katas that we ship, so that practice has something without a model.

Each is a file on the shelf beside this one. Reading them all takes a while, once: off the loop.
"""

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from bottega.coach.katas.reading import CatalogueConstraint, CatalogueKata, read_kata
from bottega.coach.matching import Entry, WordIndex, stems
from bottega.errors import NotFound

__all__ = ["CatalogueConstraint", "CatalogueKata", "best_for", "by_slug", "catalogue"]

SHELF = Path(__file__).with_name("shelf")
#: A related concept says less about a gap than its topic.
RELATED = 0.4
#: Where nothing is known of the learner: early, but not the first steps.
USUAL_LEVEL = 3


@cache
def catalogue() -> tuple[CatalogueKata, ...]:
    """All katas, by slug."""
    files = sorted(SHELF.glob("*.md"))
    return tuple(read_kata(file.read_text(encoding="utf-8"), file.name) for file in files)


def by_slug(slug: str) -> CatalogueKata:
    for kata in catalogue():
        if kata.slug == slug:
            return kata
    raise NotFound(f"no kata {slug!r} in the catalogue")


def best_for(
    topic: str,
    related: Sequence[str] = (),
    *,
    avoid: Collection[str] = (),
    limit: int = 1,
    level: int = USUAL_LEVEL,
) -> list[CatalogueKata]:
    """The katas that fit a gap, the best first.

    There is always one: where none fits, those nearest to `level`; where `avoid` (slugs) leaves
    none at all, one met before, which can be solved again in another way.
    """
    katas = [kata for kata in catalogue() if kata.slug not in avoid] or catalogue()
    words = dict.fromkeys(stems(*related), RELATED) | dict.fromkeys(stems(topic), 1.0)
    scores = _index().scores(words)
    fitting = [kata for kata in katas if scores[kata.slug] > 0]
    ranked = sorted(
        fitting or katas,
        key=lambda kata: (-scores[kata.slug], abs(kata.level - level), kata.slug),
    )
    return ranked[:limit]


@cache
def _index() -> WordIndex:
    return WordIndex({kata.slug: Entry(kata.topic, kata.concepts) for kata in catalogue()})
