"""Words on SQLite and on PostgreSQL: one behaviour."""

import asyncio
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from bottega.core.db.database import Database
from bottega.core.search import text_index as rarity
from bottega.core.search.backends import make_text_index
from bottega.core.search.text_index import MAX_WORDS, TextDocument, TextIndex, words
from tests.core.search.test_where import FILTERS, ITEMS
from tests.databases import put_database

DOCUMENTS = [
    TextDocument("race", "A race condition in the OAuth callback", {"project": "alpha"}),
    TextDocument("grid", "The grid layout of the settings page", {"project": "beta", "n": 1}),
    TextDocument("races", "Races, races and more races: the weekend programme", {"n": 2}),
    TextDocument("empty", ""),
]


@pytest.fixture
async def index(database: Database) -> TextIndex:
    index = make_text_index(database)
    await index.put("notes", DOCUMENTS)
    return index


async def ids(index: TextIndex, query: str, collection: str = "notes") -> list[str]:
    return [hit.id for hit in await index.search(collection, query)]


async def test_any_word_may_match_in_any_form_and_better_matches_come_first(
    index: TextIndex,
) -> None:
    hits = await index.search("notes", "the condition of RACING")
    assert [hit.id for hit in hits][:1] == ["race"]
    assert {"race", "races"} <= {hit.id for hit in hits}
    assert all(first.score >= second.score for first, second in pairwise(hits))
    assert all(hit.score > 0 for hit in hits)


async def test_a_rare_word_weighs_more_than_a_common_one(database: Database) -> None:
    index = make_text_index(database)
    common = [TextDocument(f"c{n}", "pytest fixture pytest") for n in range(20)]
    await index.put("notes", [*common, TextDocument("rare", "pytest teardown")])
    assert (await ids(index, "pytest teardown"))[0] == "rare"


async def test_a_word_said_often_in_a_short_text_weighs_more(database: Database) -> None:
    index = make_text_index(database)
    filler = "many other words stand here and say nothing of any use to anyone at all " * 5
    await index.put(
        "notes",
        [
            TextDocument("once", f"lock {filler}"),
            TextDocument("often", "lock lock lock and another lock"),
            TextDocument("never", "nothing of it"),
        ],
    )
    assert await ids(index, "lock") == ["often", "once"]


@pytest.mark.parametrize(
    "query",
    ["", "   ", "AND", "NOT", '"', '"race', "race*", "NEAR(race, 2)", "(race", "race) OR (", "a:b",
     "text:race", "-race", "^race", "race + oauth", "😀", "race\x00condition", "' OR 1=1 --", "\\",
     "a & | ! b", "<-> race", "é́", "日本語", "{race}", "the"],
)  # fmt: skip
async def test_what_somebody_types_is_never_a_query_language(index: TextIndex, query: str) -> None:
    found = await ids(index, query)
    scores = await index.scores("notes", query, ["race", "absent"])
    assert ("race" in found) == ("race" in scores)
    assert "race" in found or "race" not in words(query)


@given(st.text(max_size=200))
def test_words_are_few_distinct_and_without_any_sign(query: str) -> None:
    found = words(query)
    assert len(found) == len(set(found)) <= MAX_WORDS
    assert not any(sign in word for word in found for sign in "\"'\\&|!:*()<>-+^{} \x00")


async def test_a_document_put_again_is_replaced(index: TextIndex) -> None:
    await index.put("notes", [TextDocument("race", "About something else", {"project": "beta"})])
    assert "race" not in await ids(index, "oauth")
    assert await ids(index, "something") == ["race"]
    assert [hit.id for hit in await index.search("notes", "something", where={"project": "beta"})]
    assert await index.count("notes") == 4


async def test_documents_are_deleted_and_collections_dropped(index: TextIndex) -> None:
    await index.put("other", [TextDocument("race", "race")])
    await index.delete("notes", ["race", "absent"])
    await index.delete("nowhere", ["race"])
    assert "race" not in await ids(index, "race")
    assert await index.count("notes") == 3
    await index.drop("notes")
    await index.drop("notes")
    assert await index.count("notes") == 0
    assert await ids(index, "race") == []
    assert await ids(index, "race", "other") == ["race"]
    await index.put("notes", DOCUMENTS)
    assert "race" in await ids(index, "race")


async def test_a_filter_holds_and_the_limit_counts_what_passes_it(database: Database) -> None:
    index = make_text_index(database)
    await index.put(
        "notes",
        [TextDocument(f"d{n}", "lock " * (n % 7 + 1), {"last": n >= 490}) for n in range(500)],
    )
    hits = await index.search("notes", "lock", limit=7, where={"last": True})
    assert len(hits) == 7
    assert {hit.id for hit in hits} <= {f"d{n}" for n in range(490, 500)}
    all_of_them = await index.search("notes", "lock", limit=1_000)
    best = [hit.score for hit in all_of_them if int(hit.id[1:]) >= 490][:7]
    assert [hit.score for hit in hits] == pytest.approx(best)


async def test_asked_for_certain_documents_the_index_scores_them_as_a_search_would(
    index: TextIndex,
) -> None:
    query = "race in the grid"
    hits = {hit.id: hit.score for hit in await index.search("notes", query)}
    scores = await index.scores("notes", query, ["grid", "race", "empty", "absent"])
    assert scores == pytest.approx({"grid": hits["grid"], "race": hits["race"]})


VOCABULARY = [f"w{'x' * n}" for n in range(12)]
TEXTS = st.lists(st.integers(0, 11).map(lambda n: VOCABULARY[n * n // 11]), max_size=8)


@pytest.mark.requirement("LB-605")
@given(
    texts=st.lists(TEXTS.map(" ".join), min_size=20, max_size=60),
    query=st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=6).map(" ".join),
    limit=st.integers(1, 8),
    parity=st.sampled_from([None, 0, 1]),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_words_that_only_weigh_leave_the_best_as_they_are(
    texts: list[str], query: str, limit: int, parity: int | None
) -> None:
    """With MaxScore's own bound, exactly what ranking everything gives."""
    where = None if parity is None else {"parity": parity}
    documents = [TextDocument(f"d{n}", each, {"parity": n % 2}) for n, each in enumerate(texts)]

    async def search(few: int) -> list[tuple[str, float]]:
        with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
            patch.setattr(rarity, "FEW", few)
            patch.setattr(rarity, "USUAL_WEIGHT", 2.2)
            database = Database(f"sqlite:///{folder}/bottega.db")
            put_database(Path(folder, "bottega.db"))
            await database.start()
            index = make_text_index(database)
            await index.put("notes", documents)
            hits = await index.search("notes", query, limit=limit, where=where)
            await database.stop()
            return [(hit.id, round(hit.score, 9)) for hit in hits]

    assert asyncio.run(search(few=0)) == asyncio.run(search(few=1_000_000))


@pytest.mark.requirement("LB-605")
def test_frequent_words_do_not_select_once_enough_is_found() -> None:
    """The rarest words that find enough come first, then those that could still matter."""
    found = rarity.Rarity.of(200_000, {"the": 0, "vessel": 70_000, "berth": 30_000, "bell": 400})
    assert found.words == ("bell", "berth", "vessel")
    assert found.first(wanted=100) == 1
    assert found.first(wanted=1_000) == 2
    assert found.needed(threshold=5.0) == 1
    assert found.needed(threshold=2.0) == 2
    assert found.needed(threshold=0.0) == 3
    assert rarity.Rarity.of(1_000, {"bell": 1, "vessel": 900}).first(wanted=100) == 2


@pytest.mark.requirement("LB-605")
async def test_a_word_is_found_as_soon_as_it_is_there(database: Database) -> None:
    """How frequent words are may be known from before, that there are none may not."""
    index = make_text_index(database)
    await index.put("notes", [TextDocument("a", "bell"), TextDocument("b", "rope")])
    assert await ids(index, "anchor bell") == ["a"]
    assert await index.search("notes", "bell", limit=0) == []
    await index.put("notes", [TextDocument("b", "anchor")])
    assert set(await ids(index, "anchor bell")) == {"a", "b"}
    await index.put("notes", [TextDocument("c", "anchor bell")])
    assert (await ids(index, "anchor bell"))[0] == "c"
    await index.delete("notes", ["a", "c"])
    assert await ids(index, "bell") == []


async def test_indexing_is_part_of_the_callers_transaction(database: Database) -> None:
    index = make_text_index(database)

    class Stop(Exception):
        pass

    async def put_and_fail() -> None:
        async with database.write() as session:
            await session.execute(
                text("INSERT INTO users (id, name, created_at) VALUES ('u', 'u', '2026')")
            )
            await index.put("notes", DOCUMENTS, session=session)
            assert await index.count("notes", session=session) == len(DOCUMENTS)
            raise Stop

    with pytest.raises(Stop):
        await put_and_fail()
    assert await index.count("notes") == 0
    async with database.write() as session:
        await index.put("notes", DOCUMENTS, session=session)
        await index.delete("notes", ["grid"], session=session)
    assert await index.count("notes") == 3


async def test_a_very_long_text_with_odd_characters_is_indexed(database: Database) -> None:
    index = make_text_index(database)
    long = "needle \x00 " + " ".join(f"word{n}é" for n in range(200_000))
    await index.put("notes", [TextDocument("long", long)])
    assert await ids(index, "needle") == ["long"]


async def test_a_filter_means_the_same_as_to_a_vector_store(index: TextIndex) -> None:
    await index.put("items", [TextDocument(key, "lock", data) for key, data in ITEMS.items()])
    for where, expected in FILTERS:
        hits = await index.search("items", "lock", where=where)
        assert {hit.id for hit in hits} == expected, where
