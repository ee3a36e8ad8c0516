"""Experiences found by words and meaning together."""

from bottega.core.database import Database
from bottega.core.vectors.store import Where
from bottega.journal import repository
from bottega.journal.index import JournalIndex
from bottega.journal.repository import Owner
from bottega.journal.schemas import SearchInput
from bottega.journal.views import ScoredExperience, SearchResults


class ExperienceSearch:
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
        async with self._database.read() as session:
            rows = await repository.by_ids(session, owner, [hit.id for hit in hits])
        results = [
            ScoredExperience(
                **ScoredExperience.fields_of(rows[hit.id]), score=min(1.0, max(0.0, hit.score))
            )
            for hit in hits
            if hit.id in rows
        ]
        return SearchResults(results=results, count=len(results))


def _filter(asked: SearchInput) -> Where | None:
    wanted = {"domain": asked.domain, "outcome": asked.outcome}
    given = [{name: value.value} for name, value in wanted.items() if value is not None]
    return {"$and": given} if given else None
