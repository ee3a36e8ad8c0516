"""Which pattern a failure follows."""

import pytest

from bottega.board.failures.patterns import History, Outcome, Pattern, find_pattern
from tests.board.failures.labelled import NOW, history_of


@pytest.mark.parametrize(
    ("runs", "pattern"),
    [
        ("●", Pattern.NEW),
        ("○○○●", Pattern.NEW),
        ("○○●●", Pattern.NEW),
        ("○○●●●", Pattern.RECURRING),
        ("●●●●", Pattern.RECURRING),
        ("●●●●●", Pattern.PERSISTENT),
        ("○○●●●●●", Pattern.PERSISTENT),
        # Inconsistent, but by now it simply fails.
        ("○●○●○●●●●●", Pattern.PERSISTENT),
        ("◐◐●●●●●", Pattern.PERSISTENT),
        # Red and green in turn come before the count of reds.
        ("●○●", Pattern.FLAKY),
        ("○●○●○●", Pattern.FLAKY),
        ("●●●●○●", Pattern.FLAKY),
        ("◐", Pattern.FLAKY),
        ("○○○◐", Pattern.FLAKY),
        ("●●●◐", Pattern.FLAKY),
        # Broken once, or fixed once: a single change.
        ("●●●●○", Pattern.RECURRING),
        ("●○○○", Pattern.NEW),
        # Twenty runs later an old quarrel is forgotten.
        ("●○●" + "○" * 19 + "●", Pattern.RECURRING),
        ("●○●" + "○" * 17 + "●", Pattern.FLAKY),
    ],
)
def test_the_runs_decide_the_pattern(runs: str, pattern: Pattern) -> None:
    """BD-220 BD-221 BD-222: PERSISTENT, then FLAKY, then RECURRING, then NEW."""
    assert find_pattern(history_of(runs)) is pattern


def test_a_history_that_is_kept_in_numbers_is_judged_by_them() -> None:
    """BD-220 BD-222: the last runs may be all that is left of a long history."""
    failed = (Outcome.FAILED,)
    assert find_pattern(History(failed, 3, 1, NOW, NOW)) is Pattern.RECURRING
    assert find_pattern(History(failed, 2, 1, NOW, NOW)) is Pattern.NEW
    assert find_pattern(History(failed, 5, 5, NOW, NOW)) is Pattern.PERSISTENT
    assert find_pattern(History(failed, 5, 4, NOW, NOW)) is Pattern.RECURRING


def test_each_pattern_has_its_priority() -> None:
    """BD-223: from critical to low."""
    order = (Pattern.PERSISTENT, Pattern.RECURRING, Pattern.FLAKY, Pattern.NEW)
    assert [pattern.priority for pattern in order] == [5, 4, 3, 2]
