"""What is worth knowing before a task: lessons and values, each with what it rests on.

They are ranked as recall ranks (`memory/recall.py`) and fill a number of tokens. That they were
shown is recorded: what is looked at often counts for more next time.
"""

import asyncio

from bottega.core import clock
from bottega.journal.enums import Domain
from bottega.journal.recalled import ExperienceStore, ValueStore
from bottega.journal.repository import Owner
from bottega.journal.schemas import ContextInput
from bottega.journal.showings import Showings
from bottega.journal.views import Context, ContextItem
from bottega.memory.recall import Ranked, fill, rank
from bottega.memory.stores import Question, RecalledItem, Scope

CANDIDATES = 30
KINDS = {ExperienceStore.name: "lesson", ValueStore.name: "value"}


class ContextAssembler:
    def __init__(
        self, experiences: ExperienceStore, values: ValueStore, showings: Showings
    ) -> None:
        self._experiences = experiences
        self._values = values
        self._showings = showings

    async def assemble(self, owner: Owner, asked: ContextInput) -> Context:
        if not asked.query.strip():
            return Context(items=[], tokens=0, budget_tokens=asked.budget_tokens, left_out=0)
        now = clock.now()
        ranked = rank(await self._candidates(owner, asked.query, asked.domain), now)
        chosen, tokens = fill(ranked, asked.budget_tokens)
        self._showings.note(
            [each.item.id for each in chosen],
            now,
            user_id=owner.user_id,
            query=asked.query,
            session_id=asked.session_id,
        )
        return Context(
            items=[_view(each) for each in chosen],
            tokens=tokens,
            budget_tokens=asked.budget_tokens,
            left_out=len(ranked) - len(chosen),
        )

    async def _candidates(
        self, owner: Owner, query: str, domain: Domain | None
    ) -> list[RecalledItem]:
        scopes = frozenset({Scope.PROJECT})
        question = Question(query, owner.user_id, owner.project, scopes)
        lessons, values = await asyncio.gather(
            self._experiences.lessons(question, CANDIDATES, domain),
            self._values.search(question, CANDIDATES),
        )
        return [*lessons, *values]


def _view(ranked: Ranked) -> ContextItem:
    item = ranked.item
    return ContextItem(
        kind=KINDS[item.store],
        id=item.id,
        content=item.content,
        evidence=item.evidence or "",
        score=ranked.score,
    )
