"""What is likely to go wrong with a new entry, told by similar ones that did.

Falsified entries are compared on the axis of root causes, which looks at domain, strategy and
hypothesis: all that a new entry has of it. Each counts by its similarity and its tier.
"""

from collections import defaultdict
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bottega.core.database import Database
from bottega.errors import Unavailable
from bottega.journal import repository
from bottega.journal.enums import Axis, Tier
from bottega.journal.index import JournalIndex, owned_by
from bottega.journal.recalled import similarity
from bottega.journal.repository import Owner
from bottega.journal.schemas import StartInput
from bottega.journal.views import LikelyCause

#: A row of `repository.SHOWN`.
Row = Any

LOOKED_AT = 10
#: Less similar than this is another matter.
SIMILAR = 0.5
CAUSES = 3
EXAMPLES = 2

log = structlog.get_logger()


class Premortem:
    def __init__(self, database: Database, index: JournalIndex) -> None:
        self._database = database
        self._index = index

    async def of(self, owner: Owner, new: StartInput) -> list[LikelyCause] | None:
        """The likeliest first; `None` if nothing similar is known to have gone wrong."""
        asked = " ".join((new.domain, new.strategy, new.hypothesis))
        try:
            return _causes(await self._similar(owner, asked)) or None
        except (Unavailable, SQLAlchemyError) as error:
            # A start needs no database and no vectors: it does without the warning.
            log.warning("journal.no_premortem", why=str(error))
            return None

    async def _similar(self, owner: Owner, asked: str) -> list[tuple[Row, float]]:
        hits = await self._index.nearest(
            Axis.ROOT_CAUSE, asked, limit=LOOKED_AT, where=owned_by(owner)
        )
        near = {hit.id: similarity(hit) for hit in hits if similarity(hit) >= SIMILAR}
        if not near:
            return []
        async with self._database.read() as session:
            rows = await repository.by_ids(session, owner, list(near))
        return [(rows[i], nearness) for i, nearness in near.items() if i in rows]


def _causes(similar: list[tuple[Row, float]]) -> list[LikelyCause]:
    weights: defaultdict[str, float] = defaultdict(float)
    told: defaultdict[str, list[Row]] = defaultdict(list)
    for row, nearness in similar:
        if row.root_cause is not None:
            weights[row.root_cause["category"]] += nearness * Tier(row.confidence_tier).weight
            told[row.root_cause["category"]].append(row)
    whole = sum(weights.values())
    likeliest = sorted(weights, key=lambda category: (-weights[category], category))
    return [
        LikelyCause(
            category=category,
            share=round(weights[category] / whole, 3),
            examples=[_description(row) for row in told[category][:EXAMPLES]],
            evidence=[row.id for row in told[category]],
        )
        for category in likeliest[:CAUSES]
    ]


def _description(row: Row) -> str:
    return str(row.root_cause["description"]) if row.root_cause else ""
