"""Search of experiences, and the premortem of a new entry: what similar ones failed of.

The premortem compares falsified entries on the root cause axis, which covers domain, strategy and
hypothesis: all that a new entry has of it. Each counts by its similarity and its tier.
"""

from collections import defaultdict
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bottega.core.db.database import Database
from bottega.core.search.filters import Where
from bottega.core.search.vector_store import VectorHit
from bottega.errors import Unavailable
from bottega.journal.entries import repository
from bottega.journal.entries.enums import Axis, JournalTier
from bottega.journal.entries.index import JournalIndex, owned_by
from bottega.journal.entries.repository import Owner
from bottega.journal.entries.schemas import (
    JournalStartInput,
    LikelyCause,
    ScoredExperience,
    SearchInput,
    SearchResults,
)

#: A row of `repository.SHOWN`.
Row = Any

CANDIDATES = 10
#: Less similar entries are ignored.
LEAST_SIMILARITY = 0.5
CAUSES = 3
EXAMPLES = 2

log = structlog.get_logger()


class Experiences:
    def __init__(self, database: Database, index: JournalIndex) -> None:
        self._database = database
        self._index = index

    async def search(self, owner: Owner, asked: SearchInput) -> SearchResults:
        """Best first; nothing for an empty query."""
        if not asked.query.strip():
            return SearchResults(results=[], count=0)
        hits = await self._index.search(
            owner, asked.axis, asked.query, limit=asked.limit, where=_filter(asked)
        )
        rows = await self._database.ask(repository.by_ids, owner, [hit.id for hit in hits])
        results = [
            ScoredExperience(
                **ScoredExperience.fields_of(rows[hit.id]), score=min(1.0, max(0.0, hit.score))
            )
            for hit in hits
            if hit.id in rows
        ]
        return SearchResults(results=results, count=len(results))

    async def likely_causes(self, owner: Owner, new: JournalStartInput) -> list[LikelyCause] | None:
        """Why similar hypotheses failed, the likeliest first; `None` if no similar one did."""
        asked = " ".join((new.domain, new.strategy, new.hypothesis))
        try:
            return _causes(await self._similar(owner, asked)) or None
        except (Unavailable, SQLAlchemyError) as error:
            # A start needs no database and no vectors: it goes on without the warning.
            log.warning("journal.no_premortem", why=str(error))
            return None

    async def _similar(self, owner: Owner, asked: str) -> list[tuple[Row, float]]:
        hits = await self._index.nearest(
            Axis.ROOT_CAUSE, asked, limit=CANDIDATES, where=owned_by(owner)
        )
        near = {hit.id: similarity(hit) for hit in hits if similarity(hit) >= LEAST_SIMILARITY}
        if not near:
            return []
        rows = await self._database.ask(repository.by_ids, owner, list(near))
        return [(rows[i], nearness) for i, nearness in near.items() if i in rows]


def similarity(hit: VectorHit) -> float:
    """From 0 to 1."""
    return min(1.0, max(0.0, 1.0 - hit.distance))


def _filter(asked: SearchInput) -> Where | None:
    wanted = {"domain": asked.domain, "outcome": asked.outcome}
    given = [{name: value.value} for name, value in wanted.items() if value is not None]
    return {"$and": given} if given else None


def _causes(similar: list[tuple[Row, float]]) -> list[LikelyCause]:
    weights: defaultdict[str, float] = defaultdict(float)
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for row, nearness in similar:
        if row.root_cause is not None:
            weights[row.root_cause["category"]] += (
                nearness * JournalTier(row.confidence_tier).weight
            )
            rows[row.root_cause["category"]].append(row)
    whole = sum(weights.values())
    likeliest = sorted(weights, key=lambda category: (-weights[category], category))
    return [
        LikelyCause(
            category=category,
            share=round(weights[category] / whole, 3),
            examples=[_description(row) for row in rows[category][:EXAMPLES]],
            evidence=[row.id for row in rows[category]],
        )
        for category in likeliest[:CAUSES]
    ]


def _description(row: Row) -> str:
    return str(row.root_cause["description"]) if row.root_cause else ""
