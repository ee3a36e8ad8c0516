"""One recall over several stores: ranked together, within a budget."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bottega.core.db.database import Database
from bottega.core.traces import Traces
from bottega.errors import Conflict, Unavailable
from bottega.memory.recall import Recall, rank, score, tokens_of
from bottega.memory.stores import Importance, RecalledItem, RecallQuestion, Scope

NOW = datetime(2026, 7, 1, tzinfo=UTC)


def an_item(
    id: str = "one",
    *,
    store: str = "notes",
    content: str = "tests run with make test",
    relevance: float = 0.5,
    importance: Importance = Importance.MEDIUM,
    age: timedelta = timedelta(0),
    use_count: int = 0,
    scope: Scope = Scope.PERSONAL,
) -> RecalledItem:
    moment = NOW - age
    return RecalledItem(
        id=id,
        store=store,
        content=content,
        scope=scope,
        owner="local",
        relevance=relevance,
        importance=importance,
        created_at=moment,
        updated_at=moment,
        use_count=use_count,
    )


class Notes:
    """A store as another room would bring it."""

    def __init__(
        self,
        items: Sequence[RecalledItem],
        name: str = "notes",
        scopes: Collection[Scope] = (Scope.PERSONAL,),
    ) -> None:
        self.items = items
        self.name = name
        self.scopes = scopes
        self.questions: list[RecallQuestion] = []
        self.used: list[str] = []

    async def search(self, question: RecallQuestion, limit: int) -> Sequence[RecalledItem]:
        self.questions.append(question)
        return self.items[:limit]

    def count_use(self, ids: Sequence[str], at: datetime) -> None:
        assert at == NOW
        self.used += ids


class ClosedNotes(Notes):
    async def search(self, question: RecallQuestion, limit: int) -> Sequence[RecalledItem]:
        raise Unavailable("The shelf is locked.")


@pytest.fixture
def traces(tmp_path: Path) -> Traces:
    return Traces(Database(f"sqlite:///{tmp_path / 'bottega.db'}"))


def a_recall(traces: Traces, *stores: Notes) -> Recall:
    recall = Recall(traces, now=lambda: NOW)
    for store in stores:
        recall.add_store(store)
    return recall


def test_the_score_is_relevance_above_all_then_importance_and_recency() -> None:
    best = an_item(relevance=1.0, importance=Importance.HIGH)
    assert score(best, NOW) == pytest.approx(0.8 + 0.1 + 0.1)
    worst = an_item(relevance=0.2, importance=Importance.LOW, age=timedelta(days=30))
    assert score(worst, NOW) == pytest.approx(0.16 + 0.0 + 0.05)


def test_what_was_recalled_often_does_not_rise() -> None:
    assert score(an_item(use_count=50), NOW) == score(an_item(), NOW)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (an_item(relevance=0.9), an_item(relevance=0.3)),
        (an_item(importance=Importance.HIGH), an_item(importance=Importance.LOW)),
        (an_item(), an_item(age=timedelta(days=90))),
    ],
    ids=["relevance", "importance", "recency"],
)
def test_each_quality_alone_decides_between_equals(
    better: RecalledItem, worse: RecalledItem
) -> None:
    assert [ranked.item for ranked in rank([worse, better], NOW)] == [better, worse]


def test_a_change_made_by_a_clock_that_runs_ahead_counts_as_new() -> None:
    assert score(an_item(age=timedelta(days=-9)), NOW) == score(an_item(), NOW)


def test_noise_is_left_out_however_important_it_is() -> None:
    assert rank([an_item(relevance=0.05, importance=Importance.HIGH)], NOW) == []


async def test_what_several_stores_find_is_ranked_together(traces: Traces) -> None:
    recall = a_recall(
        traces,
        Notes([an_item("a", relevance=0.9), an_item("b", relevance=0.2)]),
        Notes([an_item("c", store="values", relevance=0.6)], name="values"),
    )
    found = await recall.recall("how do tests run")
    assert [ranked.item.id for ranked in found.ranked] == ["a", "c", "b"]


async def test_the_same_data_at_the_same_time_give_the_same_answer(traces: Traces) -> None:
    items = [an_item(name) for name in ("b", "c", "a")]
    forwards = await a_recall(traces, Notes(items)).recall("tests")
    backwards = await a_recall(traces, Notes(items[::-1])).recall("tests")
    assert forwards == backwards
    assert [ranked.item.id for ranked in forwards.ranked] == ["a", "b", "c"]


async def test_the_answer_stays_within_the_budget_and_smaller_items_fill_the_gap(
    traces: Traces,
) -> None:
    large = an_item("large", content="word " * 400, relevance=0.8)
    items = [an_item("first", relevance=0.9), large, an_item("last", relevance=0.4)]
    small = tokens_of(items[0])
    store = Notes(items)
    found = await a_recall(traces, store).recall("tests", budget=2 * small)
    assert [ranked.item.id for ranked in found.ranked] == ["first", "last"]
    assert (found.tokens, found.left_out) == (2 * small, 1)
    assert store.used == ["first", "last"], "what was left out was not used"


def test_tokens_are_counted_in_bytes_so_that_no_script_is_underrated() -> None:
    latin, kanji = an_item(content="a" * 300), an_item(content="記" * 300)
    assert tokens_of(kanji) - tokens_of(latin) == 150


async def test_only_stores_with_an_asked_scope_are_asked(traces: Traces) -> None:
    mine = Notes([an_item("mine")])
    everyones = Notes([an_item("shared", store="shelf")], name="shelf", scopes=(Scope.GLOBAL,))
    recall = a_recall(traces, mine, everyones)
    found = await recall.recall("tests", scopes=[Scope.GLOBAL], project="app", user_id="ana")
    assert [ranked.item.id for ranked in found.ranked] == ["shared"]
    assert mine.questions == []
    assert everyones.questions == [RecallQuestion("tests", "ana", "app", frozenset({Scope.GLOBAL}))]


async def test_a_store_that_is_away_costs_only_its_own_items(traces: Traces) -> None:
    recall = a_recall(traces, ClosedNotes([], name="locked"), Notes([an_item("a")]))
    found = await recall.recall("tests")
    assert [ranked.item.id for ranked in found.ranked] == ["a"]
    assert found.unavailable == ["locked"]


def test_two_stores_of_one_name_are_refused(traces: Traces) -> None:
    recall = a_recall(traces, Notes([]))
    with pytest.raises(Conflict, match="'notes'"):
        recall.add_store(Notes([]))
