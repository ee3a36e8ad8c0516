"""Which pattern a failure follows."""

import pytest

from bottega.board.failures.reports.report import BoardOutcome
from bottega.board.failures.triage import FailureClass, FailureHistory, find_pattern
from tests.board.failures.labelled import NOW, history_of


@pytest.mark.requirement("BD-220", "BD-221", "BD-222")
@pytest.mark.parametrize(
    ("runs", "pattern"),
    [
        ("●", FailureClass.NEW),
        ("○○○●", FailureClass.NEW),
        ("○○●●", FailureClass.NEW),
        ("○○●●●", FailureClass.RECURRING),
        ("●●●●", FailureClass.RECURRING),
        ("●●●●●", FailureClass.PERSISTENT),
        ("○○●●●●●", FailureClass.PERSISTENT),
        # Inconsistent, but by now it simply fails.
        ("○●○●○●●●●●", FailureClass.PERSISTENT),
        ("◐◐●●●●●", FailureClass.PERSISTENT),
        # Red and green in turn come before the count of reds.
        ("●○●", FailureClass.FLAKY),
        ("○●○●○●", FailureClass.FLAKY),
        ("●●●●○●", FailureClass.FLAKY),
        ("◐", FailureClass.FLAKY),
        ("○○○◐", FailureClass.FLAKY),
        ("●●●◐", FailureClass.FLAKY),
        # Broken once, or fixed once: a single change.
        ("●●●●○", FailureClass.RECURRING),
        ("●○○○", FailureClass.NEW),
        # Twenty runs later an old quarrel is forgotten.
        ("●○●" + "○" * 19 + "●", FailureClass.RECURRING),
        ("●○●" + "○" * 17 + "●", FailureClass.FLAKY),
    ],
)
def test_the_runs_decide_the_pattern(runs: str, pattern: FailureClass) -> None:
    """BD-220 BD-221 BD-222: PERSISTENT, then FLAKY, then RECURRING, then NEW."""
    assert find_pattern(history_of(runs)) is pattern


@pytest.mark.requirement("BD-220", "BD-222")
def test_a_history_that_is_kept_in_numbers_is_judged_by_them() -> None:
    """BD-220 BD-222: the last runs may be all that is left of a long history."""
    failed = (BoardOutcome.FAILED,)
    assert find_pattern(FailureHistory(failed, 3, 1, NOW, NOW)) is FailureClass.RECURRING
    assert find_pattern(FailureHistory(failed, 2, 1, NOW, NOW)) is FailureClass.NEW
    assert find_pattern(FailureHistory(failed, 5, 5, NOW, NOW)) is FailureClass.PERSISTENT
    assert find_pattern(FailureHistory(failed, 5, 4, NOW, NOW)) is FailureClass.RECURRING


@pytest.mark.requirement("BD-223")
def test_each_pattern_has_its_priority() -> None:
    """From critical to low."""
    order = (FailureClass.PERSISTENT, FailureClass.RECURRING, FailureClass.FLAKY, FailureClass.NEW)
    assert [pattern.priority for pattern in order] == [5, 4, 3, 2]
