"""The filter language: the same answer from every store, and a clear refusal of what is wrong."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.core.search.filters import Metadata, Scalar, matches, parse
from bottega.core.search.matrix import Columns
from bottega.core.search.vector_store import VectorItem, VectorStore
from bottega.errors import InvalidInput

ITEMS: dict[str, Metadata] = {
    "int": {"n": 1, "color": "red"},
    "float": {"n": 1.0, "color": "blue"},
    "half": {"n": 1.5},
    "two": {"n": 2, "color": 'it\'s "red"'},
    "text": {"n": "1"},
    "true": {"n": True},
    "none": {"color": "red"},
    "bare": {},
}
FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"n": 1}, {"int", "float"}),
    ({"n": "1"}, {"text"}),
    ({"n": True}, {"true"}),
    ({"n": False}, set()),
    ({"n": {"$ne": 1}}, {"half", "two", "text", "true", "none", "bare"}),
    ({"n": {"$ne": True}}, set(ITEMS) - {"true"}),
    ({"n": {"$ne": "1"}}, set(ITEMS) - {"text"}),
    ({"n": {"$in": ["1", "2"]}}, {"text"}),
    ({"color": {"$in": ["red", "blue"]}}, {"int", "float", "none"}),
    ({"color": {"$in": ["green"]}}, set()),
    ({"color": 'it\'s "red"'}, {"two"}),
    ({"color": {"$in": ['it\'s "red"', "blue"]}}, {"two", "float"}),
    ({"color": "red", "n": 1}, {"int"}),
    ({"$and": [{"color": "red"}, {"n": {"$ne": 1}}]}, {"none"}),
    ({"$or": [{"color": "blue"}, {"n": "1"}]}, {"float", "text"}),
    ({"$or": [{"$and": [{"n": 1}, {"color": "red"}]}, {"n": 2}]}, {"int", "two"}),
    ({"absent": 1}, set()),
    ({"absent": {"$ne": 1}}, set(ITEMS)),
    ({}, set(ITEMS)),
]
WRONG: list[Any] = [
    {"n": {"$like": "x"}},
    {"n": {"$gt": 1}},
    {"n": {}},
    {"n": {"$ne": "x", "$in": ["y"]}},
    {"n": None},
    {"n": [1]},
    {"n": {"$in": []}},
    {"n": {"$in": 3}},
    {"n": {"$in": [1, 2]}},
    {"n": {"$in": "text"}},
    {"n": 1.5},
    {"n": {"$ne": float("nan")}},
    {"$not": [{"n": 1}]},
    {"$and": []},
    {"$or": {"n": 1}},
    {"$and": [{}]},
    ["n"],
]


async def test_every_store_understands_a_filter_the_same_way(store: VectorStore) -> None:
    await store.ensure_collection("filtered", dimension=2, embedder="test")
    east = np.array([1, 0], dtype=np.float32)
    await store.upsert(
        "filtered", [VectorItem(name, east, name, metadata) for name, metadata in ITEMS.items()]
    )
    for where, expected in FILTERS:
        hits = await store.query("filtered", east, limit=20, where=where)
        assert {hit.id for hit in hits} == expected, where


@pytest.mark.parametrize(("where", "expected"), FILTERS)
def test_a_filter_decides_on_metadata_alone(where: dict[str, Any], expected: set[str]) -> None:
    assert {name for name, metadata in ITEMS.items() if matches(parse(where), metadata)} == expected


@pytest.mark.parametrize("where", WRONG)
def test_a_wrong_filter_is_refused_with_a_reason(where: Any) -> None:
    with pytest.raises(InvalidInput):
        parse(where)


scalars = st.one_of(st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, 1.0]), st.text("ab"))
keys = st.sampled_from(["x", "y"])
compared = st.one_of(st.booleans(), st.integers(-3, 3), st.text("ab"))
comparisons = st.one_of(
    st.dictionaries(keys, compared, min_size=1),
    st.builds(
        lambda key, values: {key: {"$in": values}},
        keys,
        st.lists(st.text("ab"), min_size=1, max_size=3),
    ),
    st.builds(lambda key, value: {key: {"$ne": value}}, keys, compared),
)
filters = st.recursive(
    comparisons,
    lambda inner: st.builds(
        lambda name, parts: {name: parts},
        st.sampled_from(["$and", "$or"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=4,
)
rows = st.dictionaries(keys, scalars)


@given(
    before=st.lists(rows, max_size=5),
    after=st.dictionaries(st.integers(0, 6), rows),
    gone=st.lists(st.integers(0, 6), max_size=2),
    where=filters,
)
def test_columns_agree_with_the_plain_rule_after_any_changes(
    before: list[dict[str, Scalar]],
    after: dict[int, dict[str, Scalar]],
    gone: list[int],
    where: dict[str, Any],
) -> None:
    """However rows come, change and go, the fast filter says what the plain one says."""
    columns, expected = Columns(), list(before)
    for row, metadata in enumerate(before):
        columns.put(row, metadata)
    for row, metadata in after.items():
        if row < len(expected):
            expected[row] = metadata
            columns.put(row, metadata)
    for row in gone:
        if row < len(expected):
            columns.move(len(expected) - 1, row)
            expected[row] = expected[-1]
            expected.pop()
    condition = parse(where)
    assert condition is not None
    assert columns.mask(condition, len(expected)).tolist() == [
        matches(condition, metadata) for metadata in expected
    ]


def test_values_that_no_row_has_any_more_are_let_go() -> None:
    columns = Columns()
    for n in range(5_000):
        columns.put(0, {"used_at": n})
    condition = parse({"used_at": 4_999})
    assert condition is not None
    assert columns.mask(condition, 1).tolist() == [True]
    assert len(columns._columns["used_at"]._values) < 2_000
