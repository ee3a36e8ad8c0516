"""How far an experience can be relied on."""

from typing import Any

import pytest

from bottega.core import clock
from bottega.journal.entries.enums import JournalTier
from bottega.journal.entries.model import Entry, Evidence, Resolution, grade, is_vague
from tests.journal.builders import CONFIRMED, FALSIFIED, START

RAN = Evidence.model_validate({"kind": "test", "passed": True, "command": "pytest"})
ABANDONED = {"status": "abandoned", "result": "Gave up"}
WITH_LESSON = FALSIFIED | {"lesson": {"what_worked": "Freezing the clock"}}


def tier(end: dict[str, Any], *evidence: Evidence, **said: str) -> JournalTier:
    now = clock.now()
    stamps = {"id": "ghap_20260101_000000_abcdef", "created_at": now, "updated_at": now}
    entry = Entry.model_validate({**START, **said, **stamps, "evidence": list(evidence)})
    resolution = Resolution.model_validate({**end, "resolved_at": now})
    graded_entry = grade(entry.with_changes(resolution=resolution))
    assert graded_entry.resolution is not None
    return graded_entry.resolution.confidence_tier


@pytest.mark.requirement("GH-12")
@pytest.mark.parametrize(
    "text",
    [
        *("It works", "ok", "?", "should be fixed now", "No idea", "maybe", "It will be fine"),
        *("TBD", "something is wrong", "I don't know", "the the the", "…"),
    ],
)
def test_what_says_nothing_of_the_matter_is_vague(text: str) -> None:
    """And so makes bronze."""
    assert is_vague(text)
    assert tier(CONFIRMED, prediction=text) is JournalTier.BRONZE
    assert tier(CONFIRMED, hypothesis=text) is JournalTier.BRONZE


@pytest.mark.requirement("GH-13")
@pytest.mark.parametrize(
    "text",
    [
        *("Passes consistently", "Tests pass", "Auth failures stop", "Timing issue"),
        *("Latency < 50 ms", "テストは毎回成功する", "Der Test läuft durch", "404 disappears"),
    ],
)
def test_a_short_text_that_can_be_tested_is_not_thin(text: str) -> None:
    """In any language."""
    assert not is_vague(text)
    assert tier(CONFIRMED, hypothesis=text, prediction=text) is JournalTier.GOLD


@pytest.mark.requirement("GH-12")
def test_the_tier_is_decided_in_its_order() -> None:
    """Abandoned, bronze, gold, silver; the first that holds."""
    without_lesson = {k: v for k, v in CONFIRMED.items() if k != "lesson"}
    assert tier(ABANDONED) is JournalTier.ABANDONED
    assert tier(ABANDONED | {"lesson": {"what_worked": "x"}}, RAN, prediction="ok") is (
        JournalTier.ABANDONED
    )
    assert tier(CONFIRMED, RAN, prediction="ok") is JournalTier.BRONZE
    assert tier(CONFIRMED) is JournalTier.GOLD
    assert tier(WITH_LESSON) is JournalTier.GOLD
    assert tier(without_lesson) is JournalTier.SILVER
    assert tier(FALSIFIED) is JournalTier.SILVER
    assert tier(without_lesson, RAN) is JournalTier.GOLD


@pytest.mark.requirement("GH-12")
def test_a_falsified_entry_without_its_explanation_is_not_gold() -> None:
    """A lesson alone is not enough; a file edited by hand may lack the rest."""
    for missing in ("surprise", "root_cause"):
        assert tier({k: v for k, v in WITH_LESSON.items() if k != missing}) is JournalTier.SILVER


@pytest.mark.requirement("GH-36")
def test_tiers_weigh_as_they_should() -> None:
    """Gold 1.0, silver 0.8, bronze 0.5, abandoned 0.2."""
    assert [tier.weight for tier in JournalTier] == [1.0, 0.8, 0.5, 0.2]
