"""What an item rests on: a line for each source, which names the change and when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

#: Lines kept: the first, which made the item, and the newest.
MOST_LINES = 50
BETWEEN = " · "


@dataclass(frozen=True, slots=True)
class Source:
    """Who says so: a change of a project, or somebody who works on none."""

    project_id: str | None
    project: str | None
    change_id: str | None
    session_id: str | None
    at: datetime

    @property
    def name(self) -> str:
        if self.project is None:
            return "recorded by hand"
        return f"{self.project}/{self.change_id}" if self.change_id else self.project

    def line(self) -> str:
        session = [f"session {self.session_id}"] if self.session_id else []
        return BETWEEN.join([self.name, *session, f"{self.at:%Y-%m-%d}"])


def source_of(line: str) -> str:
    return line.partition(BETWEEN)[0]


def added(lines: Sequence[str], more: Sequence[str]) -> list[str]:
    """The lines with those of `more` whose source is not among them yet."""
    known = {source_of(line) for line in lines}
    result = list(lines)
    for line in more:
        if source_of(line) not in known:
            known.add(source_of(line))
            result.append(line)
    if len(result) > MOST_LINES:
        result = [result[0], *result[1 - MOST_LINES :]]
    return result


def confirmations(lines: Sequence[str]) -> int:
    """Sources beyond the first."""
    return max(0, len(lines) - 1)
