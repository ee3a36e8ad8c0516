"""Beyond the spec: premortem, evidence, calibration."""

from typing import Any

import pytest
from sqlalchemy import text

from bottega.journal.calibration import calibrate
from bottega.journal.schemas import EvidenceInput
from tests.journal.house import CONFIRMED, FALSIFIED, START, House

RAN = {"kind": "test", "passed": True, "command": "pytest -q", "summary": "212 passed"}
BARE = {"status": "confirmed", "result": "It went green"}


async def fail_with(house: House, category: str, description: str, **start: str) -> str:
    started = await house.agent("start_ghap", **START | start)
    cause = {"category": category, "description": description}
    await house.agent("resolve_ghap", **FALSIFIED | {"root_cause": cause})
    return str(started["id"])


async def test_a_start_warns_of_what_brought_down_similar_hypotheses(any_house: House) -> None:
    """GH-48: likely root causes, the likeliest first, with the entries that say so."""
    house = any_house
    first = await house.agent("start_ghap", **START)
    assert "premortem" not in first
    await house.agent("resolve_ghap", **CONFIRMED)
    shared = [
        await fail_with(house, "test-isolation", "The user table was shared"),
        await fail_with(house, "test-isolation", "Two tests used one mailbox"),
    ]
    clock = await fail_with(house, "timing-issue", "The token expired within the test")
    other = {
        "domain": "documentation",
        "strategy": "ask-user",
        "hypothesis": "Readers miss the chapter on colours and typography",
    }
    await fail_with(house, "wrong-scope", "They never open the handbook", **other)
    started = await house.agent("start_ghap", **START)
    likely = started["premortem"]
    assert [cause["category"] for cause in likely] == ["test-isolation", "timing-issue"]
    assert sorted(likely[0]["evidence"]) == sorted(shared)
    assert likely[1]["evidence"] == [clock]
    assert "Two tests used one mailbox" in likely[0]["examples"]
    assert sum(cause["share"] for cause in likely) == pytest.approx(1, abs=0.01)


async def test_a_start_needs_neither_database_nor_vectors(house: House) -> None:
    """GH-14, GH-48: with the tables gone it does without the premortem."""
    async with house.core.database.write() as session:
        await session.execute(text("DROP TABLE journal_experiences"))
        await session.execute(text("DROP TABLE vectors"))
    started = await house.agent("start_ghap", **START)
    assert "premortem" not in started
    assert (await house.agent("get_active_ghap"))["id"] == started["id"]


async def attach(house: House, **asked: Any) -> Any:
    given = EvidenceInput.model_validate({"evidence": RAN, **asked})
    return await house.journal.entries.attach("local", given)


async def test_evidence_resolves_nothing_but_makes_the_entry_gold(house: House) -> None:
    """GH-50: noted in the open entry; without a lesson it would have been silver."""
    await house.agent("start_ghap", **START)
    attached = await attach(house)
    assert [ran.command for ran in attached.evidence] == ["pytest -q"]
    active = await house.agent("get_active_ghap")
    assert (active["has_active"], active["iteration_count"]) == (True, 1)
    assert (await house.agent("resolve_ghap", **BARE))["confidence_tier"] == "gold"


async def test_evidence_that_comes_late_lifts_a_resolved_entry(any_house: House) -> None:
    """GH-50: silver becomes gold; bronze stays bronze; the session decides which is open."""
    house = any_house
    silver = await house.agent("start_ghap", **START)
    assert (await house.agent("resolve_ghap", **BARE))["confidence_tier"] == "silver"
    assert (await attach(house, entry_id=silver["id"])).confidence_tier == "gold"
    listed = (await house.agent("list_ghap_entries"))["results"][0]
    assert listed["confidence_tier"] == "gold"
    thin = await house.agent("start_ghap", **START | {"prediction": "It works"})
    await house.agent("resolve_ghap", **BARE)
    assert (await attach(house, entry_id=thin["id"])).confidence_tier == "bronze"
    await house.agent("start_ghap", **START, session_id="a")
    await house.agent("start_ghap", **START, session_id="b")
    await attach(house, session_id="b")
    for session, tier in (("a", "silver"), ("b", "gold")):
        resolved = await house.agent("resolve_ghap", **BARE, session_id=session)
        assert resolved["confidence_tier"] == tier


async def test_calibration_is_told_overall_and_by_domain(any_house: House) -> None:
    """GH-49: Brier score and curve of what was predicted with a confidence."""
    house = any_house
    for confidence, end, domain in (
        (0.9, CONFIRMED, "debugging"),
        (0.9, FALSIFIED, "debugging"),
        (0.2, FALSIFIED, "security"),
        (None, CONFIRMED, "security"),
        (0.5, {"status": "abandoned", "result": "Gave up"}, "security"),
    ):
        said = {} if confidence is None else {"confidence": confidence}
        await house.agent("start_ghap", **START | {"domain": domain}, **said)
        await house.agent("resolve_ghap", **end)
    report = await house.journal.learning.calibration(house.owner)
    assert report.overall is not None
    assert report.overall.count == 3
    assert report.overall.brier_score == pytest.approx((0.01 + 0.81 + 0.04) / 3, abs=1e-6)
    assert [(d.domain, d.count) for d in report.domains] == [("debugging", 2), ("security", 1)]
    curve = [(b.from_confidence, b.count, b.confirmed) for b in report.overall.curve]
    assert curve == [(0.2, 1, 0.0), (0.9, 2, 0.5)]


def test_calibration_of_known_forecasts_is_what_a_person_computes() -> None:
    """GH-49: the perfect, the coin and the always wrong; the ends belong to a bin."""
    perfect = calibrate([("testing", 1.0, "confirmed"), ("testing", 0.0, "falsified")]).overall
    coin = calibrate([("testing", 0.5, "confirmed"), ("testing", 0.5, "falsified")]).overall
    wrong = calibrate([("testing", 1.0, "falsified")]).overall
    assert perfect is not None
    assert coin is not None
    assert wrong is not None
    assert (perfect.brier_score, coin.brier_score, wrong.brier_score) == (0.0, 0.25, 1.0)
    assert [b.from_confidence for b in perfect.curve] == [0.0, 0.9]
    assert calibrate([]).overall is None
    seven = calibrate([("testing", 0.7, "confirmed")]).overall
    assert seven is not None
    assert seven.curve[0].from_confidence == 0.7
