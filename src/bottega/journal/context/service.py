"""Assembles the context of a task: lessons and values, each with its evidence.

They are ranked as recall ranks them (`memory/recall.py`) and fill a budget of tokens. That they
were shown is recorded: what is shown often ranks higher next time.
"""

import asyncio

from bottega.core import clock
from bottega.journal.context.operations import Context, ContextInput, ContextItem
from bottega.journal.context.stores import ExperienceStore, Showings, ValueStore
from bottega.journal.entries.enums import Domain
from bottega.journal.entries.repository import Owner
from bottega.memory.recall import Ranked, fill, rank
from bottega.memory.stores import RecalledItem, RecallQuestion, Scope

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
        question = RecallQuestion(query, owner.user_id, owner.project, scopes)
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
