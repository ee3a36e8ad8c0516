"""One question to everything that remembers, answered within a number of tokens.

Every store is asked at the same time, and what they find is ranked together:

    score = 0.8 relevance + 0.1 importance + 0.1 recency

Relevance is the store's own, importance is 1, ½ or 0 for high, medium and low, and recency halves
every 30 days since the last change. How often something was recalled says nothing: what was found
once would rise each time until nothing else is found. What is less than 0.1 relevant is noise and
left out, however important. Equal scores are ordered by store and id, so the
same data at the same time give the same answer.

The budget is filled from the top; an item that no longer fits is passed over for smaller ones.
It counts content and evidence as they would stand in a prompt: a token for four bytes of UTF-8,
and a few for an item's label.
"""

import asyncio
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

import structlog

from bottega.core import clock
from bottega.core.text.words import estimate_tokens
from bottega.core.traces import SpanKind, Traces
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, Unavailable
from bottega.memory.projects import without_slash
from bottega.memory.stores import (
    DEFAULT_BUDGET,
    Importance,
    MemoryStore,
    RecalledItem,
    RecallQuestion,
    Scope,
)

CANDIDATES_PER_STORE = 50
MINIMUM_RELEVANCE = 0.1
#: Items that a trace names.
MOST_TRACED = 10
IMPORTANCE = {Importance.HIGH: 1.0, Importance.MEDIUM: 0.5, Importance.LOW: 0.0}
HALF_LIFE = timedelta(days=30)
TOKENS_FOR_LABEL = 8

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Ranked:
    item: RecalledItem
    score: float


@dataclass(frozen=True, slots=True)
class Recollection:
    """What was recalled, best first."""

    ranked: Sequence[Ranked]
    tokens: int
    budget: int
    #: Relevant items that did not fit the budget.
    left_out: int
    #: Stores that could not be asked.
    unavailable: Sequence[str]


class Recall:
    def __init__(self, traces: Traces, now: Callable[[], datetime] = clock.now) -> None:
        self._traces = traces
        self._now = now
        self._stores: dict[str, MemoryStore] = {}

    def add_store(self, store: MemoryStore) -> None:
        if store.name in self._stores:
            raise Conflict(f"A store named {store.name!r} is part of recall already.")
        self._stores[store.name] = store

    async def recall(
        self,
        query: str,
        *,
        scopes: Collection[Scope] | None = None,
        project: str | None = None,
        user_id: str = LOCAL_USER,
        budget: int = DEFAULT_BUDGET,
    ) -> Recollection:
        """The best of all stores for `query`, in at most `budget` tokens.

        With a project, project-wide items of others are left out; without one, all of the user's
        are looked at.
        """
        question = RecallQuestion(
            query, user_id, without_slash(project), frozenset(scopes or Scope)
        )
        with self._traces.span("recall", SpanKind.MEMORY, user_id=user_id, query=query) as span:
            recollection = await self._recollect(question, budget)
            span.set_attributes(_decisions(recollection))
        return recollection

    async def _recollect(self, question: RecallQuestion, budget: int) -> Recollection:
        now = self._now()
        answers = await self._ask_stores(question)
        ranked = rank(chain.from_iterable(found or () for found in answers.values()), now)
        chosen, tokens = fill(ranked, budget)
        _count_uses(answers, chosen, now)
        unavailable = [store.name for store, found in answers.items() if found is None]
        return Recollection(chosen, tokens, budget, len(ranked) - len(chosen), unavailable)

    async def _ask_stores(
        self, question: RecallQuestion
    ) -> dict[MemoryStore, Sequence[RecalledItem] | None]:
        """What each store has found; `None` for one that could not be asked."""
        stores = [s for s in self._stores.values() if not question.scopes.isdisjoint(s.scopes)]
        answers = await asyncio.gather(*(_ask(store, question) for store in stores))
        return dict(zip(stores, answers, strict=True))


async def _ask(store: MemoryStore, question: RecallQuestion) -> Sequence[RecalledItem] | None:
    try:
        return await store.search(question, CANDIDATES_PER_STORE)
    except Unavailable as error:
        log.warning("recall.store_unavailable", store=store.name, error=error.message)
        return None


def _count_uses(
    answers: Mapping[MemoryStore, Sequence[RecalledItem] | None],
    chosen: Iterable[Ranked],
    now: datetime,
) -> None:
    used = {(ranked.item.store, ranked.item.id) for ranked in chosen}
    for store, found in answers.items():
        if ids := [item.id for item in found or () if (item.store, item.id) in used]:
            store.count_use(ids, now)


def _decisions(recollection: Recollection) -> dict[str, int | list[str]]:
    """For the trace: the best of what was chosen with their scores, and what stayed out."""
    best = recollection.ranked[:MOST_TRACED]
    return {
        "chosen": [f"{r.item.store}/{r.item.id} {r.score:.3f}" for r in best],
        "chosen_in_all": len(recollection.ranked),
        "left_out": recollection.left_out,
        "tokens": recollection.tokens,
        "budget": recollection.budget,
        "unavailable": list(recollection.unavailable),
    }


def rank(items: Iterable[RecalledItem], now: datetime) -> list[Ranked]:
    relevant = (item for item in items if item.relevance >= MINIMUM_RELEVANCE)
    scored = [Ranked(item, score(item, now)) for item in relevant]
    return sorted(scored, key=lambda ranked: (-ranked.score, ranked.item.store, ranked.item.id))


def score(item: RecalledItem, now: datetime) -> float:
    return (
        0.8 * min(item.relevance, 1.0)
        + 0.1 * IMPORTANCE[item.importance]
        + 0.1 * recency(item, now)
    )


def recency(item: RecalledItem, now: datetime) -> float:
    """1 for a change of now, half of it for each 30 days since."""
    return math.pow(0.5, max(now - item.updated_at, timedelta(0)) / HALF_LIFE)


def fill(ranked: Iterable[Ranked], budget: int) -> tuple[list[Ranked], int]:
    chosen: list[Ranked] = []
    tokens = 0
    for candidate in ranked:
        cost = tokens_of(candidate.item)
        if tokens + cost <= budget:
            chosen.append(candidate)
            tokens += cost
    return chosen, tokens


def tokens_of(item: RecalledItem) -> int:
    return estimate_tokens(item.content + (item.evidence or "")) + TOKENS_FOR_LABEL
