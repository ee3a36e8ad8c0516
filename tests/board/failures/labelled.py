"""The labelled set: failures of a shop, and how often the rules agree with the person."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from bottega.board.failures.facts import FailureFacts, fingerprint
from bottega.board.failures.reports.report import SEPARATOR, BoardOutcome, Runner
from bottega.board.failures.triage import Decision, FailureHistory, triage

DATA = Path(__file__).parents[1] / "data" / "labelled_failures.yaml"
SIGNS = {"○": BoardOutcome.PASSED, "●": BoardOutcome.FAILED, "◐": BoardOutcome.FLAKED}
NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Labelled:
    failure: FailureFacts
    history: FailureHistory
    person: Decision
    rule: Decision


def history_of(runs: str) -> FailureHistory:
    return FailureHistory.of([SIGNS[sign] for sign in runs], NOW, NOW)


def labelled_failures() -> list[Labelled]:
    data = yaml.safe_load(DATA.read_text(encoding="utf-8"))
    return [_labelled(item, data["features"]) for item in data["failures"]]


def _labelled(item: dict[str, Any], features: list[str]) -> Labelled:
    suite, _, title = item["test"].rpartition(SEPARATOR)
    test_id = SEPARATOR.join(filter(None, (item["file"], item["test"])))
    failure = FailureFacts(
        fingerprint=fingerprint(test_id, item["error"]),
        test_id=test_id,
        title=title,
        suite=suite,
        runner=Runner(item["runner"]),
        message=item["error"],
        file=item["file"],
    )
    history = history_of(item["runs"])
    decided = triage(failure, history, features).decision
    return Labelled(failure, history, Decision(item["decision"]), decided)


def agreement(failures: list[Labelled]) -> float:
    return sum(each.person is each.rule for each in failures) / len(failures)


def confusion(failures: list[Labelled]) -> Counter[tuple[Decision, Decision]]:
    """How often the person decided the first and the rules the second."""
    return Counter((each.person, each.rule) for each in failures)
