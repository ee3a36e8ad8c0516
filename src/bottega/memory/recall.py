"""One question to everything that remembers, answered within a number of tokens.

Every store is asked at the same time, and what they find is ranked together:

    score = 0.50 relevance + 0.25 importance + 0.15 recency + 0.10 access

Relevance is the store's own, importance is 1, ½ or 0 for high, medium and low, recency halves
every 30 days since the last change, and access is n / (n + 5) after n uses. What is less than 0.1
relevant is noise and left out, however important. Equal scores are ordered by store and id, so the
same data at the same time give the same answer.

The budget is filled from the top; an item that no longer fits is passed over for smaller ones.
It counts content and evidence as they would stand in a prompt: a token for four bytes of UTF-8,
and a few for an item's label.
"""

import asyncio
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bottega.core import clock
from bottega.core.traces import SpanKind, Traces
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, Unavailable
from bottega.memory.stores import Importance, MemoryStore, Question, RecalledItem, Scope

DEFAULT_BUDGET = 1_000
CANDIDATES_PER_STORE = 50
MINIMUM_RELEVANCE = 0.1
IMPORTANCE = {Importance.HIGH: 1.0, Importance.MEDIUM: 0.5, Importance.LOW: 0.0}
HALF_LIFE = timedelta(days=30)
USES_FOR_HALF = 5
BYTES_PER_TOKEN = 4
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
        question = Question(query, user_id, project, frozenset(scopes or Scope))
        with self._traces.span("recall", SpanKind.MEMORY, user_id=user_id, query=query) as span:
            recollection = await self._recollect(question, budget)
            span.set_attributes(_decisions(recollection))
        return recollection

    async def _recollect(self, question: Question, budget: int) -> Recollection:
        now = self._now()
        found, unavailable = await self._ask_stores(question)
        ranked = rank(found, now)
        chosen, tokens = fill(ranked, budget)
        self._count_uses(chosen, now)
        return Recollection(chosen, tokens, budget, len(ranked) - len(chosen), unavailable)

    async def _ask_stores(self, question: Question) -> tuple[list[RecalledItem], list[str]]:
        stores = [s for s in self._stores.values() if not question.scopes.isdisjoint(s.scopes)]
        answers = await asyncio.gather(*(_ask(store, question) for store in stores))
        found = [item for answer in answers if answer is not None for item in answer]
        unavailable = [s.name for s, answer in zip(stores, answers, strict=True) if answer is None]
        return found, unavailable

    def _count_uses(self, chosen: Sequence[Ranked], now: datetime) -> None:
        ids: dict[str, list[str]] = {}
        for ranked in chosen:
            ids.setdefault(ranked.item.store, []).append(ranked.item.id)
        for name, used in ids.items():
            self._stores[name].count_use(used, now)


async def _ask(store: MemoryStore, question: Question) -> Sequence[RecalledItem] | None:
    try:
        return await store.search(question, CANDIDATES_PER_STORE)
    except Unavailable as error:
        log.warning("recall.store_unavailable", store=store.name, error=error.message)
        return None


def _decisions(recollection: Recollection) -> dict[str, int | list[str]]:
    """For the trace: what was chosen with which score, and what stayed out."""
    return {
        "chosen": [f"{r.item.store}/{r.item.id} {r.score:.3f}" for r in recollection.ranked],
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
    age = max(now - item.updated_at, timedelta(0))
    recency = math.pow(0.5, age / HALF_LIFE)
    access = item.use_count / (item.use_count + USES_FOR_HALF)
    return (
        0.50 * min(item.relevance, 1.0)
        + 0.25 * IMPORTANCE[item.importance]
        + 0.15 * recency
        + 0.10 * access
    )


def fill(ranked: Iterable[Ranked], budget: int) -> tuple[list[Ranked], int]:
    chosen: list[Ranked] = []
    tokens = 0
    for candidate in ranked:
        cost = estimate_tokens(candidate.item)
        if tokens + cost <= budget:
            chosen.append(candidate)
            tokens += cost
    return chosen, tokens


def estimate_tokens(item: RecalledItem) -> int:
    text = item.content + (item.evidence or "")
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN) + TOKENS_FOR_LABEL
