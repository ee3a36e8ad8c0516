"""Beyond the spec: premortem, evidence, calibration."""

from typing import Any

import pytest
from sqlalchemy import text

from bottega.journal.calibration.service import calibrate
from bottega.journal.entries.schemas import EvidenceInput
from tests.journal.builders import CONFIRMED, FALSIFIED, START, JournalApp

RAN = {"kind": "test", "passed": True, "command": "pytest -q", "summary": "212 passed"}
BARE = {"status": "confirmed", "result": "It went green"}


async def fail_with(app: JournalApp, category: str, description: str, **start: str) -> str:
    started = await app.agent("start_ghap", **START | start)
    cause = {"category": category, "description": description}
    await app.agent("resolve_ghap", **FALSIFIED | {"root_cause": cause})
    return str(started["id"])


@pytest.mark.requirement("GH-48")
async def test_a_start_warns_of_what_brought_down_similar_hypotheses(any_app: JournalApp) -> None:
    """Likely root causes, the likeliest first, with the entries that say so."""
    app = any_app
    first = await app.agent("start_ghap", **START)
    assert "premortem" not in first
    await app.agent("resolve_ghap", **CONFIRMED)
    shared = [
        await fail_with(app, "test-isolation", "The user table was shared"),
        await fail_with(app, "test-isolation", "Two tests used one mailbox"),
    ]
    clock = await fail_with(app, "timing-issue", "The token expired within the test")
    other = {
        "domain": "documentation",
        "strategy": "ask-user",
        "hypothesis": "Readers miss the chapter on colours and typography",
    }
    await fail_with(app, "wrong-scope", "They never open the handbook", **other)
    started = await app.agent("start_ghap", **START)
    likely = started["premortem"]
    assert [cause["category"] for cause in likely] == ["test-isolation", "timing-issue"]
    assert sorted(likely[0]["evidence"]) == sorted(shared)
    assert likely[1]["evidence"] == [clock]
    assert "Two tests used one mailbox" in likely[0]["examples"]
    assert sum(cause["share"] for cause in likely) == pytest.approx(1, abs=0.01)


@pytest.mark.requirement("GH-14", "GH-48")
async def test_a_start_needs_neither_database_nor_vectors(app: JournalApp) -> None:
    """With the tables gone it does without the premortem."""
    async with app.core.database.write() as session:
        await session.execute(text("DROP TABLE journal_experiences"))
        await session.execute(text("DROP TABLE vectors"))
    started = await app.agent("start_ghap", **START)
    assert "premortem" not in started
    assert (await app.agent("get_active_ghap"))["id"] == started["id"]


async def attach(app: JournalApp, **asked: Any) -> Any:
    given = EvidenceInput.model_validate({"evidence": RAN, **asked})
    return await app.journal.entries.attach("local", given)


@pytest.mark.requirement("GH-50")
async def test_evidence_resolves_nothing_but_makes_the_entry_gold(app: JournalApp) -> None:
    """Noted in the open entry; without a lesson it would have been silver."""
    await app.agent("start_ghap", **START)
    attached = await attach(app)
    assert [ran.command for ran in attached.evidence] == ["pytest -q"]
    active = await app.agent("get_active_ghap")
    assert (active["has_active"], active["iteration_count"]) == (True, 1)
    assert (await app.agent("resolve_ghap", **BARE))["confidence_tier"] == "gold"


@pytest.mark.requirement("GH-50")
async def test_evidence_that_comes_late_lifts_a_resolved_entry(any_app: JournalApp) -> None:
    """Silver becomes gold; bronze stays bronze; the session decides which is open."""
    app = any_app
    silver = await app.agent("start_ghap", **START)
    assert (await app.agent("resolve_ghap", **BARE))["confidence_tier"] == "silver"
    assert (await attach(app, entry_id=silver["id"])).confidence_tier == "gold"
    listed = (await app.agent("list_ghap_entries"))["results"][0]
    assert listed["confidence_tier"] == "gold"
    thin = await app.agent("start_ghap", **START | {"prediction": "It works"})
    await app.agent("resolve_ghap", **BARE)
    assert (await attach(app, entry_id=thin["id"])).confidence_tier == "bronze"
    await app.agent("start_ghap", **START, session_id="a")
    await app.agent("start_ghap", **START, session_id="b")
    await attach(app, session_id="b")
    for session, tier in (("a", "silver"), ("b", "gold")):
        resolved = await app.agent("resolve_ghap", **BARE, session_id=session)
        assert resolved["confidence_tier"] == tier


@pytest.mark.requirement("GH-49")
async def test_calibration_is_told_overall_and_by_domain(any_app: JournalApp) -> None:
    """Brier score and curve of what was predicted with a confidence."""
    app = any_app
    for confidence, end, domain in (
        (0.9, CONFIRMED, "debugging"),
        (0.9, FALSIFIED, "debugging"),
        (0.2, FALSIFIED, "security"),
        (None, CONFIRMED, "security"),
        (0.5, {"status": "abandoned", "result": "Gave up"}, "security"),
    ):
        said = {} if confidence is None else {"confidence": confidence}
        await app.agent("start_ghap", **START | {"domain": domain}, **said)
        await app.agent("resolve_ghap", **end)
    report = await app.journal.calibration(app.owner)
    assert report.overall is not None
    assert report.overall.count == 3
    assert report.overall.brier_score == pytest.approx((0.01 + 0.81 + 0.04) / 3, abs=1e-6)
    assert [(d.domain, d.count) for d in report.domains] == [("debugging", 2), ("security", 1)]
    curve = [(b.from_confidence, b.count, b.confirmed) for b in report.overall.curve]
    assert curve == [(0.2, 1, 0.0), (0.9, 2, 0.5)]


@pytest.mark.requirement("GH-49")
def test_calibration_of_known_forecasts_is_what_a_person_computes() -> None:
    """The perfect, the coin and the always wrong; the ends belong to a bin."""
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
